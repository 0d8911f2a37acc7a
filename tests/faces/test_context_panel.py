"""The context panel: opened, stepped through, filtered, folded, left, live; beside the conversation or over it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from tests.fakes.condensing import ask, ask_of_boats, ask_until_condensed, harbour
from tests.fakes.model import Hang, ScriptedModel, calls, says
from tests.fakes.screen import StillApp, app_with, prompt, said, talk_screen, until, write
from wisp_tui.app.panel.context import EntryLine, Heading
from wisp_tui.app.panel.model import Showing
from wisp_tui.app.screens.pager import PagerScreen
from wisp_tui.app.widgets.bar import Bar
from wisp_tui.app.widgets.contextpanel import ContextPanel
from wisp_tui.app.widgets.pieces import Picture
from wisp_tui.context.record import EntryKind
from wisp_tui.facts import Summaries
from wisp_tui.models import Finished, Resolved, TextDelta, Usage

WIDE, NARROW = (120, 40), (80, 24)


def panel_of(app: StillApp) -> ContextPanel:
    return talk_screen(app).panel


def title(app: StillApp) -> str:
    return panel_of(app).query_one("#panel-title", Bar).text


def detail(app: StillApp) -> str:
    return panel_of(app).query_one("#panel-detail", Bar).text


def listed(app: StillApp) -> list[str]:
    panel = panel_of(app)
    return [panel.model.drawn(line, 60).text for line in range(panel.model.count)]


async def opened(pilot: Pilot[int], app: StillApp, turns: int = 2) -> ContextPanel:
    await ask_of_boats(pilot, app, turns)
    await pilot.press("ctrl+t")
    panel = panel_of(app)
    await until(pilot, lambda: panel.display and panel.ledger.has_focus)
    return panel


async def test_the_status_line_tokens_and_the_panel_say_the_same_of_the_same_request(tmp_path: Path) -> None:
    said_read = Usage(input=1_003, output=40)
    app = app_with(tmp_path, ScriptedModel([says("It copies folders. " * 9, usage=said_read)], window=8192))
    async with app.run_test(size=WIDE) as pilot:
        panel = await opened(pilot, app)
        screen = talk_screen(app)
        await until(pilot, lambda: screen.idle)
        prompt(app).write("/tokens")
        prompt(app).action_send()
        await until(pilot, lambda: "the next request carries" in said(app))
        panel.model.look_again()
        assert panel.model.shown is not None
        view = panel.model.shown.view
        layers = [(total.layer.value, total.tokens) for total in view.layers if total.tokens]
        assert screen.fill is not None
        assert (screen.fill.used, [one for one in screen.fill.layers if one[1]]) == (view.tokens, layers)
        assert f"carries about {view.tokens:,} of 8,192 tokens" in said(app)
        assert " · ".join(f"{layer} {tokens:,}" for layer, tokens in layers) in said(app)
        assert sum(tokens for _, tokens in layers) == sum(row.tokens for row in view.rows) == view.tokens
        assert f"{view.tokens:,} of 8,192" in title(app)
        await pilot.press("left")
        await until(pilot, lambda: "1,003 of 8,192" in title(app))  # what the runtime said it read
        await pilot.press("t")
        assert [panel.model.steps.row(turn).tokens for turn in panel.model.turns] == [1_003, 1_003]


async def test_a_panel_that_was_opened_before_the_model_was_known_takes_its_window_in(tmp_path: Path) -> None:
    known = asyncio.Event()

    class Late(ScriptedModel):
        async def resolve(self) -> Resolved:
            await known.wait()
            return await super().resolve()

    app = app_with(tmp_path, Late([says("Yes.")], window=8192))
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("ctrl+t")
        await until(pilot, lambda: "next request" in title(app))
        assert "of 8,192" not in title(app)
        known.set()
        await until(pilot, lambda: "of 8,192" in title(app))


async def test_what_was_dropped_and_is_in_no_summary_yet_has_rows_that_say_so(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await ask_until_condensed(pilot, app)
        held = app.thread.conversation
        assert held.facts is not None
        through = held.facts.summaries.through
        held.facts.summaries = Summaries()  # as where fewer turns left than a summary is written for
        await pilot.press("ctrl+t")
        panel = panel_of(app)
        await until(pilot, lambda: panel.display and panel.model.count)
        [heading] = [line for line in listed(app) if "waiting" in line]
        assert heading.startswith("▸ ⋯ waiting")
        place = next(place for place, line in enumerate(listed(app)) if line == heading)
        panel.ledger.move_to(place)
        await until(pilot, lambda: detail(app).startswith("dropped, and in no summary yet"))
        await pilot.press("space", "down")
        line = panel.model.at(panel.ledger.cursor)
        assert isinstance(line, EntryLine)
        assert line.row.entry is not None
        assert not held.record.state(line.row.entry).active
        assert line.row.entry <= through
        assert "waits for the next summary" in detail(app)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, PagerScreen))
        assert isinstance(app.screen, PagerScreen)
        assert app.screen.paged.source.size == line.row.bytes


async def go_to(pilot: Pilot[int], app: StillApp, kind: str) -> None:
    """Move the cursor down to the next entry of a kind."""
    panel = panel_of(app)
    for _ in range(panel.model.count):
        await pilot.press("down")
        line = panel.model.at(panel.ledger.cursor)
        if isinstance(line, EntryLine) and line.row.kind == kind:
            return
    raise AssertionError(f"no {kind} below the cursor")


@pytest.mark.parametrize("key", ["ctrl+t", "f2"])
async def test_its_key_opens_it_with_the_keyboard_and_again_closes_it(tmp_path: Path, key: str) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await ask_of_boats(pilot, app, 1)
        await pilot.press(key)
        await until(pilot, lambda: panel_of(app).ledger.has_focus)
        assert title(app).startswith("next request ")
        assert "of 2,048" in title(app)
        await pilot.press(key)
        await until(pilot, lambda: prompt(app).has_focus and not panel_of(app).display)


@pytest.mark.parametrize(
    ("line", "start", "showing"),
    [
        ("/inspect context next", "next request", Showing.CONTEXT),
        ("/inspect context 1", "turn 1 of 2", Showing.CONTEXT),
        ("/inspect context turns", "turns", Showing.TURNS),
    ],
)
async def test_inspect_context_opens_it_there(tmp_path: Path, line: str, start: str, showing: Showing) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await ask_of_boats(pilot, app, 2)
        prompt(app).write(line)
        await pilot.press("enter")
        await until(pilot, lambda: panel_of(app).display)
        await until(pilot, lambda: title(app).startswith(start))
        assert panel_of(app).model.showing is showing


async def test_inspect_context_of_no_turn_says_which_there_are(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await ask_of_boats(pilot, app, 1)
        prompt(app).write("/inspect context 9")
        await pilot.press("enter")
        await until(pilot, lambda: "its turns are 1 to 1" in said(app))
        assert not panel_of(app).display


async def test_it_stands_beside_the_conversation_where_there_is_room_and_over_it_where_there_is_not(
    tmp_path: Path,
) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        panel = await opened(pilot, app, 1)
        conversation = talk_screen(app).conversation
        await until(pilot, lambda: conversation.region.right <= panel.region.x)
        await pilot.resize_terminal(*NARROW)
        await until(pilot, lambda: panel.region.width == 80 and panel.region.x == 0)
        assert conversation.region.width == 80
        await pilot.resize_terminal(*WIDE)
        await until(pilot, lambda: conversation.region.right <= panel.region.x)
        assert panel.ledger.has_focus


async def test_left_and_right_step_through_the_turns_and_say_what_changed(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        panel = await opened(pilot, app, 3)
        remark = panel.query_one("#panel-remark", Bar)
        await pilot.press("left")
        await until(pilot, lambda: title(app).startswith("turn 3 of 3"))
        assert remark.text.startswith("since turn 2: new ")
        await pilot.press("left", "left")
        await until(pilot, lambda: title(app).startswith("turn 1 of 3"))
        assert remark.text == "nothing was sent before it"
        await pilot.press("left")
        assert title(app).startswith("turn 1 of 3")
        await pilot.press("right")
        await until(pilot, lambda: title(app).startswith("turn 2 of 3"))
        assert any(" + " in line for line in listed(app))
        await pilot.press("right", "right", "right")
        await until(pilot, lambda: title(app).startswith("next request"))


async def test_the_cursor_stays_on_an_entry_while_the_turns_go_by(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        panel = await opened(pilot, app, 3)
        await go_to(pilot, app, EntryKind.REPLY)
        before = detail(app).split(" · ")[0]
        await pilot.press("left")
        await until(pilot, lambda: title(app).startswith("turn 3"))
        assert detail(app).split(" · ")[0] == before
        assert isinstance(panel.model.at(panel.ledger.cursor), EntryLine)


async def test_a_step_to_a_condensed_turn_shows_what_was_dropped_and_unfolds_it(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        turn = await ask_until_condensed(pilot, app)
        await pilot.press("ctrl+t", "left")
        await until(pilot, lambda: title(app).startswith(f"turn {turn} "))
        panel = panel_of(app)
        assert "dropped 2-" in panel.query_one("#panel-remark", Bar).text
        place = panel.model.line_of("dropped")
        assert place is not None
        await pilot.press(*["down"] * place, "space")
        line = panel.model.at(place + 1)
        assert isinstance(line, EntryLine)
        assert line.gone
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, PagerScreen))


async def test_enter_opens_an_entry_whole_and_s_as_it_is_sent(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "notes.md").write_text("".join(f"line {number} of the notes, and some more\n" for number in range(60)))
    model = ScriptedModel([calls(("read_file", {"path": "notes.md"})), says("Read."), says("Sure.")])
    app = app_with(tmp_path, model)
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, app, "Read notes.md.")
        await ask(pilot, app, "And?")
        await pilot.press("ctrl+t")
        await until(pilot, lambda: panel_of(app).ledger.has_focus)
        await go_to(pilot, app, EntryKind.OUTPUT)
        for key, remark in (("enter", "all that the tool returned"), ("s", "as it is sent: a reference since turn 2")):
            await pilot.press(key)
            await until(pilot, lambda: isinstance(app.screen, PagerScreen))
            assert isinstance(app.screen, PagerScreen)
            assert app.screen.paged.remark == remark
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is talk_screen(app))
            assert panel_of(app).ledger.has_focus


async def test_space_and_enter_fold_a_layer(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        panel = await opened(pilot, app)
        before = panel.model.count
        await pilot.press("space")
        assert panel.model.count == before - 1
        first = panel.model.at(0)
        assert isinstance(first, Heading)
        assert first.folded
        await pilot.press("enter")
        assert panel.model.count == before
        await pilot.press("down", "space")
        assert panel.model.count == before - 1
        assert panel.ledger.cursor == 0
        assert panel.ledger.has_focus
        assert not prompt(app).text


async def test_the_cursor_moves_by_lines_pages_and_to_the_ends(tmp_path: Path) -> None:
    app = harbour(tmp_path, window=100_000)
    async with app.run_test(size=NARROW) as pilot:
        panel = await opened(pilot, app, 12)
        ledger, last = panel.ledger, panel.model.count - 1
        page = ledger.size.height - 1
        for keys, line in (
            (["down", "j"], 2),
            (["up", "k", "up"], 0),
            (["pagedown"], page),
            (["pagedown", "pageup"], page),
            (["end"], last),
            (["home"], 0),
            (["G"], last),
            (["g"], 0),
        ):
            await pilot.press(*keys)
            assert ledger.cursor == line, keys
            assert ledger.scroll_offset.y <= line < ledger.scroll_offset.y + ledger.size.height


async def test_the_filter_shows_what_contains_its_words_and_esc_shows_all(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        panel = await opened(pilot, app, 3)
        everything = listed(app)
        await pilot.press("/")
        await until(pilot, lambda: isinstance(app.focused, Input))
        await write(pilot, "boat 3")
        await until(pilot, lambda: len(listed(app)) == 2)
        assert "boat 3" in listed(app)[1]
        await pilot.press("down")
        assert detail(app).split(" ")[1] == "prompt"
        assert isinstance(app.focused, Input)
        await pilot.press("enter")
        await until(pilot, lambda: panel.ledger.has_focus)
        await pilot.press("escape")
        await until(pilot, lambda: listed(app) == everything)
        assert panel.ledger.has_focus
        assert not prompt(app).text


async def test_a_filter_that_nothing_contains_says_how_to_go_on(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        panel = await opened(pilot, app, 1)
        await pilot.press("/")
        await write(pilot, "zzz")
        await until(pilot, lambda: panel.model.count == 0)
        assert panel.model.empty() == "no entry contains zzz; esc shows all"


async def test_the_list_of_turns_goes_to_a_turn(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        panel = await opened(pilot, app, 3)
        await pilot.press("t")
        await until(pilot, lambda: panel.model.showing is Showing.TURNS)
        assert panel.ledger.cursor == 3, "it begins on what was shown"
        assert [line.split()[0] for line in listed(app)] == ["1", "2", "3", "next"]
        await pilot.press("up", "up", "enter")
        await until(pilot, lambda: title(app).startswith("turn 2 of 3"))
        await pilot.press("t", "end", "enter")
        await until(pilot, lambda: title(app).startswith("next request"))
        await pilot.press("t", "t")
        assert panel.model.showing is Showing.CONTEXT


async def test_b_shows_the_sizes_in_bytes(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        panel = await opened(pilot, app, 1)
        assert not any(" B " in line for line in listed(app))
        await pilot.press("b")
        assert all(" B " in line for line in listed(app))
        assert " B " in panel.model.drawn(0, 100).text
        await pilot.press("b")
        assert not any(" B " in line for line in listed(app))
        assert " B " in panel.model.drawn(0, 100).text, "they stand there anyway where there is room"


async def test_esc_goes_back_a_step_at_a_time_and_last_to_the_prompt(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        panel = await opened(pilot, app, 1)
        await pilot.press("t", "escape")
        assert panel.model.showing is Showing.CONTEXT
        assert panel.ledger.has_focus
        await pilot.press("escape")
        await until(pilot, lambda: prompt(app).has_focus)
        assert panel.display, "beside the conversation it stays"


async def test_esc_shows_the_conversation_again_where_the_panel_lay_over_it(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=NARROW) as pilot:
        panel = await opened(pilot, app, 1)
        await pilot.press("escape")
        await until(pilot, lambda: prompt(app).has_focus and not panel.display)


async def test_what_is_typed_goes_to_the_prompt_unless_it_is_a_key_of_the_panel(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app, 1)
        await write(pilot, "xyz")
        await until(pilot, lambda: prompt(app).text == "xyz")


async def test_the_keys_that_work_are_named_where_the_keyboard_is(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app, 1)
        activity = talk_screen(app).query_one("#activity", Bar)
        for keys, word in (([], "← → turn"), (["t"], "enter goes there"), (["t", "/"], "esc shows all")):
            await pilot.press(*keys)
            await until(pilot, lambda word=word: word in activity.text)
        await pilot.press("escape", "escape")
        await until(pilot, lambda: "enter sends" in activity.text)


async def test_it_follows_a_turn_as_it_runs(tmp_path: Path) -> None:
    reached = asyncio.Event()
    app = app_with(tmp_path, ScriptedModel([says("One."), [TextDelta("so"), Hang(reached), Finished("stop")]]))
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, app, "first")
        await pilot.press("ctrl+t")
        await until(pilot, lambda: panel_of(app).ledger.has_focus)
        assert not any("request" in line for line in listed(app)[1:])
        await pilot.press("escape")
        await ask(pilot, app, "second", reached.is_set)
        await until(pilot, lambda: any("second" in line for line in listed(app)))
        assert "a turn runs" in title(app)
        await pilot.press("escape")
        await until(pilot, lambda: "a turn runs" not in title(app))
        await until(pilot, lambda: any("so" in line and "reply" in line for line in listed(app)))


async def test_a_past_turn_stays_as_it_is_while_another_runs(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        panel = await opened(pilot, app, 2)
        await pilot.press("left", "left")
        await until(pilot, lambda: title(app).startswith("turn 1"))
        before = listed(app)
        await pilot.press("escape")
        await ask(pilot, app, "and another")
        assert listed(app) == before
        assert panel.model.shown is not None
        assert panel.model.shown.turn == 1


async def test_a_new_conversation_is_shown_at_once(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app, 2)
        await pilot.press("escape")
        prompt(app).write("/new")
        await pilot.press("enter")
        await until(pilot, lambda: not any("boat" in line for line in listed(app)))
        await pilot.press("ctrl+t", "ctrl+t", "t")
        await until(pilot, lambda: "No turn yet" in panel_of(app).model.empty())


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12), (20, 6), (12, 4), (5, 3)])
async def test_no_size_is_too_small(tmp_path: Path, size: tuple[int, int]) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=size) as pilot:
        panel = await opened(pilot, app, 2)
        for keys in (["down", "space", "b"], ["left", "left"], ["t"], ["t", "c"], ["c", "/", "x", "escape"]):
            await pilot.press(*keys)
            await pilot.pause()
        assert panel.display


async def test_the_gauge_stands_above_with_its_legend_and_gives_way_where_it_is_low(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        panel = await opened(pilot, app, 2)
        picture = panel.query_one(Picture)
        await until(pilot, lambda: "headroom" in picture.text and "target 1,229" in picture.text)
        await pilot.resize_terminal(120, 20)
        await until(pilot, lambda: len(picture.text.splitlines()) == 1)
        await pilot.resize_terminal(120, 9)
        await until(pilot, lambda: panel.has_class("-least") or panel.has_class("-low"))
        assert not panel.query_one("#panel-detail", Bar).display


async def test_a_click_moves_the_cursor_and_a_second_one_opens(tmp_path: Path) -> None:
    app = harbour(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        panel = await opened(pilot, app, 2)
        await pilot.click(panel.ledger, offset=(5, 1))
        await until(pilot, lambda: panel.ledger.cursor == 1)
        assert app.screen is talk_screen(app)
        await pilot.click(panel.ledger, offset=(5, 1), times=2)
        await until(pilot, lambda: isinstance(app.screen, PagerScreen))
