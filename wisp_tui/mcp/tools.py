"""The three tools, as a client is told of them and as their arguments are read; ``outputs`` has their answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias, TypeVar, cast

from mcp import types
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, ValidationError
from pydantic_core import PydanticCustomError

from wisp_tui.mcp.outputs import CLOSE_THREAD, RESPOND, SET_FACT_SCOPE
from wisp_tui.text.json import Json, JsonObject


class BadArguments(Exception):
    """A tool's arguments cannot be used; the message names each that is wrong and why."""


def _said(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "There is nothing in it")
    return text


_Said: TypeAlias = Annotated[str, AfterValidator(_said)]


class _Arguments(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class RespondArguments(_Arguments):
    """What ``respond`` takes."""

    prompt: _Said = Field(min_length=1, description="What to answer.")
    thread_id: str | None = Field(
        default=None,
        description="The thread it belongs to: 1 to 64 letters, digits, dots, underscores and hyphens. One that is not "
        "there is started; without a name a new thread is, and its name is in the answer.",
    )
    instructions: str | None = Field(
        default=None, description="Instructions beside wisp's own. Only when the thread starts."
    )
    tools: list[str] | None = Field(
        default=None, description="The tools the model has; all when left out. Only when the thread starts."
    )
    model: str | None = Field(default=None, description="The model, RUNTIME:NAME. Only when the thread starts.")
    task: _Said | None = Field(
        default=None, min_length=1, description="What the thread is about: kept in every request, until it is set anew."
    )
    shape: dict[str, JsonValue] | None = Field(
        default=None,
        alias="schema",
        description="A JSON Schema that the reply holds: an object of strings (enum), numbers, booleans, arrays "
        "(minItems, maxItems) and objects. The answer's `output` is then the reply, parsed.",
    )


class ScopeArguments(_Arguments):
    """What ``set_fact_scope`` takes."""

    thread_id: str = Field(description="The thread that sees the fact.")
    fact_id: str = Field(description="The fact: c1, s1. A permanent one (p1) is the person's alone.")
    scope: Literal["thread", "session", "permanent"] = Field(
        description="thread: this thread's own; session: every thread of this server's; permanent: the person is asked "
        "to keep it, and the call returns at once with the request."
    )


class CloseArguments(_Arguments):
    """What ``close_thread`` takes."""

    thread_id: str = Field(description="The thread to close. What it recorded stays in the audit log.")


A = TypeVar("A", bound=_Arguments)


def read_arguments(kind: type[A], given: Mapping[str, object] | None) -> A:
    """Read a call's arguments. Raises BadArguments."""
    try:
        return kind.model_validate(given or {})
    except ValidationError as error:
        raise BadArguments("; ".join(_fault(item["loc"], item["msg"]) for item in error.errors())) from error


def _fault(place: tuple[int | str, ...], message: str) -> str:
    return f"{'.'.join(str(part) for part in place)}: {message[:1].lower()}{message[1:]}"


def definitions() -> list[types.Tool]:
    """List the tools."""
    return [
        types.Tool(
            name="respond",
            title="Ask the local model",
            description="Have a local model answer a prompt, in a thread that remembers. It can read and edit files "
            "and run commands in the server's working directory; what could do harm asks the person first. The "
            "result's structured content says what was run, changed, refused and learnt.",
            input_schema=_schema(RespondArguments),
            output_schema=RESPOND,
            annotations=types.ToolAnnotations(read_only_hint=False, open_world_hint=True),
        ),
        types.Tool(
            name="set_fact_scope",
            title="Move a fact",
            description="Move a fact between a thread and the session, or ask the person to keep it for good.",
            input_schema=_schema(ScopeArguments),
            output_schema=SET_FACT_SCOPE,
            annotations=types.ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False),
        ),
        types.Tool(
            name="close_thread",
            title="Close a thread",
            description="End a thread once its calls are done, and free what it holds. Its name can be used anew.",
            input_schema=_schema(CloseArguments),
            output_schema=CLOSE_THREAD,
            annotations=types.ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False),
        ),
    ]


def _schema(kind: type[_Arguments]) -> dict[str, Json]:
    """Write the JSON Schema of a tool's arguments, plainly: optional ones are left out rather than null."""
    schema = cast("JsonObject", kind.model_json_schema(by_alias=True))
    properties = cast("Mapping[str, JsonObject]", schema["properties"])
    return {
        "type": "object",
        "properties": {name: _plain(inner) for name, inner in properties.items()},
        "required": schema.get("required", []),
        "additionalProperties": False,
    }


def _plain(schema: JsonObject) -> dict[str, Json]:
    kept = {name: value for name, value in schema.items() if name not in {"title", "default", "anyOf"}}
    choices = schema.get("anyOf")
    given = [item for item in choices if isinstance(item, dict)] if isinstance(choices, list) else []
    for item in given:
        if item.get("type") != "null":
            kept |= item
    return kept
