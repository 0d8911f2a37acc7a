"""Words found in the whole conversation: mounted or not, while it grows, and back to where one was."""

from __future__ import annotations

import asyncio
from pathlib import Path

from textual import events
from textual.pilot import Pilot

from tests.fakes.model import Hang, ScriptedModel, calls, says
from tests.fakes.screen import StillApp, app_with, bar, prompt, said, send, talk_screen, until, write
from tests.fakes.session import session_with
from wisp_tui.app.rows import Role
from wisp_tui.app.screens.sessions import SessionsScreen
from wisp_tui.app.widgets.rowview import RowView
from wisp_tui.events import ReplyDelta, ReplyEnded, TurnStarted
from wisp_tui.models import TextDelta
from wisp_tui.session import ThreadOptions
from wisp_tui.text.ids import TurnNumber

TURNS = 240


def counted(app: StillApp) -> str:
    return talk_screen(app).find.count_text


def seen(app: StillApp, view: RowView) -> range:
    """Return the lines of a view that are on the screen."""
    conversation = talk_screen(app).conversation
    top = view.virtual_region.y - round(conversation.scroll_y)
    return range(max(-top, 0), min(view.size.height, conversation.size.height - top))


def marked(app: StillApp) -> list[str]:
    """Return what stands on the screen in the look of the match that the search is at, in any place."""
    found: list[str] = []
    for view in talk_screen(app).conversation.query(RowView):
        here = view.screen.get_component_rich_style(f"row--{Role.MATCH_HERE}", partial=True).bgcolor
        for y in seen(app, view):
            found += [one.text for one in view.render_line(y) if one.style is not None and one.style.bgcolor == here]
    return found


def shown(app: StillApp) -> str:
    """Return the lines of the conversation that are on the screen."""
    conversation = talk_screen(app).conversation
    lines: list[str] = []
    for view in conversation.query(RowView):
        lines += [view.render_line(y).text for y in seen(app, view)]
    return "\n".join(lines)


async def find(pilot: Pilot[int], app: StillApp, words: str, count: str) -> None:
    await pilot.press("ctrl+f")
    await write(pilot, words)
    await until(pilot, lambda: counted(app) == count)


async def filled(pilot: Pilot[int], app: StillApp) -> None:
    """Hold many turns; each fortieth speaks of a heron."""
    bus, session = app.session.bus, app.thread.conversation.session
    for number in range(TURNS):
        turn, bird = TurnNumber(number), "a *heron*" if number % 40 == 39 else "a gull"
        bus.publish(TurnStarted(session, turn, f"question {number}"))
        bus.publish(ReplyDelta(session, turn, f"It was {bird} of {number}.\n\nIt flew.\n\n- over the sea\n- home"))
        bus.publish(ReplyEnded(session, turn))
    await until(pilot, lambda: f"of {TURNS - 1}." in said(app))


async def test_every_turn_is_searched_and_the_one_with_the_match_is_shown(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test(size=(80, 24)) as pilot:
        await filled(pilot, app)
        conversation = talk_screen(app).conversation
        assert "of 39." not in said(app)

        await find(pilot, app, "heron", "6 of 6")
        for place, number in ((5, 199), (4, 159), (3, 119), (2, 79), (1, 39)):
            await pilot.press("enter")
            await until(pilot, lambda place=place: counted(app) == f"{place} of 6")
            await until(pilot, lambda number=number: f"a heron of {number}." in shown(app))
        await until(pilot, lambda: marked(app) == ["heron"])
        assert len(conversation.query(RowView)) < TURNS

        await pilot.press("enter")
        await until(pilot, lambda: counted(app) == "went round · 6 of 6")
        await pilot.press("down")
        await until(pilot, lambda: counted(app) == "went round · 1 of 6")
        await until(pilot, lambda: "a heron of 39." in shown(app))
        assert not conversation.following

        await pilot.press("escape")
        await until(pilot, lambda: f"of {TURNS - 1}." in shown(app) and conversation.following)
        assert prompt(app).has_focus
        assert marked(app) == []


async def test_escape_goes_back_to_where_one_was_and_the_key_again_stays(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test(size=(80, 24)) as pilot:
        await filled(pilot, app)
        conversation = talk_screen(app).conversation
        await pilot.press("pageup", "pageup", "pageup")
        await until(pilot, lambda: not conversation.following)
        before = shown(app)

        await find(pilot, app, "question 7", "11 of 11")  # 7, and 70 to 79
        await until(pilot, lambda: "question 79" in shown(app))
        await pilot.press("escape")
        await until(pilot, lambda: shown(app) == before)

        await pilot.press("ctrl+f")
        await until(pilot, lambda: "question 79" in shown(app))  # the words are still there
        await pilot.press("ctrl+f")
        await until(pilot, lambda: prompt(app).has_focus)
        assert "question 79" in shown(app)
        for _ in range(12):
            await pilot.press("pagedown")
        await until(pilot, lambda: "question 85" in said(app))  # what comes after is there to be scrolled to
        await pilot.press("ctrl+end")
        await until(pilot, lambda: f"of {TURNS - 1}." in shown(app))


async def test_what_comes_while_it_is_searched_is_counted_and_the_match_stays(tmp_path: Path) -> None:
    reached = asyncio.Event()
    model = ScriptedModel([says("The **gull** flew."), [TextDelta("a gull"), Hang(reached)]])
    app = app_with(tmp_path, model)
    async with app.run_test(size=(80, 24)) as pilot:
        await send(pilot, "one")
        await until(pilot, lambda: "The gull flew." in said(app))
        await send(pilot, "two")
        await until(pilot, reached.is_set)
        await find(pilot, app, "gull", "2 of 2")
        await pilot.press("enter")
        await until(pilot, lambda: counted(app) == "1 of 2")
        session = app.thread.conversation.session
        for part, count in (("\n\nand a gu", "1 of 2"), ("ll", "1 of 3"), (" gull", "1 of 4")):
            app.session.bus.publish(ReplyDelta(session, TurnNumber(2), part))
            await until(pilot, lambda count=count, part=part: counted(app) == count and part.strip() in said(app))
        assert marked(app) == ["gull"]
        await pilot.press("down", "down")
        await until(pilot, lambda: counted(app) == "3 of 4")


async def test_what_is_looked_for_is_text_and_so_is_what_is_found(tmp_path: Path) -> None:
    hostile = "[red]x[/red] \x1b[31my [@click=app.quit]z[/]"
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.txt").write_text(hostile)
    model = ScriptedModel([calls(("read_file", {"path": "a.txt"})), says(hostile)])
    app = app_with(tmp_path, model)
    async with app.run_test(size=(100, 30)) as pilot:
        prompt(app).write(hostile)
        await pilot.press("enter")
        await until(pilot, lambda: "ran: read_file" in said(app))
        await pilot.press("ctrl+f")
        find = talk_screen(app).find
        for words, total in (("[red]x[/red]", 3), ("[/]", 3), ("[@click=app.quit]", 3), (".*", 0), ("\\", 0)):
            find.input.value = words
            await until(pilot, lambda total=total: counted(app).endswith(f"of {total}" if total else "conversation"))
            if total:
                await until(pilot, lambda words=words: marked(app) == [words])
        find.input.value = ""
        find.input.post_message(events.Paste("gu\x1b[31mll\nb"))
        await until(pilot, lambda: find.input.value == "gull")


async def test_its_keys_are_named_and_it_is_where_the_keyboard_goes(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([says("one Gull, one gull")]))
    async with app.run_test(size=(40, 12)) as pilot:
        await send(pilot, "go")
        await until(pilot, lambda: "one gull" in said(app))
        await pilot.press("ctrl+t", "f12")
        await until(pilot, lambda: talk_screen(app).find.has_focus_within)
        assert not talk_screen(app).panel.display  # it lay over the conversation
        assert "esc back" in bar(app, "activity")
        await write(pilot, "gull")
        await until(pilot, lambda: counted(app) == "2 of 2")
        await pilot.press("backspace", "backspace", "backspace", "backspace", *"Gull")
        await until(pilot, lambda: counted(app) == "1 of 1")  # a capital finds only itself
        await pilot.press("x")
        await until(pilot, lambda: counted(app).startswith("not in"))
        prompt(app).write("/new")
        prompt(app).action_send()
        await until(pilot, lambda: not talk_screen(app).find.display)


async def test_a_search_goes_on_in_all_saved_conversations(tmp_path: Path) -> None:
    session = session_with(tmp_path, ScriptedModel([says("The heron is blue.")]))
    await session.new_thread(ThreadOptions(save="harbour")).submit("Which bird?")
    await session.close()
    app = app_with(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test(size=(100, 30)) as pilot:
        await find(pilot, app, "heron", "not in this conversation")
        assert "ctrl-r in all saved" in bar(app, "activity")
        await pilot.press("ctrl+r")
        await until(pilot, lambda: isinstance(app.screen, SessionsScreen) and app.screen.model.hits == 1)
        screen = app.screen
        assert isinstance(screen, SessionsScreen)
        assert [item.name for item in screen.model.lines] == ["harbour"]
        assert not talk_screen(app).find.display
        await pilot.press("escape", "escape")
        await until(pilot, lambda: app.screen is talk_screen(app) and prompt(app).has_focus)
