"""The gauge as it is drawn: every cell accounted for, each layer seen, the marks where they belong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisp_tui.app.gauge import BUDGET, TARGET, fullness, gauge_bar, layer_glyph
from wisp_tui.app.panel.drawn import cells as width_of
from wisp_tui.app.panel.legend import gauge_lines
from wisp_tui.app.rows import Role
from wisp_tui.context.parts import Layer
from wisp_tui.context.view import Gauge, gauge

LAYERS = [layer.value for layer in Layer]
SIZES = st.dictionaries(st.sampled_from(LAYERS), st.integers(0, 20_000))


def made(layers: dict[str, int] | None = None, *, headroom: int = 400, window: int = 8000) -> Gauge:
    held = {"instructions": 1000, "tools": 500, "earlier": 300, "literal": 2000, "now": 30, "request": 20}
    return gauge(held if layers is None else layers, headroom=headroom, window=window, target=0.6, budget=0.85)


def drawn(shown: Gauge | None, cells: int) -> str:
    return "".join(piece.text for piece in gauge_bar(shown, cells))


@given(SIZES, st.integers(0, 5000), st.integers(1, 16_000), st.integers(1, 120))
def test_a_bar_fills_its_cells_exactly(layers: dict[str, int], headroom: int, window: int, cells: int) -> None:
    assert len(drawn(made(layers, headroom=headroom, window=window), cells)) == cells


@given(SIZES, st.integers(20, 120))
def test_each_layer_that_holds_anything_is_seen_unless_a_mark_stands_there(layers: dict[str, int], cells: int) -> None:
    bar = drawn(made(layers, headroom=0), cells)
    held = [name for name, size in layers.items() if size]
    hidden = [name for name in held if layer_glyph(name) not in bar]
    assert len(hidden) <= bar.count(TARGET) + bar.count(BUDGET)


def test_every_stretch_has_a_glyph_of_its_own_so_that_it_reads_without_colours() -> None:
    glyphs = [layer_glyph(name) for name in (*LAYERS, "headroom", "free")]
    assert len(set(glyphs) | {TARGET, BUDGET}) == len(glyphs) + 2


def test_the_marks_stand_at_their_shares_over_what_is_filled_too() -> None:
    bar = drawn(made(), 100)
    assert (bar.index(TARGET), bar.index(BUDGET)) == (60, 85)
    full = gauge_bar(made({"literal": 7500}), 100)
    assert "".join(piece.text for piece in full).index(BUDGET) == 85
    assert next(piece.role for piece in full if piece.text == BUDGET) is Role.ERROR


def test_the_headroom_stands_between_what_is_used_and_what_is_free() -> None:
    bar = drawn(made({"literal": 2000}, headroom=800), 40)
    assert bar[:10] == "▒" * 10
    assert bar[10:14] == "╌" * 4
    assert bar[14] == "·"


def test_a_window_nobody_knows_is_an_empty_bar() -> None:
    assert drawn(None, 10) == "·" * 10
    assert drawn(made(), 0) == ""


@pytest.mark.parametrize(
    ("used", "role"), [(80, Role.MUTED), (81, Role.WARNING), (85, Role.WARNING), (86, Role.ERROR), (140, Role.ERROR)]
)
def test_a_fill_is_amber_past_80_percent_and_red_past_the_budget(used: int, role: Role) -> None:
    assert fullness(used, 100, 0.85) is role


def test_the_legend_names_every_stretch_with_its_tokens_and_the_marks_with_theirs() -> None:
    lines = gauge_lines(made(), 80)
    text = "\n".join(line.text for line in lines)
    for name, tokens in (("instructions", "1,000"), ("literal", "2,000"), ("headroom", "400"), ("free", "3,750")):
        assert any(name in line.text and tokens in line.text for line in lines)
    marks = lines[1].text
    assert marks.index(TARGET) == lines[0].text.index(TARGET)
    assert marks.index(BUDGET) == lines[0].text.index(BUDGET)
    assert "target 4,800" in text
    assert "budget 6,800" in text


@given(SIZES, st.integers(1, 130))
def test_no_line_of_the_legend_is_wider_than_it_may_be(layers: dict[str, int], width: int) -> None:
    assert all(width_of(line.left) <= width for line in gauge_lines(made(layers), width))
