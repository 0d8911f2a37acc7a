"""Commands the person types after ``!``: what holds them, what the model is told of them, which facts they give."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.fakes.model import ScriptedModel, says
from tests.fakes.session import session_with
from tests.fakes.walls import PaperWalls
from wisp_tui.audit import AuditUnavailable, read_events
from wisp_tui.config import Settings
from wisp_tui.context.record import EntryKind
from wisp_tui.events import AuditEvent, Kind, ToolProgress
from wisp_tui.models import Role
from wisp_tui.sandbox import Found, Reach, Wrapped
from wisp_tui.session import Session, Thread, ThreadOptions
from wisp_tui.session.commands import run_command_line
from wisp_tui.session.items import CallItem, CallState
from wisp_tui.session.lines import line_for
from wisp_tui.session.transcript import Transcript
from wisp_tui.session.typed import typed_command


def opened(tmp_path: Path, settings: Settings | None = None) -> tuple[Session, Thread, ScriptedModel]:
    model = ScriptedModel([says("One."), says("Two."), says("Three.")])
    session = session_with(tmp_path, model, settings=settings)
    return session, session.new_thread(ThreadOptions()), model


def events(session: Session) -> list[AuditEvent]:
    return list(read_events(session.home.logs))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("!make", "make"),
        ("! make  ", "make"),
        ("!!", "!"),
        (" !make", None),
        ("!", None),
        ("! ", None),
        ("make!", None),
    ],
)
def test_a_message_is_a_command_when_it_begins_with_the_mark(text: str, line: str | None) -> None:
    assert typed_command(text) == line


async def test_the_model_is_told_of_it_on_its_next_request_as_the_persons_own_act(tmp_path: Path) -> None:
    session, thread, model = opened(tmp_path)
    await thread.run_typed("echo hi")
    assert model.requests == []
    await thread.submit("What did I run?")
    told, asked = model.requests[0].messages[-2:]
    assert (told.role, asked.content) == (Role.USER, "What did I run?")
    assert told.content == (
        "! echo hi\n[the person ran this command themselves; it asks nothing of you]\nexit status: 0\nstdout:\nhi"
    )
    kinds = [event.kind for event in events(session)]
    order = [Kind.POLICY_DECISION, Kind.COMMAND_OUTCOME, Kind.COMMAND_TYPED, Kind.PROMPT]
    assert [kind for kind in kinds if kind in order] == order
    assert Kind.APPROVAL_REQUESTED not in kinds
    assert thread.conversation.turn == 1


async def test_its_output_is_told_whole_once_and_as_a_reference_after(tmp_path: Path) -> None:
    session, thread, model = opened(tmp_path)
    await thread.run_typed("seq 200; exit 3")
    await thread.submit("Look.")
    await thread.submit("And now?")
    first = next(message for message in model.requests[0].messages if message.content.startswith("! seq"))
    second = next(message for message in model.requests[1].messages if message.content.startswith("! seq"))
    assert "\n117\n" in first.content
    assert second.content.split("\n")[:2] == first.content.split("\n")[:2]
    assert "exit status 3, 200 lines" in second.content
    assert "do not run it again to see it]\nfirst line: 1\nlast line: 200" in second.content
    assert len(second.content.encode()) <= 640
    [referenced] = [event for event in events(session) if event.kind == Kind.CONTEXT_REFERENCE]
    assert referenced.turn == 2


async def test_a_denial_of_the_persons_holds_for_what_they_type(tmp_path: Path) -> None:
    session, thread, model = opened(tmp_path, Settings.model_validate({"commandPolicy": {"deny": ["touch"]}}))
    await thread.run_typed("sh -c 'touch made'")
    assert not (tmp_path / "work" / "made").exists()
    [typed] = [event for event in events(session) if event.kind == Kind.COMMAND_TYPED]
    assert "commandPolicy denies touch" in str(typed.details["output"])
    assert str(line_for(typed)).startswith("↳ not run: the person's commandPolicy denies touch")
    await thread.submit("Go on.")
    assert not any("touch made" in message.content for message in model.requests[0].messages)


async def test_it_runs_within_the_walls(tmp_path: Path) -> None:
    class Telling(PaperWalls):
        def wrap(self, argv: Sequence[str], directory: Path, environment: Mapping[str, str], reach: Reach) -> Wrapped:
            return Wrapped(("/bin/sh", "-c", "echo within the walls"), {})

    async def find() -> Found:
        return Found(Telling(), "a test says so")

    thread = session_with(tmp_path, ScriptedModel([]), find=find).new_thread(ThreadOptions())
    await thread.run_typed("echo hi")
    assert list(thread.conversation.record)[-1].text.endswith("within the walls")


async def test_its_facts_are_observations_that_a_later_run_supersedes(tmp_path: Path) -> None:
    _, thread, _ = opened(tmp_path, Settings.model_validate({"facts": {"testCommands": ["true", "false"]}}))
    await thread.run_typed("true --all")
    shown = await run_command_line(thread, "/inspect facts")
    assert shown.view is not None
    assert "the person's command" in shown.view.text
    assert "passed (exit status 0)" in shown.view.text


async def test_it_is_shown_as_it_runs_and_again_after_a_resume(tmp_path: Path) -> None:
    session, thread, _ = opened(tmp_path)
    transcript = Transcript()
    with session.bus.subscribe() as bus:
        await thread.run_typed("echo one; exit 2")
        changes = [change for event in bus.take() for change in transcript.take(event)]
    assert changes
    [item] = [item for item in transcript.items if isinstance(item, CallItem)]
    assert (item.typed, item.line, item.state) == (True, "echo one; exit 2", CallState.FAILED)
    assert item.output == "exit status: 2\nstdout:\none"
    again = Transcript()
    again.recall(thread.conversation.record)
    [recalled] = [item for item in again.items if isinstance(item, CallItem)]
    assert (recalled.typed, recalled.line, recalled.output) == (True, item.line, item.output)


async def test_a_long_output_is_kept_whole_and_shown(tmp_path: Path) -> None:
    _, thread, _ = opened(tmp_path)
    await thread.run_typed("seq 20000")
    [entry] = [entry for entry in thread.conversation.record if entry.kind is EntryKind.COMMAND]
    assert len(entry.text) < 20_000
    assert "do not run the command again" in entry.text
    shown = (await run_command_line(thread, "/last")).output
    assert shown is not None
    assert shown.stored is not None
    assert shown.stored.lines == 20_000


async def test_stopping_it_ends_it_and_what_it_printed_is_kept(tmp_path: Path) -> None:
    session, thread, _ = opened(tmp_path)
    with session.bus.subscribe() as bus:
        running = asyncio.create_task(thread.run_typed("echo up; sleep 300"))
        async for event in bus:
            if isinstance(event, ToolProgress):
                break
        with pytest.raises(RuntimeError):
            await thread.submit("Not now.")
        assert thread.cancel()
        await running
    [typed] = [event for event in events(session) if event.kind == Kind.COMMAND_TYPED]
    assert typed.details["output"] == "error: stopped by the person; what it printed until then is kept"
    assert not thread.running
    assert (await thread.submit("Go on.")).outcome == "ok"


async def test_nothing_runs_that_cannot_be_recorded(tmp_path: Path) -> None:
    session, thread, _ = opened(tmp_path)
    session.audit.close()
    logs = session.home.logs
    (logs / "audit.jsonl").unlink()
    (logs / "audit.jsonl").mkdir()
    with pytest.raises(AuditUnavailable):
        await thread.run_typed("touch made")
    assert not (tmp_path / "work" / "made").exists()
