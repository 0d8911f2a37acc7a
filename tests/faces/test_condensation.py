"""Condensations on the screen: the strip while one runs, its line in the conversation, its story, the list of all."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.fakes.condensing import (
    SUMMARY,
    ask,
    ask_until_condensed,
    ask_until_distilling,
    harbour,
    question,
)
from tests.fakes.screen import StillApp, bar, prompt, said, talk_screen, until
from wisp_tui.app.panel.model import Showing
from wisp_tui.app.screens.condensation import CondensationScreen
from wisp_tui.app.screens.pager import PagerScreen
from wisp_tui.app.widgets.condensation import CondensationStrip, CondensationView
from wisp_tui.app.widgets.factsline import FactsLine
from wisp_tui.app.widgets.pieces import Picture
from wisp_tui.session.items import CondensationItem

SIZE = (120, 40)


def strip(app: StillApp) -> CondensationStrip:
    return talk_screen(app).strip


def story(app: StillApp) -> CondensationScreen:
    assert isinstance(app.screen, CondensationScreen)
    return app.screen


async def storied(pilot: Pilot[int], app: StillApp, *keys: str) -> None:
    await pilot.press(*keys)
    await until(pilot, lambda: isinstance(app.screen, CondensationScreen) and app.screen.text)


async def test_the_strip_stands_above_the_prompt_while_the_model_distils(tmp_path: Path) -> None:
    distilling = asyncio.Event()
    app = harbour(tmp_path, distilling=distilling)
    async with app.run_test(size=SIZE) as pilot:
        assert not strip(app).display
        await ask_until_distilling(pilot, app, distilling)
        await until(pilot, lambda: "distilling" in strip(app).text)
        assert "condensing · the budget was reached" in strip(app).text
        assert "goal 1,228 of 2,048" in strip(app).text
        assert strip(app).region.bottom <= prompt(app).region.y


async def test_a_condensation_that_is_stopped_with_its_turn_says_so(tmp_path: Path) -> None:
    distilling = asyncio.Event()
    app = harbour(tmp_path, distilling=distilling)
    async with app.run_test(size=SIZE) as pilot:
        await ask_until_distilling(pilot, app, distilling)
        await pilot.press("escape")
        await until(pilot, lambda: "condensed nothing" in said(app))
        assert "· stopped" in said(app)


async def test_the_strip_shows_how_it_ended_and_leaves(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        ended: list[str] = []
        boat = 0
        while not ended:
            boat += 1
            await ask(pilot, app, question(boat))
            if strip(app).condensation is not None:
                ended.append(strip(app).text)
        assert "condensed" in ended[0]
        assert "dropped" in ended[0]
        await until(pilot, lambda: not strip(app).display)


async def test_it_settles_to_one_line_in_the_conversation(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        await ask_until_condensed(pilot, app)
        [item] = [item for item in talk_screen(app).transcript.items if isinstance(item, CondensationItem)]
        told = item.condensation
        line = f"◂ condensed {told.dropped} turns: {told.before:,} → {told.fill:,} · 2 facts, summary"
        assert line in said(app)


async def test_its_line_tells_the_whole_story_when_it_is_clicked_or_entered(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        await ask_until_condensed(pilot, app)
        view = talk_screen(app).query_one(CondensationView)
        await pilot.click(view)
        await until(pilot, lambda: isinstance(app.screen, CondensationScreen))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is talk_screen(app))
        view.focus()
        await storied(pilot, app, "enter")
        for part in ("The budget was reached", "turns dropped", "entity journal = ", SUMMARY, "names, paths", "Saved"):
            assert part in story(app).text
        await pilot.press("q")
        await until(pilot, lambda: app.screen is talk_screen(app))
        await pilot.press("escape")
        await until(pilot, lambda: prompt(app).has_focus)


async def test_shift_tab_reaches_its_line_and_that_of_the_new_facts_from_the_prompt(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        await ask_until_condensed(pilot, app)
        await pilot.press("shift+tab")
        await until(pilot, lambda: isinstance(app.focused, FactsLine))
        await pilot.press("shift+tab")
        await until(pilot, lambda: isinstance(app.focused, CondensationView))


async def test_the_panel_lists_them_all_with_the_fill_of_each_turn(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        turns = await ask_until_condensed(pilot, app)
        await pilot.press("ctrl+t", "c")
        panel = talk_screen(app).panel
        await until(pilot, lambda: panel.model.showing is Showing.CONDENSED and panel.model.count == 1)
        chart = panel.query_one(Picture).text
        *_, marks, scale = chart.splitlines()
        assert scale.split() == ["turn", "1", str(turns)]
        assert marks.index("◂") == (turns - 1) * 3
        await storied(pilot, app, "enter")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is talk_screen(app))
        assert panel.ledger.has_focus
        await pilot.press("escape")
        assert panel.model.showing is Showing.CONTEXT


async def test_the_story_goes_on_to_the_others(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        gathered = talk_screen(app).transcript.condensations
        boat = 0
        while len(gathered.all) < 2:
            boat += 1
            await ask(pilot, app, question(boat))
        await storied(pilot, app, "ctrl+t", "c", "enter")
        assert story(app).told is gathered.all[1]
        for key, told in (("right", 1), ("left", 0), ("left", 0), ("l", 1), ("h", 0)):
            await pilot.press(key)
            assert story(app).told is gathered.all[told], key
            assert f"turn {gathered.all[told].turn}" in story(app).text


async def test_the_contexts_before_and_after_open_from_the_story(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        await ask_until_condensed(pilot, app)
        await storied(pilot, app, "ctrl+t", "c", "enter")
        sizes: list[int] = []
        for key, name in (("b", "before"), ("a", "after")):
            await pilot.press(key)
            await until(pilot, lambda: isinstance(app.screen, PagerScreen))
            assert isinstance(app.screen, PagerScreen)
            assert app.screen.paged.title.startswith(f"context {name} the condensation")
            sizes.append(app.screen.paged.source.size)
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(app.screen, CondensationScreen))
        assert sizes[0] > sizes[1]


async def test_a_saved_context_that_is_gone_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = harbour(tmp_path)
    told: list[str] = []

    def tell(message: str, **how: object) -> None:
        del how
        told.append(message)

    monkeypatch.setattr(app, "notify", tell)
    async with app.run_test(size=SIZE) as pilot:
        await ask_until_condensed(pilot, app)
        await storied(pilot, app, "ctrl+t", "c", "enter")
        for path in app.session.home.context.iterdir():
            path.unlink()
        await pilot.press("b", "a")
        assert told == ["the saved context cannot be read: No such file or directory"] * 2
        assert isinstance(app.screen, CondensationScreen)
        audited = story(app).told.audited
        assert audited is not None
        story(app).told.audited = replace(audited, saved_before=None)
        await pilot.press("b")
        assert told[2:] == ["no context was saved: contexts are saved only while the audit is on"]


async def test_the_gauge_falls_when_the_context_is_condensed(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    shares: list[int] = []

    def share() -> int:
        return int(bar(app, "status").split("%")[0].split()[-1])

    async with app.run_test(size=SIZE) as pilot:
        gathered = talk_screen(app).transcript.condensations
        boat = 0
        while not gathered.all:
            boat += 1
            await ask(pilot, app, question(boat))
            shares.append(share())
    assert shares[-1] < shares[-2] > shares[0]


async def test_an_empty_list_says_what_condensing_is(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("ctrl+t", "c")
        panel = talk_screen(app).panel
        await until(pilot, lambda: panel.model.showing is Showing.CONDENSED)
        assert panel.model.empty().startswith("Nothing was condensed yet.")


async def test_it_condenses_while_the_panel_is_open_and_the_panel_follows(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        await ask(pilot, app, question(1))
        await pilot.press("ctrl+t", "escape")
        panel = talk_screen(app).panel
        await ask_until_condensed(pilot, app)

        def carried() -> set[int | None]:
            return {row.entry for row in panel.model.shown.view.rows} if panel.model.shown is not None else set()

        await until(pilot, lambda: 1 in carried() and 2 not in carried())


async def test_a_new_conversation_has_none(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        await ask_until_condensed(pilot, app)
        prompt(app).write("/new")
        await pilot.press("enter")
        gathered = talk_screen(app).transcript.condensations
        await until(pilot, lambda: not gathered.all and not gathered.fills)
