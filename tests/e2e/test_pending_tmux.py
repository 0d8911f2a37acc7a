"""A caller's request on a real terminal: it appears in a running wisp-tui, is kept by a key, and is used by another."""

from __future__ import annotations

import shutil
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.fakes.tmux import Terminal, terminal
from tests.fakes.waiting import fact_request
from tests.fakes.wisp_process import WISP_TUI, environment, replay
from wisp_tui.config import Home
from wisp_tui.pending import Pending

pytestmark = [
    pytest.mark.tmux,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux here"),
]


def test_a_callers_request_is_kept_by_a_key_and_used_by_a_conversation_in_another_terminal(
    tmp_path: Path, wisp_home: Path
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    model = replay(tmp_path / "r.jsonl", {"reply": "It is called the blue heron."}, window=8192)
    surroundings = environment(wisp_home, TERM="xterm-256color", LANG="C.UTF-8")

    def opened() -> AbstractContextManager[Terminal]:
        command = [*WISP_TUI, "-m", model]
        return terminal(command, width=100, height=30, directory=work, environment=surroundings)

    with opened() as first:
        first.until("replay")
        request = Pending(Home(wisp_home)).ask(fact_request())
        first.until("⚑ 1 to keep")
        first.press("F8")
        assert "BLUE HERON" in first.until("git (editor) asks to keep this")
        first.press("k")
        first.until("kept as p1")
        first.until(lambda screen: "to keep" not in screen.rstrip().splitlines()[-1])
        assert "BLUE HERON" in (wisp_home / "facts.json").read_text("utf-8")
        outcome = Pending(Home(wisp_home)).outcome(request.id)
        assert outcome is not None
        assert outcome.kept == "p1"
        with opened() as second:
            second.until("replay")
            second.write("/inspect context")
            second.press("Enter")
            second.until("context is saved")
            (saved,) = Home(wisp_home).context.rglob("*.md")
            assert "- entity release codename: BLUE HERON — from the caller" in saved.read_text("utf-8")
            second.write("What is the release called?")
            second.press("Enter")
            second.until("It is called the blue heron.")
            second.press("F2", "Left")
            assert "earlier" in second.until("turn 1 of 1")
