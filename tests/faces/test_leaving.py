"""Leaving: within two seconds whatever runs, with nothing left behind and the log whole."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

import psutil
import pytest

from tests.fakes.model import Hang, ScriptedModel, calls, says
from tests.fakes.screen import Tick, app_with, said, send, talk_screen, until
from wisp_tui.models import TextDelta

MOST_SECONDS = 2.0


def _events(tmp_path: Path) -> list[str]:
    log = tmp_path / "home" / "logs" / "audit.jsonl"
    return [json.loads(line)["kind"] for line in log.read_text().splitlines()]


async def test_leaving_while_a_reply_streams_ends_the_turn_and_flushes_the_log(tmp_path: Path) -> None:
    reached = asyncio.Event()
    app = app_with(tmp_path, ScriptedModel([[TextDelta("half"), Hang(reached)]]))
    async with app.run_test() as pilot:
        await send(pilot, "go")
        await until(pilot, reached.is_set)
        began = time.monotonic()
        await pilot.press("ctrl+q")
        await until(pilot, lambda: not app.is_running)
        assert time.monotonic() - began < MOST_SECONDS
    kinds = _events(tmp_path)
    assert "response" in kinds
    assert kinds[-1] == "session.end"


@pytest.mark.parametrize("command", ["sleep 987", 'trap "" TERM; echo up; sleep 987 & sleep 987'])
async def test_leaving_while_a_command_runs_kills_it_and_its_children(tmp_path: Path, command: str) -> None:
    clock = Tick()
    app = app_with(tmp_path, ScriptedModel([calls(("run_command", {"command": command})), says("x")]), clock=clock)
    async with app.run_test() as pilot:
        await send(pilot, "go")
        await until(pilot, lambda: _sleepers() or ((panel := talk_screen(app).approval) is not None and panel.seen))
        clock.move(1)
        await pilot.press("y")
        await until(pilot, _sleepers)
        began = time.monotonic()
        await pilot.press("ctrl+q")
        await until(pilot, lambda: not app.is_running)
        assert time.monotonic() - began < MOST_SECONDS
    await _gone()
    assert "tool.result" in _events(tmp_path)


async def test_leaving_while_a_dialog_waits_refuses_it(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([calls(("run_command", {"command": "echo hi > made"})), says("x")]))
    async with app.run_test() as pilot:
        await send(pilot, "go")
        await until(pilot, lambda: talk_screen(app).approval is not None)
        await pilot.press("ctrl+q")
        await until(pilot, lambda: not app.is_running)
    assert not (tmp_path / "work" / "made").exists()


async def test_slash_quit_leaves_and_says_what_was_saved(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test() as pilot:
        await send(pilot, "hello")
        await until(pilot, lambda: "❯ hello" in said(app))
        await send(pilot, "/save boats")
        await until(pilot, lambda: "saved as boats" in said(app))
        await send(pilot, "/quit")
        await until(pilot, lambda: not app.is_running)
    assert app.return_code == 0
    assert [line.partition(":")[0] for line in app.parting] == ["saved as boats"]


def _sleepers() -> list[psutil.Process]:
    return [child for child in psutil.Process().children(recursive=True) if "987" in child.cmdline()[1:2]]


async def _gone() -> None:
    async with asyncio.timeout(5):
        while _sleepers():
            await asyncio.to_thread(psutil.wait_procs, _sleepers(), 0.1)
