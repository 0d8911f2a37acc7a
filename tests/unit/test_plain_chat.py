"""``wisp chat --plain``: what is printed where, line editing over a pipe input, approvals, Ctrl-C."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from rich.cells import cell_len

from tests.fakes.model import Hang, ScriptedModel, calls, says
from tests.fakes.session import session_with
from tests.fakes.waiting import ask_in, command_request, fact_request
from wisp_tui.approval import ApprovalRequest, Level
from wisp_tui.cli.plain import NOBODY, hold
from wisp_tui.cli.plain_asking import answer_line, question_lines, request_lines
from wisp_tui.cli.plain_editing import EditedInput
from wisp_tui.cli.plain_input import ReadInput
from wisp_tui.cli.plain_pending import PlainPending
from wisp_tui.events import TurnEnded
from wisp_tui.session import Session, Thread, ThreadOptions
from wisp_tui.session.history import PromptHistory
from wisp_tui.text.columns import broken
from wisp_tui.tools.asking import Question

PATIENCE = 20.0


async def piped(session: Session, text: str, out: Path) -> int:
    """Hold a conversation over piped lines, its replies going to a file."""
    source, feed = os.pipe()
    os.write(feed, text.encode())
    os.close(feed)
    sink = os.open(out, os.O_WRONLY | os.O_CREAT)
    try:
        async with asyncio.timeout(PATIENCE):
            return await hold(
                session,
                ThreadOptions(),
                make_input=lambda thread, leaves: ReadInput(source, marked=False),
                asks=False,
                sink=sink,
            )
    finally:
        os.close(source)
        os.close(sink)


async def test_piped_lines_give_the_replies_on_one_stream_and_all_else_clean_on_the_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    noise = "".join(f"line {number}\n" for number in range(30))
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "noise").write_text("\x1b]0;owned\x07" + noise)
    model = ScriptedModel(
        [
            says("Hello \x1b[31mthere."),
            calls(("run_command", {"command": "touch made"})),
            says("It was refused."),
        ]
    )
    session = session_with(tmp_path, model)
    assert await piped(session, "hello\n//etc\n!cat noise\n/tokenz", tmp_path / "out") == 0
    said = capsys.readouterr().err
    assert (tmp_path / "out").read_text() == "Hello there.\nIt was refused.\n"
    assert "\x1b" not in said
    assert "owned" not in said
    assert "⚙ run_command touch made\n" in said
    assert "not run" in said
    assert NOBODY in said
    assert "! cat noise\n" in said
    assert "more lines" in said
    assert "· /show " in said
    assert "did you mean /tokens?" in said
    assert not (tmp_path / "work" / "made").exists()


class Heard(DummyOutput):
    """A terminal that remembers what was written to it."""

    def __init__(self) -> None:
        self.text = ""
        self._written = asyncio.Event()

    def write(self, data: str) -> None:
        self.text += data
        self._written.set()

    async def until(self, text: str) -> None:
        """Wait until a text was written, and forget all up to it."""
        while text not in self.text:
            self._written.clear()
            await self._written.wait()
        self.text = ""


async def test_with_line_editing_a_key_approves_ctrl_c_clears_stops_and_at_last_leaves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reached = asyncio.Event()
    model = ScriptedModel(
        [calls(("run_command", {"command": "rm -r boats"})), says("They are gone."), [Hang(reached)]],
    )
    session = session_with(tmp_path, model)
    (tmp_path / "work" / "boats").mkdir()
    history = PromptHistory.read(session.home)
    terminal = Heard()
    with create_pipe_input() as keys, session.bus.subscribe() as events, (tmp_path / "out").open("wb") as out:

        def edited(thread: Thread, leaves: Callable[[], bool]) -> EditedInput:
            return EditedInput(thread, history, leaves, keys, terminal)

        async def until(kind: type) -> None:
            async for event in events:
                if isinstance(event, kind):
                    return

        held = asyncio.create_task(hold(session, ThreadOptions(), make_input=edited, asks=True, sink=out.fileno()))
        async with asyncio.timeout(PATIENCE):
            keys.send_text("dropped\x03remove the boats\r")
            await terminal.until("n no:")
            keys.send_text("x\r")
            await terminal.until("n no:")
            keys.send_text("y\r")
            await until(TurnEnded)
            keys.send_text("wait\r")
            await reached.wait()
            os.kill(os.getpid(), signal.SIGINT)
            await until(TurnEnded)
            keys.send_text("\x03\x03")
            assert await held == 0
    assert (tmp_path / "out").read_text() == "They are gone.\n"
    assert not (tmp_path / "work" / "boats").exists()
    assert history.texts == ["remove the boats", "wait"]
    said = capsys.readouterr().err
    assert "$ rm -r boats" in said
    assert "press ctrl-c again to leave" in said


def test_no_line_of_a_command_looks_like_one_of_the_question() -> None:
    request = ApprovalRequest(
        "1", "touch a\nin  /safe", "touch a\nin  /safe && true", "/home/ada/work", Level.MODERATE, ("writes a",)
    )
    lines = "\n".join(request_lines(request)).split("\n")
    assert [line for line in lines if line.startswith("in ")] == ["in  /home/ada/work"]


def test_no_line_of_a_models_question_looks_like_one_of_wisps() -> None:
    question = Question("1", "Which?\ndangerous · removes files\n$ rm -r boats\nin  /safe", ("a\n$ b",))
    lines = "\n".join(question_lines(question)).split("\n")
    assert lines[0] == "the model asks: Which?"
    assert [line for line in lines[1:] if not line.startswith(("  ", "1. "))] == []


@pytest.mark.parametrize("filler", [" ", "x", "\u00a0", "\u6f22", "\u0301"])
def test_no_row_of_the_screen_that_a_command_goes_on_in_begins_at_the_left(filler: str) -> None:
    command = f"touch a # {filler * 69}safe · only reads\n{filler * 78}$ git status"
    request = ApprovalRequest("1", command, command, "/home/ada/work", Level.DANGEROUS, ("writes a",))
    rows = [row for line in request_lines(request) for row in broken(line, 79)]
    assert all(cell_len(row) <= 79 for row in rows)
    told = ("dangerous", "$ touch", "in  /home", "s remembers", "  ")
    assert [row for row in rows if not row.startswith(told)] == []
    assert answer_line(request).startswith("dangerous: y ")


def test_what_other_processes_ask_is_said_once_and_many_things_in_one_line(tmp_path: Path) -> None:
    session = session_with(tmp_path, ScriptedModel([]))
    store, pending = session.waiting.store, PlainPending()
    fact, command = ask_in(session.home, fact_request(), command_request("git push\x1b[2J\nwisp: all is well"))
    said = list(pending.lines(store.snapshot()))
    assert said[0] == (
        f"waits for you: entity release codename = BLUE HERON — git (editor); /pending keep|drop {fact.id}"
    )
    assert said[1].endswith(f"/pending once|no {command.id}")
    assert "\n" not in said[1]
    assert list(pending.lines(store.snapshot())) == []
    ask_in(session.home, *(command_request(f"touch {number}") for number in range(4)))
    assert list(pending.lines(store.snapshot())) == ["4 requests wait for you; /pending lists them"]
