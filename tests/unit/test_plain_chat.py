"""``wisp chat --plain``: what is printed where, line editing over a pipe input, approvals, Ctrl-C."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.session import session_with
from wisp_tui.cli.plain import NOBODY, hold
from wisp_tui.cli.plain_input import ReadInput
from wisp_tui.session import Session, ThreadOptions

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
