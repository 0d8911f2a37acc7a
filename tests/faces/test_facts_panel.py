"""The facts panel: what waits, the facts, the summary; opened, answered, moved, stated, live, at every size."""

from __future__ import annotations

from pathlib import Path

from textual.pilot import Pilot

from tests.fakes.model import ScriptedModel, says
from tests.fakes.screen import StillApp, Tick, app_with, bar, prompt, talk_screen, until, write
from tests.fakes.waiting import ask_in, command_request, fact_request
from wisp_tui.app.kept.saying import Listing
from wisp_tui.app.widgets.bar import Bar
from wisp_tui.app.widgets.factspanel import FactsPanel
from wisp_tui.app.widgets.rowview import RowView
from wisp_tui.keeping import PermanentFacts
from wisp_tui.pending import RequestState

WIDE, NARROW = (120, 40), (80, 24)


def panel_of(app: StillApp) -> FactsPanel:
    return talk_screen(app).facts_panel


def line(app: StillApp, name: str) -> str:
    return panel_of(app).query_one(f"#facts-{name}", Bar).text


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
        assert "git (claude) asks to keep this for every conversation · 4 min" in whole(app)
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
