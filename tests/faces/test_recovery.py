"""What was cut short, offered by the app: enter goes on with it where it was, esc and a message leave it for later."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.fakes.live import begun, copies, died
from tests.fakes.model import Hang, ScriptedModel, says
from tests.fakes.screen import StillApp, app_with, prompt, said, send, talk_screen, until
from wisp_tui.app import app as app_module
from wisp_tui.config import Home
from wisp_tui.models import TextDelta
from wisp_tui.session.offering import offer


async def cut_short(tmp_path: Path) -> None:
    """Have a conversation whose process dies in the middle of its second reply, with more written and queued."""
    reached = asyncio.Event()
    model = ScriptedModel([says("It copies [b]files[/b]."), [TextDelta("So far"), Hang(reached)]])
    session, thread = begun(tmp_path, model)
    app = StillApp.over(session, thread)
    async with app.run_test() as pilot:
        await send(pilot, "what is this?")
        await until(pilot, lambda: "It copies" in said(app))
        await send(pilot, "and then?")
        await reached.wait()
        await send(pilot, "queued")
        prompt(app).text = "half writ"
        app.drafts.keep()
        died(thread)


def offered(app: StillApp) -> str:
    view = talk_screen(app).offer
    return "\n".join(row.text for row in view.rows) if view is not None else ""


async def test_enter_goes_on_with_what_was_cut_short(tmp_path: Path) -> None:
    await cut_short(tmp_path)
    app = app_with(tmp_path, ScriptedModel([says("Going on.")]))
    async with app.run_test() as pilot:
        await until(pilot, lambda: offered(app))
        assert "was cut short" in offered(app)
        assert "in the middle of turn 2" in offered(app)
        assert "what is this?" in offered(app)
        await pilot.press("enter")
        await until(pilot, lambda: "So far" in said(app))
        assert said(app).count("It copies [b]files[/b].") == 1
        assert "resumed what was cut short" in said(app)
        assert offered(app) == ""
        await until(pilot, lambda: prompt(app).text == "half writ")
        assert app.talk.outbox.texts == ("queued",)
        await pilot.press("ctrl+c", "enter")
        await until(pilot, lambda: "Going on." in said(app))


async def test_what_was_sent_is_not_given_back_as_unsent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_module, "EVERY_SECONDS", 600.0)
    reached = asyncio.Event()
    session, thread = begun(tmp_path, ScriptedModel([says("Yes."), [TextDelta("So far"), Hang(reached)]]))
    app = StillApp.over(session, thread)
    async with app.run_test() as pilot:
        await send(pilot, "hello")
        await until(pilot, lambda: "Yes." in said(app))
        prompt(app).text = "/save boats"
        app.drafts.keep()
        await pilot.press("enter")
        await until(pilot, lambda: "saved as boats" in said(app))
        await send(pilot, "and then?")
        await reached.wait()
        died(thread)
    app = app_with(tmp_path, ScriptedModel([]))
    async with app.run_test() as pilot:
        await until(pilot, lambda: offered(app))
        await pilot.press("enter")
        await until(pilot, lambda: "So far" in said(app))
        assert prompt(app).text == ""


async def test_esc_and_a_message_leave_it_for_later(tmp_path: Path) -> None:
    await cut_short(tmp_path)
    app = app_with(tmp_path, ScriptedModel([says("Something else.")]))
    async with app.run_test() as pilot:
        await until(pilot, lambda: offered(app))
        await pilot.press("escape")
        assert offered(app) == ""
        talk_screen(app).show_offer(offer(app.session.home))
        assert offered(app) != ""
        await send(pilot, "hello")
        await until(pilot, lambda: "Something else." in said(app))
        assert offered(app) == ""
        await send(pilot, "/sessions discard")
        await until(pilot, lambda: talk_screen(app).question)
        await send(pilot, "1")
        await until(pilot, lambda: "what was cut short is gone" in said(app))
    assert copies(Home(tmp_path / "home")) == []


@pytest.mark.parametrize(("code", "stays"), [(143, True), (129, True), (130, False), (0, False)])
async def test_what_a_signal_ends_stays_and_what_is_left_does_not(tmp_path: Path, code: int, stays: bool) -> None:
    session, thread = begun(tmp_path, ScriptedModel([says("Yes.")]))
    app = StillApp.over(session, thread)
    async with app.run_test() as pilot:
        await thread.submit("hello")
        prompt(app).text = "not sent"
        app.leave(code)
        await until(pilot, lambda: not session.threads)
    assert [one.first for one in session.shelf.recoverable()] == (["hello"] if stays else [])
