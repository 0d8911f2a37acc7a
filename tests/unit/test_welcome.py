"""The welcome of a home: claimed once, by one process, and only said where a person sees it."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tests.fakes.model import ScriptedModel, says
from tests.fakes.session import session_with
from tests.fakes.welcome import LISTED, new_home
from wisp_tui.config import Home
from wisp_tui.models.catalogue import Listed
from wisp_tui.session import ThreadOptions
from wisp_tui.session.doctor import State
from wisp_tui.session.doctor.machine import Screen
from wisp_tui.session.welcome import claim_welcome, look_around, models_found
from wisp_tui.text.ids import ModelId


def test_a_welcome_is_claimed_once_and_its_mark_is_private(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.prepare()
    assert [claim_welcome(home), claim_welcome(Home(home.root))] == [True, False]
    assert stat.S_IMODE(home.welcomed.stat().st_mode) == 0o600
    assert claim_welcome(Home(tmp_path / "gone")), "a home that cannot be written is welcomed at each start"


def test_the_models_are_named_by_runtime_and_a_few_of_each() -> None:
    said = models_found(LISTED).said
    assert said == (
        "ollama: granite4.1:8b, qwen3:8b, gemma3:4b and 1 more · embedded: smollm2; 1 cannot be used: `wisp models`"
    )
    assert models_found([Listed(ModelId("system"), "system")]).said == "system"
    assert models_found([Listed(ModelId("ollama"), "ollama", fault="off")]).state is State.WARNING


async def test_what_is_said_is_what_was_found_and_clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    thread = session_with(tmp_path, ScriptedModel([says("x")])).new_thread(ThreadOptions())
    new_home(tmp_path, monkeypatch)
    screen = Screen(80, 24)
    without = await look_around(thread, screen, "no model\x1b]52;c;SGk=\x07 was found")
    assert "  chosen     no model was found" in without.lines
    assert not [line for line in without.lines if not line.isprintable()]
    await thread.ready()
    lines = (await look_around(thread, screen)).lines
    assert lines[0] == "What wisp found here (/welcome says it again):"
    assert [line.split()[0] for line in lines[1:6]] == ["models", "chosen", "sandbox", "terminal", "clipboard"]
    assert lines[2].endswith(": a test says so")
    assert len(lines) == 10
