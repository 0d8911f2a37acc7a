"""The browser of saved conversations: listed, looked into, searched as words are typed, resumed, renamed, deleted."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import Static

from tests.fakes.live import begun, died, resumed
from tests.fakes.model import ScriptedModel, says
from tests.fakes.saved import home_with
from tests.fakes.screen import StillApp, app_with, prompt, said, send, talk_screen, until, write
from wisp_tui.app.screens.sessionasked import SessionAskedScreen
from wisp_tui.app.screens.sessions import SessionsScreen
from wisp_tui.app.widgets.bar import Bar
from wisp_tui.app.widgets.rowview import RowView
from wisp_tui.session.saved.searching import FoundLine, Stop

WIDE, NARROW = (120, 40), (80, 24)


def browser(app: StillApp) -> SessionsScreen:
    screen = next(screen for screen in reversed(app.screen_stack) if isinstance(screen, SessionsScreen))
    assert screen is not None
    return screen


async def opened(pilot: Pilot[int], app: StillApp) -> SessionsScreen:
    await until(pilot, lambda: app.thread.resolved is not None)
    await pilot.press("ctrl+r")
    await until(pilot, lambda: isinstance(app.screen, SessionsScreen) and app.screen.model.loaded)
    screen = browser(app)
    await until(pilot, lambda: screen.glimpse.read)
    return screen


def listed(screen: SessionsScreen) -> list[str]:
    return [item.name for item in screen.model.lines]


def line(screen: SessionsScreen, name: str) -> str:
    return screen.query_one(f"#sessions-{name}", Bar).text


def told(screen: SessionsScreen) -> str:
    return "\n".join(row.text for row in screen.query_one("#sessions-told", RowView).rows)


async def answered(pilot: Pilot[int], app: StillApp, key: str) -> str:
    """Answer the question that is asked; return it."""
    await until(pilot, lambda: isinstance(app.screen, SessionAskedScreen))
    asked = app.screen
    assert isinstance(asked, SessionAskedScreen)
    await pilot.press(key)
    await until(pilot, lambda: not isinstance(app.screen, SessionAskedScreen))
    return "\n".join(row.text for row in asked.rows)


async def test_what_is_saved_is_listed_looked_into_and_searched_as_words_are_typed(tmp_path: Path) -> None:
    await home_with(tmp_path)
    (tmp_path / "home" / "transcripts" / "broken.json").write_text('{"entries":[')
    app = app_with(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        assert listed(screen) == ["broken", "harbour", "reviews", "tides"]
        assert "saved conversations  4" in line(screen, "title")
        await pilot.press("down")
        await until(pilot, lambda: screen.glimpse.read)
        drawn = screen.ledger.drawn(1).text
        assert "harbour" in drawn
        assert "4 min" in drawn
        assert "fake:scripted" in drawn
        assert drawn.endswith("What does harbour sync do?")
        await pilot.resize_terminal(99, 30)  # the scroll bar takes the cell that the wide columns would need
        await until(pilot, lambda: "model" not in line(screen, "columns"))
        assert line(screen, "columns").index("begins") == screen.ledger.drawn(1).text.index("What does") + 2
        await pilot.resize_terminal(*WIDE)
        await until(pilot, lambda: "model" in line(screen, "columns"))
        assert line(screen, "columns").index("begins") == screen.ledger.drawn(1).text.index("What does") + 2
        assert (
            "❯ Where is its journal?\n\n  It copies files between two folders.\n  The journal is in [b]journal.db[/b]."
            in screen.glimpse.text
        )
        await pilot.press("end")
        await until(pilot, lambda: screen.glimpse.read)
        assert "High water at \ufffd14:05." in screen.glimpse.text
        assert "\x1b" not in screen.glimpse.text
        await pilot.press("slash")
        await write(pilot, "journal is")
        await until(pilot, lambda: screen.model.words == ("journal", "is") and not screen.model.searching)
        assert listed(screen) == ["harbour"]
        assert line(screen, "count") == "in 1 of 4 · 3 lines"
        assert "4 you  Where is its journal?" in screen.glimpse.text
        marked = [
            row.text[span.start : span.end] for row in screen.glimpse.query_one(RowView).rows for span in row.spans
        ]
        assert {text.lower() for text in marked} == {"journal", "is"}
        screen.words.value = "walrus"
        await until(pilot, lambda: screen.model.words == ("walrus",) and not screen.model.searching)
        assert (listed(screen), line(screen, "count")) == ([], "in none of them")
        await pilot.press("escape")
        await until(pilot, lambda: len(listed(screen)) == 4 and screen.ledger.has_focus)
        await pilot.press("s")
        assert (listed(screen)[0], line(screen, "title")[-7:]) == ("broken", "by name")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is talk_screen(app))


async def test_enter_goes_on_with_one_and_asks_before_it_leaves_what_is_not_saved(tmp_path: Path) -> None:
    await home_with(tmp_path)
    app = app_with(tmp_path, ScriptedModel([says("Mine.")] * 4))
    async with app.run_test(size=NARROW) as pilot:
        await until(pilot, lambda: app.thread.resolved is not None)
        await send(pilot, "Unsaved.")
        await until(pilot, lambda: "Mine." in said(app) and not app.talk.busy)
        await opened(pilot, app)
        await pilot.press("enter")
        assert "1 message of yours" in await answered(pilot, app, "escape")
        assert app.thread.conversation.name is None
        await pilot.press("enter")
        await answered(pilot, app, "s")
        await until(pilot, lambda: app.screen is talk_screen(app) and "resumed harbour: 2 turns" in said(app))
        assert "Unsaved." not in said(app)
        assert "The journal is in" in said(app)
        assert "the conversation before is saved as 2026-03-01-140512" in said(app)
        await until(pilot, lambda: prompt(app).has_focus)
        await send(pilot, "And now?")
        await until(pilot, lambda: not app.talk.busy and "Mine." in said(app))
        screen = await opened(pilot, app)
        assert screen.ledger.drawn(listed(screen).index("harbour")).text.startswith("● harbour")
        assert screen.chosen is not None
        assert screen.chosen.name == "harbour"
        await pilot.press("d")
        await until(pilot, lambda: "is the conversation you are in" in told(screen))
        await pilot.press("home" if listed(screen)[0] != "harbour" else "down", "enter")
        await until(pilot, lambda: app.screen is talk_screen(app) and "saved as harbour" in said(app))
    names = {item.name: item.turns for item in app.thread.shelf.list()}
    assert names == {"2026-03-01-140512": 1, "harbour": 3, "reviews": 1, "tides": 1}


async def test_one_is_renamed_and_deleted_by_its_keys(tmp_path: Path) -> None:
    await home_with(tmp_path)
    app = app_with(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test(size=NARROW) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("down", "r")
        assert screen.query_one("#sessions-label", Static).display
        screen.name_box.value = "no name/at all"
        await pilot.press("enter")
        await until(pilot, lambda: "is no name for a conversation" in told(screen))
        screen.name_box.value = "tides"
        await pilot.press("enter")
        await until(pilot, lambda: "another conversation is saved as tides" in told(screen))
        screen.name_box.value = "notes"
        await pilot.press("enter")
        await until(pilot, lambda: "reviews is called notes now" in told(screen) and "notes" in listed(screen))
        assert screen.chosen is not None
        assert (screen.chosen.name, screen.ledger.has_focus) == ("notes", True)
        await pilot.press("d")
        asked = await answered(pilot, app, "n")
        assert "delete notes?" in asked
        assert "1 turn, 3 entries" in asked
        assert "notes" in listed(screen)
        await pilot.press("d")
        await answered(pilot, app, "y")
        await until(pilot, lambda: listed(screen) == ["harbour", "tides"])
        assert "notes is deleted" in told(screen)
        (tmp_path / "home" / "transcripts" / "harbour.json").unlink()  # another process deletes it
        await pilot.press("home", "d")
        await answered(pilot, app, "y")
        await until(pilot, lambda: "no conversation is saved as harbour any more" in told(screen))
        await until(pilot, lambda: listed(screen) == ["tides"])


async def test_what_was_cut_short_is_marked_looked_into_gone_on_with_and_deleted(tmp_path: Path) -> None:
    await home_with(tmp_path, "harbour")
    for text in ("First draft.", "The heron is blue."):
        _, thread = begun(tmp_path, ScriptedModel([says("A reply.")] * 2))
        await thread.submit(text)
        died(thread)
    again = resumed(tmp_path, "harbour", ScriptedModel([says("More.")]))
    await again.submit("Go on.")
    died(again)
    app = app_with(tmp_path, ScriptedModel([says("x")] * 2))
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        rows = {item.first: item for item in screen.model.lines}
        assert [item.cut_short for item in rows.values()] == [True, True, True]
        assert (rows["What does harbour sync do?"].name, rows["What does harbour sync do?"].turns) == ("harbour", 3)
        assert all("cut short" in screen.ledger.drawn(place).text for place in range(3))
        await pilot.press("slash")
        await write(pilot, "heron")
        await until(pilot, lambda: not screen.model.searching and len(screen.model.lines) == 1 and screen.glimpse.read)
        assert "❯ The heron is blue.\n\n  A reply." in screen.glimpse.text
        await pilot.press("enter", "r")
        screen.name_box.value = "birds"
        await pilot.press("enter")
        await until(pilot, lambda: "/save NAME names it" in told(screen))
        await pilot.press("escape", "escape")
        await until(pilot, lambda: len(screen.model.lines) == 3)
        screen.ledger.move_to(screen.model.lines.index(rows["First draft."]))
        await pilot.press("d")
        await answered(pilot, app, "y")
        await until(pilot, lambda: len(screen.model.lines) == 2)
        screen.ledger.move_to(listed(screen).index(rows["The heron is blue."].name))
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is talk_screen(app) and "cut short" in said(app))
        assert "The heron is blue." in said(app)
        screen = await opened(pilot, app)
        assert listed(screen) == ["harbour"]
        await pilot.press("d")
        await answered(pilot, app, "y")
        await until(pilot, lambda: listed(screen) == [])
    assert not list(app.session.home.transcripts.glob("*.json"))


class Slow:
    """A finder whose search goes on until it is stopped."""

    def __init__(self) -> None:
        self.ended: list[tuple[str, ...]] = []
        self.waits = threading.Event()

    def find(self, words: Sequence[str], names: Sequence[str], stop: Stop) -> Iterator[FoundLine]:
        try:
            yield FoundLine(names[0], 2, None, 1, f"a line with {' '.join(words)}")
            while not stop() and words != ("two",):
                self.waits.wait(0.01)
        finally:
            self.ended.append(tuple(words))


async def test_results_are_shown_as_they_come_and_a_search_ends_when_the_words_change(tmp_path: Path) -> None:
    await home_with(tmp_path, "harbour", "tides")
    app = app_with(tmp_path, ScriptedModel([says("x")]))
    finder = Slow()
    async with app.run_test(size=(40, 12)) as pilot:
        await until(pilot, lambda: app.thread.resolved is not None)
        screen = SessionsScreen(app.thread, finder)
        await app.push_screen(screen)
        await until(pilot, lambda: screen.model.loaded)
        await pilot.press("slash")
        screen.words.value = "one"
        await until(pilot, lambda: screen.model.hits)
        assert (listed(screen), screen.model.searching) == (["harbour"], True)
        screen.words.value = "two"
        await until(pilot, lambda: not screen.model.searching)
        await until(pilot, lambda: set(finder.ended) == {("one",), ("two",)})
        assert [found.excerpt for found in screen.model.found_in("harbour")] == ["a line with two"]


async def test_the_command_opens_it_and_says_so_while_nothing_is_saved(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test(size=NARROW) as pilot:
        await until(pilot, lambda: app.thread.resolved is not None)
        await send(pilot, "/sessions")
        await until(pilot, lambda: isinstance(app.screen, SessionsScreen) and app.screen.model.loaded)
        screen = browser(app)
        empty = screen.query_one("#sessions-empty", RowView)
        assert "No conversation is saved yet" in empty.rows[0].text
        await pilot.press("enter", "d", "r", "s", "ctrl+r")
        await until(pilot, lambda: app.screen is talk_screen(app))
