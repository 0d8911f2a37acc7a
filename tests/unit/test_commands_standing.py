"""How a conversation stands, what it came to, what was said in it, and its page: by command, nothing to the model."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.session import session_with
from wisp_tui.config import Settings
from wisp_tui.models import Chunk, Finished, TextDelta, ThinkingOut, Usage
from wisp_tui.session import Thread, ThreadOptions
from wisp_tui.session.commands import commands, run_command_line
from wisp_tui.session.export.markdown import fenced

HOSTILE = "It\x1b[2J is.\n\n```\ncode\n"


def thought(thinking: str, text: str) -> list[Chunk]:
    return [ThinkingOut(thinking), TextDelta(text), Usage(100, 20), Finished("stop")]


async def talked(tmp_path: Path, settings: Settings | None = None) -> tuple[Thread, ScriptedModel]:
    model = ScriptedModel([calls(("current_date", {})), thought("Hm\x1b[31mm.", HOSTILE), says("Bye.")])
    thread = session_with(tmp_path, model, settings=settings).new_thread(ThreadOptions())
    await thread.submit("What day is it?")
    await thread.submit("Thanks.")
    return thread, model


async def lines(thread: Thread, line: str) -> tuple[str, ...]:
    answer = await run_command_line(thread, line)
    assert not answer.failed, answer.lines
    return answer.lines


async def viewed(thread: Thread, line: str) -> list[str]:
    view = (await run_command_line(thread, line)).view
    assert view is not None
    return view.text.split("\n")


async def test_each_says_what_it_should_and_the_model_hears_nothing_of_it(tmp_path: Path) -> None:
    thread, model = await talked(tmp_path)
    requests = len(model.requests)

    status = {line.split("  ")[0].strip(): line for line in await lines(thread, "/status")}
    assert status["model"].endswith("fake:scripted")
    assert "of 8,192 tokens, turn 2" in status["context"]
    assert str(tmp_path / "home") in status["home"]
    assert await lines(thread, "/inspect status") == tuple(status.values())

    stats = await lines(thread, "/stats")
    assert stats[:3] == (
        "this session:",
        "2 turns, 3 requests answered",
        "100 tokens read, 20 written, as the runtime reports; 2 requests not reported",
    )
    assert any(line.startswith("ran: current_date, in ") for line in stats)

    history = await lines(thread, "/history")
    assert [line.split("  ")[-1] for line in history] == ["What day is it?", "Thanks.", "/show N shows entry N whole"]
    assert (await lines(thread, "/history 1"))[:2] == (history[1], "the last 1 of 2")

    view = (await run_command_line(thread, "/inspect thinking")).view
    assert view is not None
    assert (view.kind, view.turn, view.text) == ("thinking", 1, "turn 1, thought for 0.0 s:\nHmm.")
    assert (await run_command_line(thread, "/inspect thinking 2")).lines == ("the model did not think in turn 2",)
    assert "audit.keep = 5" in await lines(thread, "/inspect config audit")
    assert await lines(thread, "/inspect approvals") == ("no approval stands",)

    assert (await viewed(thread, "/sessions"))[0].startswith("no conversation is saved yet")
    await lines(thread, "/save harbour")
    saved = await viewed(thread, "/sessions")
    assert saved[0].startswith("● harbour  ")
    assert saved[0].endswith("What day is it?")
    assert saved[-1].startswith("/sessions resume NAME")
    assert len(model.requests) == requests


async def test_the_page_of_a_conversation_has_everything_clean_and_replaces_nothing(tmp_path: Path) -> None:
    thread, _ = await talked(tmp_path)
    (said,) = await lines(thread, "/export talk.md")
    path = tmp_path / "work" / "talk.md"
    assert said == f"exported: {path}"
    assert path.stat().st_mode & 0o777 == 0o600
    page = path.read_text("utf-8")
    assert "\x1b" not in page
    for part in (
        "## Turn 1 · ",
        "> What day is it?",
        "**current_date**",
        "```json\n{}\n```",
        "It is.",
        "> Thanks.",
        "Bye.",
    ):
        assert part in page
    again = await run_command_line(thread, "/export talk.md")
    assert (again.failed, "is there already" in again.lines[0]) == (True, True)
    assert (await run_command_line(thread, "/export none/talk.md")).failed
    (said,) = await lines(thread, "/export")
    assert said == f"exported: {tmp_path / 'work' / 'wisp-2026-03-01-140512.md'}"


@pytest.mark.parametrize(
    ("text", "fence"), [("plain", "```"), ("a\n```\nb", "````"), ("  `````x", "``````"), ("~~~~", "`````")]
)
def test_no_line_of_a_block_closes_its_fence(text: str, fence: str) -> None:
    assert fenced(text) == f"{fence}\n{text}\n{fence}"


async def test_without_the_audit_it_is_said_what_cannot_be_had(tmp_path: Path) -> None:
    thread, _ = await talked(tmp_path, Settings.model_validate({"audit": {"enabled": False}}))
    for line in ("/stats", "/inspect thinking", "/audit"):
        answer = await run_command_line(thread, line)
        assert answer.failed
        assert "audit" in answer.lines[0]


@pytest.mark.parametrize(
    ("line", "near"),
    [("/stat", "/status"), ("/Status", "/status"), ("/exprot", "/export"), ("/q", "/quit"), ("/help confg", "/config")],
)
async def test_what_was_meant_is_named_and_nothing_is_sent(tmp_path: Path, line: str, near: str) -> None:
    model = ScriptedModel([says("Yes.")])
    thread = session_with(tmp_path, model).new_thread(ThreadOptions())
    answer = await run_command_line(thread, line)
    assert answer.failed
    assert answer.lines[0].endswith(f"; did you mean {near}?")
    assert model.requests == []
    assert near in commands()


async def test_a_slip_in_what_to_inspect_is_answered_too(tmp_path: Path) -> None:
    thread = session_with(tmp_path, ScriptedModel([])).new_thread(ThreadOptions())
    answer = await run_command_line(thread, "/inspect contxt")
    assert answer.lines[0].endswith("; did you mean /inspect context?")
