"""What the tools are, in the words of every face: for a person, a script, a program and a page."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from wisp_tui.text.clean import clean_line
from wisp_tui.text.json import Json, JsonObject
from wisp_tui.tools.base import Tool, ToolSpec


def how(spec: ToolSpec) -> str:
    """Say what a call of a tool may do: ``reads``, ``asks``, or that it does something and does not ask."""
    if spec.asks:
        return "asks"
    return "reads" if spec.reads_only else "does not ask"


def described(spec: ToolSpec, *, disabled: bool) -> JsonObject:
    """Describe a tool for a program; ``parameters`` is a JSON Schema."""
    return {
        "name": spec.name,
        "description": spec.description,
        "clause": spec.clause,
        "parameters": spec.parameters,
        "readsOnly": spec.reads_only,
        "asks": spec.asks,
        "disabled": disabled,
    }


def markdown(tools: Mapping[str, Tool], disabled: Collection[str]) -> str:
    """Write the tools as a Markdown page: each with what the model is told of it and its arguments."""
    parts = ["# Tools"]
    for name, tool in tools.items():
        spec = tool.spec
        state = " · disabled" if name in disabled else ""
        parts += [f"## {name}", f"{clean_line(spec.description)} ({how(spec)}{state})"]
        if rows := list(_rows(spec)):
            parts.append("\n".join(["| argument | type | what |", "|---|---|---|", *rows]))
    return "\n\n".join(parts)


def _rows(spec: ToolSpec) -> Iterable[str]:
    properties = spec.parameters.get("properties")
    required = spec.parameters.get("required")
    needed: list[Json] = required if isinstance(required, list) else []
    for name, schema in properties.items() if isinstance(properties, dict) else ():
        if isinstance(schema, dict):
            what = clean_line(str(schema.get("description", "")))
            yield f"| `{name}`{'' if name in needed else ' (optional)'} | {_type(schema)} | {_cell(what)} |"


def _type(schema: JsonObject) -> str:
    choices = schema.get("enum")
    if isinstance(choices, list):
        return _cell(" or ".join(f"`{choice}`" for choice in choices))
    items = schema.get("items")
    kind = str(schema.get("type", "any"))
    return f"{kind} of {items['type']}s" if isinstance(items, dict) and "type" in items else kind


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
