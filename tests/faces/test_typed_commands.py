"""Commands typed after ``!`` in the prompt box: run at once, queued behind a turn, stopped by the same key."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.fakes.model import Hang, ScriptedModel, TextDelta, says
from tests.fakes.screen import app_with, bar, prompt, said, send, talk_screen, until, write


async def test_a_command_is_run_shown_and_told_with_the_next_message(tmp_path: Path) -> None:
    model = ScriptedModel([says("I see.")])
    app = app_with(tmp_path, model)
    async with app.run_test() as pilot:
        await write(pilot, "!")
        await until(pilot, lambda: talk_screen(app).query_one("#entry").has_class("-command"))
        await send(pilot, "echo hi; touch made")
        await until(pilot, lambda: "↳ 1 line" in said(app))
        assert said(app).splitlines()[:2] == ["! echo hi; touch made", "  ↳ 1 line, 3 bytes"]
        assert (tmp_path / "work" / "made").exists()
        assert not talk_screen(app).query_one("#entry").has_class("-command")
        assert model.requests == []
        await pilot.press("up")
        assert prompt(app).text == "!echo hi; touch made"
        prompt(app).clear()
        await send(pilot, "what did I do")
        await until(pilot, lambda: "I see." in said(app))
        assert model.requests[0].messages[-2].content.startswith("! echo hi; touch made\n[the person ran this")
        await send(pilot, "! ")
        await until(pilot, lambda: "there is no command after the !" in said(app))
        assert len(model.requests) == 1


async def test_a_command_waits_for_the_turn_and_escape_stops_it_and_holds_what_waits(tmp_path: Path) -> None:
    reached = asyncio.Event()
    model = ScriptedModel([[TextDelta("half"), Hang(reached)], says("after")])
    app = app_with(tmp_path, model)
    async with app.run_test() as pilot:
        await send(pilot, "go on")
        await until(pilot, reached.is_set)
        await send(pilot, "!sleep 300")
        assert list(app.talk.outbox.texts) == ["!sleep 300"]
        await pilot.press("escape")
        await until(pilot, lambda: app.talk.outbox.held)
        await pilot.press("enter")
        await until(pilot, lambda: "! sleep 300" in bar(app, "activity"))
        await send(pilot, "and then")
        await pilot.press("escape")
        await until(pilot, lambda: "error: stopped by the person" in said(app))
        await until(pilot, lambda: app.talk.outbox.held)
        assert len(model.requests) == 1
        await pilot.press("enter")
        await until(pilot, lambda: "after" in said(app))
