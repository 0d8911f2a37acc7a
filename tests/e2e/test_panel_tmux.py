"""The context panel on a real terminal, over the embedded model, while its context is condensed; resized meanwhile."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.fakes.tmux import Terminal, terminal
from tests.fakes.wisp_process import WISP_TUI, environment
from wisp_tui.text.json import dump

pytest.importorskip("xllamacpp")
pytestmark = [
    pytest.mark.tmux,
    pytest.mark.embedded,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux here"),
    pytest.mark.timeout(180),
]

WINDOW = 1024
CARGO = "Boat {0} carries salt, rope and {0} barrels of oil from the north harbour to the south one. " * 8
"""About 180 tokens: a third turn does not fit."""
TURNS = 8
CONDENSED = re.compile(r"◂ condensed \d turns?: [\d,]+ → [\d,]+")


def ask(screen: Terminal, turn: int) -> str:
    """Send a message and wait for its turn to end; a reply that runs on is stopped. Return the screen."""

    def answering(shown: str) -> bool:
        conversation = shown.split("─" * 20, maxsplit=1)[0]  # what stands in the prompt box was not sent yet
        return "replying" in conversation or (f"Boat {turn} " in conversation and "enter sends" in conversation)

    screen.write(CARGO.format(turn) + "Answer with one word.")
    screen.press("Enter")
    screen.until(answering)
    screen.press("Escape")
    return screen.until(lambda shown: "enter sends" in shown)


def test_it_condenses_while_the_panel_is_open_and_the_panel_follows(tmp_path: Path, small_model: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    work.mkdir()
    (home / "models").mkdir(mode=0o700, parents=True)
    home.chmod(0o700)
    (home / "models" / small_model.name).symlink_to(small_model)
    settings = {"embedded": {"contextLength": WINDOW}, "facts": {"distil": False, "summary": False}}
    (home / "config.json").write_bytes(dump(settings))
    (home / "config.json").chmod(0o600)
    command = [*WISP_TUI, "-m", f"embedded:{small_model.stem}"]
    variables = environment(home, TERM="xterm-256color", LANG="C.UTF-8")
    with terminal(command, width=120, height=36, directory=work, environment=variables) as screen:
        screen.until("embedded:")
        screen.press("C-t", "Escape")
        screen.until(lambda shown: "next request" in shown and f"of {WINDOW:,}" in shown)
        shown = ""
        for turn in range(1, TURNS + 1):
            shown = ask(screen, turn)
            if "◂ condensed" in shown:
                break
        assert "◂ condensed" in shown
        line = screen.until(lambda shown: CONDENSED.search(shown) is not None and "⋯ waiting" in shown)
        assert re.search(r"❯ prompt +Boat 1 ", line) is None, "what was dropped is listed as sent"

        for width, height in ((60, 16), (20, 6), (110, 34)):
            screen.resize(width, height)
            shown = screen.until(lambda shown, rows=height: len(shown.splitlines()) == rows)
            assert "Traceback" not in shown
        screen.until(lambda shown: "next request" in shown and CONDENSED.search(shown) is not None)

        screen.press("C-q")
        assert screen.ended() == 0
