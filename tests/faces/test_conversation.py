"""A long conversation on the screen: the latest items mounted, older ones on demand, at any size of the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.model import ScriptedModel, says
from tests.fakes.screen import StillApp, app_with, said, send, talk_screen, until
from wisp_tui.app.widgets.conversation import MOST_LINES
from wisp_tui.app.widgets.rowview import RowView
from wisp_tui.events import PendingChanged, ReplyDelta, ReplyEnded, TurnStarted
from wisp_tui.text.ids import TurnNumber

TURNS = 500


async def _filled(app: StillApp, turns: int) -> None:
    """Publish turns as they would have been held, each of about ten lines."""
    bus, session = app.session.bus, app.thread.conversation.session
    for number in range(turns):
        turn = TurnNumber(number)
        bus.publish(TurnStarted(session, turn, f"question {number}"))
        bus.publish(ReplyDelta(session, turn, "\n\n".join(f"answer {number} part {part}" for part in range(4))))
        bus.publish(ReplyEnded(session, turn))


async def test_only_the_latest_of_many_turns_are_widgets_and_all_are_kept(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test(size=(80, 24)) as pilot:
        await _filled(app, TURNS)
        conversation = talk_screen(app).conversation
        await until(pilot, lambda: f"answer {TURNS - 1} part 3" in said(app))
        await until(pilot, lambda: conversation.virtual_size.height <= MOST_LINES)
        assert len(conversation.query(RowView)) < TURNS
        assert len(talk_screen(app).transcript.items) == 2 * TURNS
        assert conversation.scroll_y >= conversation.max_scroll_y


async def test_scrolling_back_to_the_first_item_brings_older_ones_and_keeps_the_place(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test(size=(80, 24)) as pilot:
        await _filled(app, TURNS)
        conversation = talk_screen(app).conversation
        await until(pilot, lambda: f"answer {TURNS - 1} part 3" in said(app))
        await until(pilot, lambda: conversation.virtual_size.height <= MOST_LINES)
        first = next(iter(conversation.query(RowView)))
        before = len(conversation.query(RowView))
        await pilot.press("ctrl+home")
        await until(pilot, lambda: len(conversation.query(RowView)) > before)
        await until(pilot, lambda: conversation.scroll_y > 0 and first.region.y <= conversation.region.y + 2)
        await pilot.press("ctrl+end")
        await until(pilot, lambda: conversation.scroll_y >= conversation.max_scroll_y)


async def test_text_that_comes_in_pieces_between_other_events_is_shown_once(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test() as pilot:
        bus, session = app.session.bus, app.thread.conversation.session
        bus.publish(TurnStarted(session, TurnNumber(1), "count"))
        await until(pilot, lambda: "count" in said(app))  # the empty state, which draws everything anew, is gone
        for text in ("one ", "two ", "three"):
            bus.publish(ReplyDelta(session, TurnNumber(1), text))
            bus.publish(PendingChanged(0))
        bus.publish(ReplyEnded(session, TurnNumber(1)))
        await until(pilot, lambda: "three" in said(app))
        assert said(app).splitlines() == ["❯ count", "one two three"]


@pytest.mark.parametrize("size", [(20, 6), (40, 12), (80, 24), (200, 60), (1, 1), (5, 2)])
async def test_no_size_of_the_terminal_breaks_it(tmp_path: Path, size: tuple[int, int]) -> None:
    app = app_with(
        tmp_path,
        ScriptedModel([says("| a | b |\n|---|---|\n| long words here | x |\n\n- 漢字 item\n\n```\ncode\n```")]),
    )
    async with app.run_test(size=(80, 24)) as pilot:
        await send(pilot, "draw")
        await until(pilot, lambda: "code" in said(app))
        await pilot.resize_terminal(*size)
        await pilot.press("ctrl+t", "f1", "escape", "ctrl+t", "/", "t", "escape")
        await pilot.pause()
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: talk_screen(app).size == (80, 24))
        assert "code" in said(app)
