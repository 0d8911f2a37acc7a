"""The pager on the screen: every key, hostile content, every size and theme, what is missing."""

from __future__ import annotations

import os
import stat
from contextlib import nullcontext
from pathlib import Path

import pytest
from textual import events
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import Selection

from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.pager import PagerApp, output, settled, shown_output, stored
from tests.fakes.screen import Tick, app_with, said, send, talk_screen, until
from wisp_tui.app.pager.flow import Place
from wisp_tui.app.pager.paged import Paged
from wisp_tui.app.pager.source import HELD, PAGE
from wisp_tui.app.screens.pager import PagerScreen

LINES = b"".join(b"line %06d of the output\n" % number for number in range(1, 20_001))
SIZE = (80, 24)


def _top(app: PagerApp) -> int:
    """The number of the first line on the screen."""
    return app.pager.view.position.first


async def _press(pilot: Pilot[int], app: PagerApp, *keys: str) -> None:
    await pilot.press(*keys)
    await settled(pilot, app)


# Moving -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "top"),
    [
        (["down"], 2),
        (["j", "j", "k"], 2),
        (["space"], 21),
        (["pagedown", "f", "b"], 21),
        (["pagedown", "pageup"], 1),
        (["d"], 11),
        (["ctrl+d", "d", "u"], 11),
        (["d", "d", "ctrl+u"], 11),
        (["up"], 1),
        (["G"], 19_980),
        (["end", "k"], 19_979),
        (["G", "g"], 1),
        (["end", "home"], 1),
        (["G", "space"], 19_980),
    ],
)
async def test_keys_move(tmp_path: Path, keys: list[str], top: int) -> None:
    app = PagerApp(output(tmp_path, LINES))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        assert app.pager.view.size.height == 21
        await _press(pilot, app, *keys)
        assert _top(app) == top
        assert app.shown[0].split() == [str(top), "line", f"{top:06d}", "of", "the", "output"]


async def test_scrolling_across_page_edges_shows_each_line_once_and_holds_four_pages(tmp_path: Path) -> None:
    app = PagerApp(output(tmp_path, LINES))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        seen: list[str] = []
        while (at := app.pager.view.place.line) < 3 * PAGE // 25:
            seen += app.shown[:-1]
            app.pager.action_move("page_down")
            assert app.pager.view.place.line == at + 20
            assert app.pager.paged.source.held <= HELD
        assert [int(row.split()[0]) for row in seen] == list(range(1, len(seen) + 1))
        assert all(row.split()[2] == f"{number:06d}" for number, row in enumerate(seen, 1))


async def test_the_end_is_shown_before_the_lines_are_counted(tmp_path: Path) -> None:
    app = PagerApp(output(tmp_path, LINES * 20))
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: app.screen is app.pager and app.pager.view.size.height == 21)
        view = app.pager.view
        before = view.index.counted
        view.move_to_end()
        assert app.shown[-1].split()[:3] == ["400000", "line", "020000"]
        assert view.index.counted == before
        await settled(pilot, app)
        assert app.shown[-1].split()[:3] == ["400000", "line", "020000"]
        assert "lines 399,980–400,000 of 400,000" in app.bar("status")


async def test_the_wheel_and_the_scroll_bar_move_too(tmp_path: Path) -> None:
    app = PagerApp(output(tmp_path, LINES))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        app.pager.view.scroll_to(y=5_000, animate=False)
        await until(pilot, lambda: _top(app) == 5_001)
        app.post_message(_wheel(app, events.MouseScrollDown))
        await until(pilot, lambda: _top(app) == 5_004)
        app.post_message(_wheel(app, events.MouseScrollUp))
        await until(pilot, lambda: _top(app) == 5_001)


def _wheel(app: PagerApp, way: type[events.MouseScrollDown | events.MouseScrollUp]) -> events.MouseEvent:
    return way(
        app.pager.view,
        x=10,
        y=5,
        delta_x=0,
        delta_y=0,
        button=0,
        shift=False,
        meta=False,
        ctrl=False,
        screen_x=10,
        screen_y=5,
    )


async def test_a_resize_keeps_the_line_at_the_top_wrapped_or_not(tmp_path: Path) -> None:
    app = PagerApp(output(tmp_path, LINES))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        await _press(pilot, app, "colon", *"777", "enter")
        top = _top(app)
        for size in ((40, 12), (20, 6), (120, 40), (80, 24)):
            await pilot.resize_terminal(*size)
            await settled(pilot, app)
            assert _top(app) == top
        await _press(pilot, app, "w")
        await pilot.resize_terminal(30, 12)
        await settled(pilot, app)
        assert _top(app) == top


# Lines ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keys", [["colon", *"1204", "enter"], [*"1204", "enter"], [*"1204", "g"], [*"1204", "G"]])
async def test_a_line_is_gone_to_and_pointed_at(tmp_path: Path, keys: list[str]) -> None:
    app = PagerApp(output(tmp_path, LINES))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        await _press(pilot, app, *keys)
        position = app.pager.view.position
        assert position.first < 1204 < position.last
        assert app.pager.view.here is not None
        assert app.pager.view.here.line == 1203
        assert app.focused is app.pager.view


async def test_a_share_and_a_line_past_the_end_are_gone_to(tmp_path: Path) -> None:
    app = PagerApp(output(tmp_path, LINES))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        await _press(pilot, app, "colon", *"50", "percent_sign", "enter")
        assert app.pager.view.position.first < 10_001 <= app.pager.view.position.last
        await _press(pilot, app, "colon", *"99999999", "enter")
        assert app.pager.view.position.last == 20_000


async def test_what_names_no_line_is_said_and_can_be_changed(tmp_path: Path) -> None:
    app = PagerApp(output(tmp_path, LINES))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        await _press(pilot, app, "colon", *"xy", "enter")
        assert app.focused is app.pager.ask.input
        assert any("number" in told for told in app.told)
        await _press(pilot, app, "escape")
        assert app.focused is app.pager.view
        assert _top(app) == 1


async def test_numbers_and_lines_of_both_streams_are_those_of_the_file(tmp_path: Path) -> None:
    app = PagerApp(output(tmp_path, LINES, b"oops\nworse\n"))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        assert app.bar("section").startswith("stdout  20,000 lines")
        await _press(pilot, app, "right_square_bracket")
        shown = "\n".join(app.shown)
        assert "20001  stderr:  2 lines, 11 bytes" in shown
        assert "20003  worse" in shown
        await _press(pilot, app, "left_square_bracket")
        assert _top(app) == 1


async def test_an_output_of_one_stream_has_no_sections_to_go_to(tmp_path: Path) -> None:
    app = PagerApp(output(tmp_path, LINES))
    async with app.run_test(size=SIZE) as pilot:
        await _press(pilot, app, "right_square_bracket")
        assert _top(app) == 1
        assert not app.pager.query_one("#pager-section").display


# Searching --------------------------------------------------------------------------------------------------------


async def test_a_search_goes_along_as_it_is_typed_and_esc_goes_back(tmp_path: Path) -> None:
    app = PagerApp(output(tmp_path, LINES))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        await _press(pilot, app, "space", "slash", *"015000")
        assert "1 of 1 “015000”" in app.bar("status")
        assert any("015000" in row for row in app.shown)
        await _press(pilot, app, "backspace", "backspace", "backspace")
        assert f"of {LINES.count(b'015'):,} “015”" in app.bar("status")
        await _press(pilot, app, "escape")
        assert _top(app) == 21
        assert "“" not in app.bar("status")
        assert app.focused is app.pager.view


async def test_n_and_capital_n_go_to_the_next_match_and_the_one_before_around_the_ends(tmp_path: Path) -> None:
    app = PagerApp(output(tmp_path, LINES))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        await _press(pilot, app, "slash", *"9999", "enter")
        assert "1 of 2 “9999”" in app.bar("status")
        await _press(pilot, app, "n")
        assert "2 of 2" in app.bar("status")
        await _press(pilot, app, "n")
        assert "1 of 2 “9999” · from the other end" in app.bar("status")
        await _press(pilot, app, "N")
        assert "2 of 2 “9999” · from the other end" in app.bar("status")
        assert any("019999" in row for row in app.shown)
        await _press(pilot, app, "n", "n", "n")
        assert "1 of 2" in app.bar("status")


async def test_searching_backward_begins_above_the_screen_and_n_goes_on_backward(tmp_path: Path) -> None:
    app = PagerApp(output(tmp_path, LINES))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        await _press(pilot, app, *"10000", "enter", "question_mark", *"00 of", "enter")
        assert "99 of 200" in app.bar("status")
        await _press(pilot, app, "n")
        assert "98 of 200" in app.bar("status")
        await _press(pilot, app, "N")
        assert "99 of 200" in app.bar("status")


async def test_enter_alone_looks_for_the_same_again_and_n_does_after_the_search_has_ended(tmp_path: Path) -> None:
    app = PagerApp(output(tmp_path, LINES))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        await _press(pilot, app, "n")
        assert any("looks for something first" in told for told in app.told)
        await _press(pilot, app, "slash", *"000500", "enter", "escape")
        assert "“" not in app.bar("status")
        await _press(pilot, app, "g", "slash", "enter")
        assert "1 of 1 “000500”" in app.bar("status")
        await _press(pilot, app, "escape", "g", "n")
        assert "1 of 1 “000500”" in app.bar("status")


async def test_what_is_not_there_is_said_and_the_screen_stays(tmp_path: Path) -> None:
    app = PagerApp(output(tmp_path, LINES))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        await _press(pilot, app, "space", "slash", *"Output", "enter")
        assert "no “Output”" in app.bar("status")
        assert _top(app) == 21


async def test_matches_are_marked_and_the_one_that_was_gone_to_differently(tmp_path: Path) -> None:
    app = PagerApp(output(tmp_path, LINES))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        await _press(pilot, app, "slash", *"line", "enter")
        view = app.pager.view
        match, here = (view.get_component_rich_style(f"page--match{end}").bgcolor for end in ("", "-here"))
        grounds = [
            [segment.style.bgcolor for segment in view.render_line(y) if segment.text == "line" and segment.style]
            for y in range(3)
        ]
        assert grounds == [[here], [match], [match]]
        assert match != here


async def test_a_match_far_along_a_long_line_is_brought_onto_the_screen(tmp_path: Path) -> None:
    data = b"short\n" + b"," * 60_000 + b"needle" + b"," * 9_000 + b"\nend\n"
    app = PagerApp(output(tmp_path, data))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        for keys in (["slash", *"needle", "enter"], ["w"], ["n"]):
            await _press(pilot, app, *keys)
            assert any("needle" in row for row in app.shown)


async def test_escapes_in_a_needle_that_is_pasted_do_no_harm(tmp_path: Path) -> None:
    app = PagerApp(output(tmp_path, LINES))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        await pilot.press("slash")
        app.post_message(events.Paste("\x1b[2Jline\x07 [/x]\nmore"))
        await until(pilot, lambda: app.pager.ask.input.value)
        assert app.pager.ask.input.value == "line [/x]"


# Width ------------------------------------------------------------------------------------------------------------


async def test_a_line_wider_than_the_screen_has_a_sign_and_right_shows_its_rest(tmp_path: Path) -> None:
    app = PagerApp(output(tmp_path, b"0123456789" * 20 + b"\nshort\n"))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        assert app.shown[0].endswith("›")
        assert not app.shown[1].endswith("›")
        await _press(pilot, app, "right")
        assert "‹" in app.shown[0]
        assert app.shown[0].endswith("›")
        assert "column" in app.bar("status")
        for _ in range(9):
            await _press(pilot, app, "l")
        assert app.shown[0].endswith("9")
        await _press(pilot, app, "h")
        assert app.shown[0].endswith("›")
        await _press(pilot, app, "0")
        assert app.shown[0].startswith("1  0123456789")


async def test_wrapping_shows_a_line_whole_and_back(tmp_path: Path) -> None:
    app = PagerApp(output(tmp_path, b"0123456789" * 20 + b"\nshort\n"))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        await _press(pilot, app, "w")
        rows = app.shown
        assert "".join(row[3:] for row in rows[:3]) == "0123456789" * 20
        assert rows[1].startswith("   ")
        assert rows[3] == "2  short"
        assert "wrap on" in app.bar("status")
        await _press(pilot, app, "w")
        assert app.shown[1] == "2  short"


async def test_a_line_of_70_000_characters_is_drawn_in_parts_with_how_to_see_more(tmp_path: Path) -> None:
    app = PagerApp(output(tmp_path, b"a" * 35_000 + b"b" * 35_000 + b"\nafter\n"))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        assert app.shown[0].endswith("a›") or app.shown[0].endswith("a ›")
        await _press(pilot, app, "w", "G")
        assert any("61,808 more bytes of this line · →" in row for row in app.shown)
        for _ in range(8):
            await _press(pilot, app, "right")
        await _press(pilot, app, "G")
        assert any(row.endswith("bbb") for row in app.shown)
        await _press(pilot, app, "g")
        assert "… 65,536 bytes of this line before · ←" in app.shown[0]
        await _press(pilot, app, "left")
        assert "part 8 of 9" in app.bar("status")


async def test_wide_and_zero_width_characters_fill_rows_exactly(tmp_path: Path) -> None:
    data = "宽字符" * 60 + "\n" + "e\u0301" * 100 + "\n" + "👩‍🚀" * 60 + "\nｱ\tb\n"
    app = PagerApp(output(tmp_path, data.encode()))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        for keys in ([], ["right"], ["w"], ["0"]):
            await _press(pilot, app, *keys)
            view = app.pager.view
            widths = {view.render_line(y).cell_length for y in range(view.size.height)}
            assert widths == {view.scrollable_content_region.width}


# Content ----------------------------------------------------------------------------------------------------------

HOSTILE = (
    b"A\x1b]52;c;SGk=\x1b\\B\x1b[2J\x1b[6n\xc2\x9b31m\n"
    b"[/etc/hosts] [red]x[/red] [@click=app.quit]x[/]\n"
    b"\x1b[31mred\x1b[0m \x1b[?1049h\x00\x07\x08\x7f\n"
    b"1%\r2%\r3%\r\n"
    b"caf\xe9 \xff\xfe \xf0\x9f\n"
    b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n"
    b"\xe2\x80\xa8line\xe2\x80\xa9separators\x0b\x0c\x1c\n"
)


@pytest.mark.parametrize("theme", ["wisp-dark", "wisp-light", "wisp-ansi"])
async def test_no_byte_of_an_output_reaches_the_terminal_as_a_control_sequence_or_as_markup(
    tmp_path: Path, theme: str
) -> None:
    app = PagerApp(output(tmp_path, HOSTILE, HOSTILE, title="run \x1b[2J[/x] \x1b]0;t\x07 y"), theme=theme)
    async with app.run_test(size=(120, 30)) as pilot:
        await settled(pilot, app)
        for keys in ([], ["w"], ["slash", *"red", "enter"], ["Y"]):
            await _press(pilot, app, *keys)
            drawn = "\n".join(app.shown) + app.bar("title") + app.bar("status") + "".join(app.copies)
            assert not any(ord(character) < 32 and character not in "\n\t" for character in drawn)
            assert not any(0x7F <= ord(character) < 0xA0 for character in drawn)
        assert "[/etc/hosts] [red]x[/red] [@click=app.quit]x[/]" in "\n".join(app.shown)
        assert "run [/x] y" in app.bar("title")
        assert any(row.endswith(" 3%") for row in app.shown)


async def test_colours_are_styles_and_with_no_color_there_are_none(tmp_path: Path) -> None:
    data = b"\x1b[1;31mbad\x1b[0m \x1b[38;2;1;200;3mgood\x1b[0m \x1b[44mground\x1b[0m\n"
    for environment in ({}, {"NO_COLOR": ""}):
        app = PagerApp(output(tmp_path / str(len(environment)), data), environment=environment)
        async with app.run_test(size=SIZE) as pilot:
            await settled(pilot, app)
            view = app.pager.view
            styles = {segment.text: segment.style for segment in view.render_line(0) if segment.style}
            base = view.rich_style
            assert styles["bad"].bold
            if environment:
                assert {styles[word].color for word in ("bad", "good", "ground")} == {base.color}
                assert styles["ground"].reverse
            else:
                assert len({styles[word].color for word in ("bad", "good")} | {base.color}) == 3
                assert styles["ground"].bgcolor != base.bgcolor


async def test_a_colour_that_would_hide_text_is_not_used(tmp_path: Path) -> None:
    app = PagerApp(output(tmp_path, b"\x1b[38;2;18;21;28mhidden\x1b[0m\x1b[8mconcealed\x1b[0m\x1b[37;47msame\n"))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        base = app.pager.view.rich_style
        for segment in app.pager.view.render_line(0):
            style = segment.style
            assert style is not None
            if segment.text in {"hidden", "concealed"}:
                assert style.color == base.color
                assert not style.conceal
            if segment.text == "same":
                assert style.color != style.bgcolor


@pytest.mark.parametrize("size", [(80, 24), (40, 12), (20, 6), (1, 1)])
async def test_it_works_at_every_size(tmp_path: Path, size: tuple[int, int]) -> None:
    data = HOSTILE + b"x" * 9_000 + b"\n" + "宽".encode() * 50 + b"\n" + LINES
    app = PagerApp(output(tmp_path, data, HOSTILE, limit=300_000))
    async with app.run_test(size=size) as pilot:
        await settled(pilot, app)
        for keys in (["space", "G"], ["w", "b", "right"], ["slash", "x", "enter", "n"], ["right_square_bracket"]):
            await _press(pilot, app, *keys)
        assert app.is_running


async def test_an_empty_output_says_so_and_takes_every_key(tmp_path: Path) -> None:
    app = PagerApp(Paged.of_output(shown_output(None, "")))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        assert "the tool returned nothing" in "\n".join(app.shown)
        for key in ("space", "G", "w", "right", "slash", "x", "enter", "n", "y", "Y", "5", "enter", "escape"):
            await _press(pilot, app, key)
        assert "no lines" in app.bar("status")
        assert app.copies == []


# What is missing --------------------------------------------------------------------------------------------------


def _notice(app: PagerApp) -> str:
    notice = app.pager.query_one("#pager-notice")
    return str(notice.render()) if notice.display else ""


async def test_a_cut_output_says_so_above_and_after_its_last_line(tmp_path: Path) -> None:
    app = PagerApp(output(tmp_path, LINES, limit=100_000))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        kept = 100_000 // 26
        assert f"cut at 97.7 KiB: {20_000 - kept:,} more lines, 410 KiB were not kept" in _notice(app)
        await _press(pilot, app, "G")
        assert f"✂ cut here: {20_000 - kept:,} more lines" in app.shown[-1]
        assert app.shown[-2].split()[0] == str(kept)
        assert f"–{kept:,} of {kept:,}" in app.bar("status")


async def test_where_the_store_has_nothing_it_says_so_and_shows_what_the_tool_returned(tmp_path: Path) -> None:
    remark = "what the tool returned: there is no stored output 1a2b3c4d"
    app = PagerApp(Paged.of_output(shown_output(None, "head\n… 90 lines\ntail\n", remark, lost=True)))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        assert remark in _notice(app)
        assert [row.split("  ")[-1] for row in app.shown[:3]] == ["head", "… 90 lines", "tail"]


async def test_a_stored_file_that_cannot_be_opened_shows_what_the_tool_returned(tmp_path: Path) -> None:
    kept = stored(tmp_path, LINES)
    kept.path.unlink()
    app = PagerApp(Paged.of_output(shown_output(kept, "what it returned")))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        assert "cannot be read: No such file" in _notice(app)
        assert app.shown[0].endswith("what it returned")


async def test_a_file_that_is_cut_short_while_it_is_open_is_said_and_nothing_breaks(tmp_path: Path) -> None:
    paged = output(tmp_path, LINES)
    app = PagerApp(paged)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        assert paged.source.path is not None
        os.truncate(paged.source.path, 1_000)
        await _press(pilot, app, *"10000", "enter")
        assert "become shorter" in app.bar("status")
        await _press(pilot, app, "slash", *"line", "enter", "n", "w", "g")
        assert app.is_running


async def test_any_text_can_be_shown(tmp_path: Path) -> None:
    del tmp_path
    app = PagerApp(Paged.of_text("entry 15 · reply", "one\n\ttwo\n", remark="cut in the context"))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        assert app.shown[:2] == ["1  one", "2          two"]
        assert app.bar("title") == "entry 15 · reply cut in the context"
        await pilot.press("q")
        await until(pilot, lambda: not app.is_running)


# Copying ----------------------------------------------------------------------------------------------------------


async def test_y_copies_the_line_that_was_gone_to_or_has_the_match_else_the_first(tmp_path: Path) -> None:
    app = PagerApp(output(tmp_path, b"\x1b[31mfirst\x1b[0m\n" + LINES))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        await _press(pilot, app, "y")
        await _press(pilot, app, *"13", "enter", "y")
        await _press(pilot, app, "slash", *"000500", "enter", "y")
        assert app.copies == ["first", "line 000012 of the output", "line 000500 of the output"]


async def test_capital_y_copies_the_lines_on_the_screen(tmp_path: Path) -> None:
    app = PagerApp(output(tmp_path, LINES))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        await _press(pilot, app, "Y")
        assert app.copies == [LINES.decode().splitlines(keepends=True) and "\n".join(LINES.decode().split("\n")[:21])]


async def test_text_is_marked_with_the_pointer_and_ctrl_c_copies_it_without_numbers(tmp_path: Path) -> None:
    app = PagerApp(output(tmp_path, b"a\tb\n\x1b[32mgreen\x1b[0m apples\nthird line\n"))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        await pilot.mouse_down("#page", offset=(5 + 8, 0))
        await pilot.hover("#page", offset=(5 + 4, 2))
        await pilot.mouse_up("#page", offset=(5 + 4, 2))
        await pilot.press("ctrl+c")
        assert app.copies == ["b\ngreen apples\nthird"]
        await pilot.press("y")
        assert app.copies[-1] == "b\ngreen apples\nthird"


async def test_two_clicks_mark_a_word_and_three_the_line(tmp_path: Path) -> None:
    app = PagerApp(output(tmp_path, b"see src/app-2/main.py: line 3\n"))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        await pilot.click("#page", offset=(5 + 9, 0), times=2)
        await pilot.press("y")
        await pilot.click("#page", offset=(5 + 9, 0), times=3)
        await pilot.press("y")
        assert app.copies == ["src/app-2/main.py:", "see src/app-2/main.py: line 3"]


async def test_marking_beyond_the_view_marks_what_is_on_the_screen_and_no_more(tmp_path: Path) -> None:
    app = PagerApp(output(tmp_path, LINES))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        await pilot.mouse_down("#page", offset=(9, 18))
        await pilot.hover("#pager-keys", offset=(20, 0))
        await pilot.mouse_up("#pager-keys", offset=(20, 0))
        await pilot.press("y")
        assert 2 <= app.copies[0].count("\n") + 1 <= 8


async def test_no_more_than_a_mebibyte_is_copied_and_that_is_said(tmp_path: Path) -> None:
    app = PagerApp(output(tmp_path, LINES * 5))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        app.pager.selections = {app.pager.view: Selection(Offset(0, 0), Offset(5, 99_999))}
        await until(pilot, lambda: app.pager.view.marked is not None)
        await pilot.press("ctrl+c")
        assert 1_000_000 < len(app.copies[0]) < 1_100_000
        assert any("s saves all of it" in told for told in app.told)


# Saving and opening -----------------------------------------------------------------------------------------------


async def test_s_asks_for_a_path_and_saves_the_bytes_for_the_owner_alone(tmp_path: Path) -> None:
    app = PagerApp(output(tmp_path, HOSTILE), directory=tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        await pilot.press("s")
        await until(pilot, lambda: app.focused is app.pager.ask.input)
        assert app.pager.ask.input.value == "run_command-1a2b3c4d.txt"
        await pilot.press("enter")
        saved = tmp_path / "run_command-1a2b3c4d.txt"
        await until(pilot, lambda: app.focused is app.pager.view and saved.exists())
        assert saved.read_bytes() == HOSTILE
        assert stat.S_IMODE(saved.stat().st_mode) == 0o600
        assert any("saved" in told for told in app.told)


@pytest.mark.parametrize(("answer", "kept"), [("y", False), ("n", True), ("escape", True)])
async def test_a_file_that_is_there_is_replaced_only_when_that_is_answered(
    tmp_path: Path, answer: str, kept: bool
) -> None:
    target = tmp_path / "there.txt"
    target.write_bytes(b"precious")
    app = PagerApp(output(tmp_path, LINES), directory=tmp_path)
    async with app.run_test(size=(100, 24)) as pilot:
        await settled(pilot, app)
        await pilot.press("s", "ctrl+u", *"there.txt", "enter")
        await until(pilot, lambda: "there is a file there.txt" in str(app.pager.query_one("#ask-label").render()))
        await pilot.press("x", answer)
        await until(pilot, lambda: app.focused is app.pager.view)
        assert target.read_bytes() == (b"precious" if kept else LINES)


async def test_what_cannot_be_saved_says_why_and_the_path_can_be_changed(tmp_path: Path) -> None:
    app = PagerApp(output(tmp_path, LINES), directory=tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        await pilot.press("s", "ctrl+u", *"no/where", "enter")
        await until(pilot, lambda: any("not saved" in told for told in app.told))
        assert app.focused is app.pager.ask.input
        await pilot.press("escape")
        await until(pilot, lambda: app.focused is app.pager.view)


async def test_o_hands_the_stored_file_to_the_persons_pager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "pager"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/args\n')
    program.chmod(0o755)
    paged = output(tmp_path, LINES)
    app = PagerApp(paged, environment={"PATH": "/usr/bin:/bin", "PAGER": f"{program} -R '$HOME; x'"})
    monkeypatch.setattr(app, "suspend", nullcontext)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        await pilot.press("o")
        await until(pilot, lambda: (tmp_path / "args").exists() and (tmp_path / "args").read_text().endswith("\n"))
        assert (tmp_path / "args").read_text() == f"-R\n$HOME; x\n{paged.source.path}\n"
        await _press(pilot, app, "space")
        assert _top(app) == 21


@pytest.mark.parametrize("pager", ["no-such-pager", "cat"])
async def test_where_it_cannot_be_opened_that_is_said(tmp_path: Path, pager: str) -> None:
    app = PagerApp(output(tmp_path, LINES), environment={"PATH": "/usr/bin:/bin", "PAGER": pager})
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, app)
        await pilot.press("o")
        await until(pilot, lambda: app.told)
        assert app.is_running


# In the app -------------------------------------------------------------------------------------------------------


async def test_ctrl_o_shows_the_whole_of_what_the_model_saw_in_part_and_closes_it_again(tmp_path: Path) -> None:
    clock = Tick()
    made = calls(("run_command", {"command": "seq 1 20000"}))
    app = app_with(tmp_path, ScriptedModel([made, says("read")]), clock=clock)
    async with app.run_test(size=(100, 30)) as pilot:
        await send(pilot, "count")
        await until(pilot, lambda: talk_screen(app).approval is not None or "ran: run_command" in said(app))
        clock.move(0.6)
        await pilot.press("y")
        await until(pilot, lambda: "ran: run_command" in said(app))
        for key in ("ctrl+o", "f3"):
            await pilot.press(key)
            await until(pilot, lambda: isinstance(app.screen, PagerScreen) and app.screen.view.size.height > 1)
            screen = app.screen
            assert isinstance(screen, PagerScreen)
            assert screen.paged.title == "run_command seq 1 20000"
            assert screen.view.position.lines == 20_000
            screen.view.move_to_end()
            assert screen.view.place == Place(20_000 - screen.view.size.height)
            await pilot.press(key)
            await until(pilot, lambda: not isinstance(app.screen, PagerScreen))


async def test_show_opens_any_entry_and_last_the_last_output(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "a.txt").write_text("one\ntwo\n")
    app = app_with(tmp_path, ScriptedModel([calls(("read_file", {"path": "a.txt"})), says("It has **two** lines.")]))
    async with app.run_test() as pilot:
        await send(pilot, "how many [b]lines[/b]?")
        await until(pilot, lambda: "ran: read_file" in said(app))
        titles = {
            "/show 2": ("2 prompt", b"how many [b]lines[/b]?"),
            "/show 3": ("read_file 3 call", b"a.txt"),
            "/show 5": ("5 reply", b"It has **two** lines."),
            "/show": ("read_file 4 output", b"two"),
            "/last": ("read_file 4 output", b"two"),
        }
        for line, (title, content) in titles.items():
            talk_screen(app).prompt.write(line)
            talk_screen(app).prompt.action_send()
            await until(pilot, lambda: isinstance(app.screen, PagerScreen))
            assert isinstance(app.screen, PagerScreen)
            assert app.screen.paged.title == title
            assert content in app.screen.paged.source.read(0, 1 << 16), line
            await pilot.press("q")
            await until(pilot, lambda: app.screen is talk_screen(app))
        assert "/show" not in said(app)  # what the pager has shown leaves no line behind
        talk_screen(app).prompt.write("/show 9")
        talk_screen(app).prompt.action_send()
        await until(pilot, lambda: "there is no entry and no output '9'" in said(app))
