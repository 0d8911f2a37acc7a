"""The first start in a home: said once, not over a conversation, and never in the way of a key."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.fakes.model import ScriptedModel, says
from tests.fakes.screen import StillApp, app_over, prompt, said, send, until
from tests.fakes.session import session_with
from tests.fakes.welcome import new_home
from wisp_tui.config import Home

TITLE = "What wisp found here"


def looking(app: StillApp) -> bool:
    return any(worker.group == "model" for worker in app.workers)


async def test_the_first_start_says_once_what_was_found_and_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = session_with(tmp_path, ScriptedModel([says("x")], name="ollama:granite4.1:8b"))
    home = new_home(tmp_path, monkeypatch)
    app = app_over(session)
    async with app.run_test(size=(100, 32)) as pilot:
        await until(pilot, lambda: TITLE in said(app))
        shown = said(app)
        assert "models     ollama: granite4.1:8b, qwen3:8b, gemma3:4b and 1 more · embedded: smollm2; 1 cannot" in shown
        assert "chosen     ollama:granite4.1:8b, window 8,192 tokens: a test says so" in shown
        assert "terminal   " in shown
        assert "what is in this folder" in shown
        assert home.welcomed.exists()
        prompt(app).write("/welcome")
        await pilot.press("enter")
        await until(pilot, lambda: f"{TITLE} (/welcome" in said(app))

    app = app_over(session_with(tmp_path, ScriptedModel([says("x")])))
    async with app.run_test(size=(100, 32)) as pilot:
        await until(pilot, lambda: app.thread.resolved is not None and not looking(app))
        assert TITLE not in said(app)


async def test_a_conversation_that_has_begun_is_not_interrupted_and_the_next_start_says_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = session_with(tmp_path, ScriptedModel([says("Hello.")]))
    home = new_home(tmp_path, monkeypatch)
    let = asyncio.Event()

    async def late(*_: object) -> list[object]:
        await let.wait()
        return []

    monkeypatch.setattr("wisp_tui.session.welcome.list_models", late)
    app = app_over(session)
    async with app.run_test(size=(100, 32)) as pilot:
        await send(pilot, "hello")
        await until(pilot, lambda: "Hello." in said(app))
        let.set()
        await until(pilot, lambda: not looking(app))
        assert TITLE not in said(app)
        assert not home.welcomed.exists()


async def test_a_home_that_cannot_be_written_is_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = session_with(tmp_path, ScriptedModel([says("x")]))
    new_home(tmp_path, monkeypatch)
    monkeypatch.setattr(Home, "welcomed", property(lambda _: tmp_path / "gone" / "welcomed"))
    app = app_over(session)
    async with app.run_test(size=(100, 32)) as pilot:
        await until(pilot, lambda: TITLE in said(app))
        assert said(app).count(TITLE) == 1
