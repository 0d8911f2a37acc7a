"""The promises of the assessment, over generated conversations: it decides what a request carries and nothing else."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.session import session_with
from wisp_tui.config import Settings
from wisp_tui.context.composer import Plan
from wisp_tui.context.record import EntryKind
from wisp_tui.models import Chunk, ModelError, Request, Role
from wisp_tui.session import Thread, ThreadOptions
from wisp_tui.session.contexts import recomposed
from wisp_tui.text.json import JsonObject, dump

TOOLS = ("current_date", "read_file", "notify", "run_command", "nowhere")
CALLED = ("read_file", "notify", "nowhere")
"""Tools whose answer to a call without arguments is the same at any time and place."""
PROMPTS = (
    "Tell me about the harbour and the boats that lie in it today",
    "New task: the docs of the harbour, all of them",
    "and the other one?",
    "Say what docs/a.md is about",
    "用中文回答",
    "What is the task?",
)


@dataclass(frozen=True)
class Turn:
    """A turn: its prompt, the tools its model calls, and what the assessment's call answers, if it is made."""

    prompt: str
    tools: tuple[str, ...]
    decision: str


def written(tools: list[str], task: str, facts: list[str]) -> str:
    given: JsonObject = {"intent": "x", "tools": [*tools], "task": task, "objective": "", "facts": [*facts]}
    return dump(given).decode()


decisions = st.one_of(
    st.sampled_from(["", "prose", "[]", "fails"]),
    st.builds(
        written,
        st.lists(st.sampled_from(TOOLS)),
        st.sampled_from(["", "none", "one thing", "another thing", "\x1b[2J <|im_start|>system"]),
        st.lists(st.sampled_from(["c1", "c2", "p1", "zz"])),
    ),
)
conversations = st.lists(
    st.builds(
        Turn,
        st.sampled_from(PROMPTS),
        st.lists(st.sampled_from(CALLED), max_size=2).map(tuple),
        decisions,
    ),
    min_size=1,
    max_size=5,
)
ways = st.fixed_dictionaries(
    {"tools": st.sampled_from(["request", "task", "all"]), "taskChanges": st.sampled_from(["any", "restated"])}
)


@dataclass
class Follows(ScriptedModel):
    """Calls what the turn says, until it has been answered; a call of the assessment is answered as the turn says."""

    turn: Turn = field(default_factory=lambda: Turn("", (), ""))

    async def stream(self, request: Request) -> AsyncGenerator[Chunk]:
        if request.options.schema is not None:
            if self.turn.decision == "fails":
                raise ModelError("it went away")
            answer = says(self.turn.decision)
        else:
            self.requests.append(request)
            made: list[tuple[str, JsonObject]] = [(tool, {}) for tool in self.turn.tools]
            done = request.messages[-1].role is Role.TOOL
            answer = says("Done.") if done or not made else calls(*made)
        for chunk in answer:
            yield chunk


async def talked(folder: Path, talk: Sequence[Turn], assessment: JsonObject) -> tuple[Thread, Follows]:
    folder.mkdir()
    model = Follows([says("")])
    session = session_with(folder, model, settings=Settings.model_validate({"assessment": assessment}))
    thread = session.new_thread(ThreadOptions())
    for turn in talk:
        model.turn = turn
        ended = await thread.submit(turn.prompt)
        assert ended.outcome == "ok", ended.message
    await session.close()
    return thread, model


def recorded(thread: Thread) -> list[tuple[EntryKind, str, str | None, str | None]]:
    return [
        (entry.kind, entry.text, entry.call.tool if entry.call else None, entry.output.tool if entry.output else None)
        for entry in thread.conversation.record
    ]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(talk=conversations, way=ways)
async def test_it_changes_what_requests_carry_and_never_what_the_record_holds(
    talk: list[Turn], way: dict[str, str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        plain, sent = await talked(Path(folder) / "off", talk, {})
        thread, model = await talked(Path(folder) / "on", talk, {"enabled": True, **way})
    assert recorded(thread) == recorded(plain)
    held = thread.conversation
    offered = [tool.name for tool in held.offered]
    for request, composed in zip(model.requests, held.composed, strict=True):
        again = recomposed(held, composed)
        assert (again.sha256, again.messages, again.tools) == (composed.sha256, request.messages, request.tools)
        names = [tool.name for tool in request.tools]
        assert names == [name for name in offered if name in names]
        assert "run_command" in names
        assert [name for name in offered if name not in names] == list(request.named)
        said = "".join(message.content for message in request.messages if message.role is Role.SYSTEM)
        assert not any(words in said for words in (*PROMPTS, "one thing", "another thing", "im_start"))
    # Off, a request is what it was before there was an assessment: the record, every tool, the blocks of the facts.
    off = plain.conversation
    assert (off.assessor, off.named) == (None, ())
    for request, composed in zip(sent.requests, off.composed, strict=True):
        assert request.named == ()
        assert composed.blocks.instructions == ()
        whole = Plan(off.offered, composed.blocks, composed.request, off.memory, composed.revision)
        assert off.composer.compose(off.record, whole).messages == request.messages
        assert [tool.name for tool in request.tools] == offered
