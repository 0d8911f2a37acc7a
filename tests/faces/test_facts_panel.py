"""The facts panel: what waits, the facts, the summary; opened, answered, moved, stated, live, at every size."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.fakes.condensing import ask
from tests.fakes.facts import ACT, stated
from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.screen import StillApp, Tick, app_with, bar, prompt, talk_screen, until, write
from tests.fakes.waiting import ask_in, command_request, fact_request, question_request
from wisp_tui.app.kept.saying import Listing
from wisp_tui.app.screens.pager import PagerScreen
from wisp_tui.app.widgets.bar import Bar
from wisp_tui.app.widgets.factsline import FactsLine
from wisp_tui.app.widgets.factspanel import FactsPanel
from wisp_tui.app.widgets.rowview import RowView
from wisp_tui.facts import FactBook, FactRow
from wisp_tui.keeping import PermanentFacts
from wisp_tui.pending import RequestState

WIDE, NARROW = (120, 40), (80, 24)
NOW = question_request("Now?")


def panel_of(app: StillApp) -> FactsPanel:
    return talk_screen(app).facts_panel


def line(app: StillApp, name: str) -> str:
    found = panel_of(app).query_one(f"#facts-{name}", Bar if name == "title" else RowView)
    return found.text if isinstance(found, Bar) else "\n".join(row.text for row in found.rows)


def whole(app: StillApp) -> str:
    return "\n".join(f"{row.prefix}{row.text}" for row in panel_of(app).query_one("#facts-rows", RowView).rows)


def listed(app: StillApp) -> list[str]:
    panel = panel_of(app)
    return [panel.ledger.drawn(place).text for place in range(panel.ledger.count)]


async def opened(pilot: Pilot[int], app: StillApp, key: str) -> FactsPanel:
    await pilot.press(key)
    panel = panel_of(app)
    await until(pilot, lambda: panel.display and panel.ledger.has_focus)
    return panel


async def test_what_waits_appears_while_the_app_runs_and_is_kept_or_dropped_by_its_key(tmp_path: Path) -> None:
    clock = Tick()
    app = app_with(tmp_path, ScriptedModel([says("Yes.")]), clock=clock)
    async with app.run_test(size=WIDE) as pilot:
        panel = await opened(pilot, app, "f8")
        assert "Nothing waits for you" in panel.model.empty()
        first, second = ask_in(app.session.home, fact_request(), fact_request("preference editor = vim"))
        await until(pilot, lambda: len(listed(app)) == 2)
        assert "pending 2" in line(app, "title")
        assert "⚑ 2 to keep" in bar(app, "status")
        assert listed(app)[0] == "⚑ entity release codename = BLUE HERON 4 min"
        assert first.id in whole(app)
        assert "git (editor) asks to keep this for every conversation · 4 min" in whole(app)
        assert "nothing is kept under this name" in whole(app)
        await pilot.press("k")
        await until(pilot, lambda: len(listed(app)) == 1)
        await until(pilot, lambda: "was kept as p1 from wisp-tui" in line(app, "told"))
        (kept,) = PermanentFacts(app.session.home).load().current.values()
        assert (kept.value, kept.approved) == ("BLUE HERON", True)
        await until(pilot, lambda: "⚑ 1 to keep" in bar(app, "status"))
        clock.move(0.6)
        await pilot.press("d")
        await until(pilot, lambda: not listed(app))
        outcome = app.session.waiting.store.outcome(second.id)
        assert outcome is not None
        assert outcome.state is RequestState.DROPPED
        await until(pilot, lambda: "⚑" not in bar(app, "status"))
        await pilot.press("escape")
        await until(pilot, lambda: prompt(app).has_focus)
        await opened(pilot, app, "f5")
        assert any("p1" in fact and "release codename = BLUE HERON" in fact for fact in listed(app))


async def test_a_line_that_comes_under_the_cursor_by_itself_is_not_answered_by_a_key_meant_for_another(
    tmp_path: Path,
) -> None:
    clock = Tick()
    app = app_with(tmp_path, ScriptedModel([says("Yes.")]), clock=clock)
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app, "f8")
        first, second = ask_in(app.session.home, fact_request(), command_request())
        await until(pilot, lambda: len(listed(app)) == 2)
        app.session.waiting.store.withdraw(first.id, "its conversation ended", app.thread.conversation.clock.now())
        await until(pilot, lambda: len(listed(app)) == 1)
        assert "$ git push" in whole(app)
        assert "for 4 m 50 s more" in whole(app)
        await pilot.press("k", "d")
        assert app.session.waiting.store.outcome(second.id) is None
        clock.move(0.6)
        await pilot.press("k")
        await until(pilot, lambda: app.session.waiting.store.outcome(second.id) is not None)
        await until(pilot, lambda: "was answered from wisp-tui" in line(app, "told"))


async def test_a_question_is_answered_in_the_panel_by_number_or_in_words_or_declined(tmp_path: Path) -> None:
    clock = Tick()
    app = app_with(tmp_path, ScriptedModel([says("Yes.")]), clock=clock)
    async with app.run_test(size=WIDE) as pilot:
        panel = await opened(pilot, app, "f8")
        one, two, three = ask_in(
            app.session.home, question_request("Which [b]boat[/b]?", "Merle", "Amsel"), question_request(), NOW
        )
        await until(pilot, lambda: len(listed(app)) == 3)
        assert "? the model asks\n  Which [b]boat[/b]?" in whole(app)
        assert "1  Merle" in whole(app)
        assert "git (editor) asks you" in whole(app)
        for written, left in (("2", 2), ("the small one", 1)):
            clock.move(0.6)
            await pilot.press("enter")
            await until(pilot, lambda: panel.written.has_focus)
            await write(pilot, written)
            await pilot.press("enter")
            await until(pilot, lambda left=left: len(listed(app)) == left and panel.ledger.has_focus)
        clock.move(0.6)
        await pilot.press("enter", "escape", "d")
        await until(pilot, lambda: not listed(app))
        outcomes = [app.session.waiting.store.outcome(each.id) for each in (one, two, three)]
        assert [outcome.answer for outcome in outcomes if outcome is not None] == ["Amsel", "the small one", None]


async def test_a_request_is_kept_only_once_it_was_shown_to_its_end(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([says("Yes.")]))
    async with app.run_test(size=(40, 12)) as pilot:
        (request,) = ask_in(app.session.home, fact_request(f"entity poem = {'long and winding ' * 60}the end"))
        panel = await opened(pilot, app, "f8")
        await until(pilot, lambda: len(listed(app)) == 1 and panel.whole.max_scroll_y > 0)
        store = app.session.waiting.store
        await pilot.press("k")
        assert store.outcome(request.id) is None
        for _ in range(40):
            await pilot.press("k")
        await until(pilot, lambda: store.outcome(request.id) is not None)
        assert panel.whole.max_scroll_y > 0 or not listed(app)


async def test_a_fact_that_waits_stands_beside_what_would_give_way_to_it(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([says("Yes.")]))
    async with app.run_test(size=NARROW) as pilot:
        prompt(app).write("/fact entity release codename = RED KITE")
        await pilot.press("enter")
        await until(pilot, lambda: app.session.facts.permanent.current)
        ask_in(app.session.home, fact_request())
        await until(pilot, lambda: "⚑ 1 to keep" in bar(app, "status"))
        await opened(pilot, app, "f8")
        assert "now   RED KITE — p1, from the person, version 1" in whole(app)
        assert "then  BLUE HERON" in whole(app)
        prompt(app).focus()
        await write(pilot, "/pending")
        await pilot.press("enter")
        await until(pilot, lambda: panel_of(app).model.listing is Listing.PENDING and panel_of(app).ledger.has_focus)


def go_to(panel: FactsPanel, name: str) -> None:
    """Put the cursor on the fact of a name."""
    found = (
        place for place, row in enumerate(panel.model.lines) if isinstance(row, FactRow) and name in row.fact.topic.name
    )
    panel.ledger.move_to(next(found, -1))


async def stating(pilot: Pilot[int], app: StillApp, line: str) -> None:
    """Run a command line, and wait until it is done."""
    app.action_slash(line)
    await until(pilot, lambda: not [worker for worker in app.workers if worker.group == "commands"])


async def test_facts_are_stated_restated_moved_filtered_and_deleted_by_keys(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([says("Yes.")]))
    async with app.run_test(size=WIDE) as pilot:
        panel = await opened(pilot, app, "f5")
        assert "No facts yet" in panel.model.empty()
        await pilot.press("n")
        await until(pilot, lambda: panel.written.has_focus)
        panel.written.value = "nonsense x = y"
        await pilot.press("enter")
        await until(pilot, lambda: "there is no kind of fact 'nonsense'" in line(app, "told"))
        assert panel.written.has_focus, "what was written can be mended"
        panel.written.value = "preference editor = vim"
        await pilot.press("enter")
        await until(pilot, lambda: panel.ledger.has_focus and len(listed(app)) == 2)
        assert "1 new fact: p1 preference editor = vim" in line(app, "told")
        await pilot.press("end", "r")
        assert panel.written.value == "preference editor = vim"
        panel.written.value = "preference editor = helix"
        await pilot.press("enter")
        await until(pilot, lambda: "editor = helix person  v2" in listed(app)[-1])
        assert "was   vim — p1" in whole(app)
        await pilot.press("h")
        await until(pilot, lambda: len(listed(app)) == 3)
        await pilot.press("h", "t")
        await until(pilot, lambda: "p2 preference editor is thread now, as c1" in line(app, "told"))
        await until(pilot, lambda: listed(app)[-1].startswith("c1"))
        await pilot.press("k")
        await until(pilot, lambda: listed(app)[-1].startswith("p3"))
        await stating(pilot, app, "/task sail round the island")
        panel.ledger.focus()
        await until(pilot, lambda: len(listed(app)) == 4)
        await pilot.press("/")
        await write(pilot, "island")
        await until(pilot, lambda: len(listed(app)) == 2)
        await pilot.press("enter", "end")
        assert "task = sail round the island" in whole(app)
        await pilot.press("d")
        assert "d once more deletes" in line(app, "told")
        await pilot.press("up", "end", "d")
        assert len(panel.model.book) == 2, "another key in between takes the question back"
        await pilot.press("d")
        await until(pilot, lambda: len(panel.model.book) == 1)
        await pilot.press("escape")
        await until(pilot, lambda: len(listed(app)) == 2)
        await pilot.press("home", "space")
        assert len(listed(app)) == 1
        await pilot.press("escape")
        await until(pilot, lambda: prompt(app).has_focus)


async def test_a_fact_leads_to_its_entry_and_that_to_its_audit_event(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "notes.md").write_text("# Notes\nall of it\n")
    app = app_with(tmp_path, ScriptedModel([calls(("read_file", {"path": "notes.md"})), says("Read.")]))
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, app, "Read the notes.")
        panel = await opened(pilot, app, "f5")
        go_to(panel, "notes.md")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, PagerScreen))
        assert isinstance(app.screen, PagerScreen)
        assert "read_file" in app.screen.paged.title
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, PagerScreen) and app.screen.paged.name.startswith("event-"))
        assert isinstance(app.screen, PagerScreen)
        assert app.screen.paged.title.startswith("tool.result audit event ")
        await pilot.press("escape", "escape")
        await until(pilot, lambda: app.screen is talk_screen(app) and panel.ledger.has_focus)
        await stating(pilot, app, "/fact preference editor = vim")
        panel.ledger.focus()
        go_to(panel, "editor")
        await pilot.press("enter")
        await until(pilot, lambda: "no entry and no audit event is behind it" in line(app, "told"))


async def test_the_panels_take_each_others_place_and_the_lists_follow_one_another(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([says("Yes.")]))
    async with app.run_test(size=WIDE) as pilot:
        panel, screen = await opened(pilot, app, "f5"), talk_screen(app)
        for listing in (Listing.SUMMARY, Listing.PENDING, Listing.FACTS):
            await pilot.press("right")
            assert panel.model.listing is listing
        PermanentFacts(app.session.home).change(
            ACT, lambda ledger: stated(FactBook(permanent=ledger), "entity tide = low")
        )
        await until(pilot, lambda: any("tide = low" in fact for fact in listed(app)))
        await pilot.press("left")
        await until(pilot, lambda: panel.model.listing is Listing.PENDING)
        assert panel.model.empty()
        await pilot.press("ctrl+t")
        await until(pilot, lambda: screen.panel.display and not panel.display)
        for command, listing in (("/inspect summary", Listing.SUMMARY), ("/inspect facts all", Listing.FACTS)):
            await stating(pilot, app, command)
            assert panel.display
            assert not screen.panel.display
            assert panel.model.listing is listing
        assert panel.model.everything
        await pilot.press("f5")
        await until(pilot, lambda: not panel.display and prompt(app).has_focus)


async def test_a_terminal_without_the_keyboard_is_told_and_is_told_nothing_it_would_obey(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = app_with(tmp_path, ScriptedModel([says("Yes.")]))
    told: list[str] = []
    noticed: list[str] = []

    def notice(text: str, **_: object) -> None:
        noticed.append(text)

    monkeypatch.setattr(app, "notify", notice)
    monkeypatch.setattr(app, "tell_terminal", told.append)
    async with app.run_test(size=WIDE) as pilot:
        ask_in(app.session.home, fact_request("entity one = first"))
        await until(pilot, lambda: noticed)
        assert not told
        app.app_focus = False
        ask_in(app.session.home, command_request("git push\x1b]0;x\x07\n  origin"))
        await until(pilot, lambda: told)
        (said,) = told
        assert said.startswith("wisp: your answer is wanted: git (editor) asks: $ git push")
        assert said.isprintable()


async def test_the_line_of_a_turns_facts_moves_deletes_and_opens_them(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    for name in ("notes.md", "plan.md"):
        (tmp_path / "work" / name).write_text("# Notes\nall of it\n")
    reads = calls(("read_file", {"path": "notes.md"}), ("read_file", {"path": "plan.md"}))
    app = app_with(tmp_path, ScriptedModel([reads, says("Read.")]))
    async with app.run_test(size=NARROW) as pilot:
        await ask(pilot, app, "Read both.")
        await until(pilot, lambda: len(talk_screen(app).query(FactsLine)) == 1)
        shown = talk_screen(app).query_one(FactsLine)
        book = app.thread.conversation.facts
        assert book is not None
        assert shown.rows[0].text.startswith("2 new facts: c2 file ")
        await pilot.press("shift+tab")
        await until(pilot, lambda: shown.has_focus)
        assert "k keep  t thread" in shown.rows[1].text
        await pilot.press("s")
        await until(pilot, lambda: {fact.id for fact in book.book} >= {"s1", "c3"})
        await pilot.press("right", "d")
        assert "d once more deletes c3" in shown.rows[1].text
        await pilot.press("d")
        await until(pilot, lambda: "c3" not in {fact.id for fact in book.book})
        await pilot.press("k")
        assert not prompt(app).text
        await pilot.press("left", "enter")
        await until(pilot, lambda: panel_of(app).display and panel_of(app).ledger.has_focus)
        await pilot.press("escape")
        await until(pilot, lambda: prompt(app).has_focus)
