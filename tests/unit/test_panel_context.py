"""The context panel's lines: by layer and entry, folded, filtered, marked; and what it says in words."""

from __future__ import annotations

import pytest

from tests.fakes.talks import Called, Talk, Turned
from wisp_tui.app.panel.context import (
    DROPPED,
    EntryLine,
    Heading,
    Look,
    context_lines,
    detail,
    draw_context_line,
)
from wisp_tui.app.panel.drawn import Drawn, cells, laid_out, padded
from wisp_tui.app.rows import Piece
from wisp_tui.context.record import EntryKind
from wisp_tui.context.view import ContextView, context_view
from wisp_tui.models import ToolDefinition
from wisp_tui.text.ids import EntryId, TurnNumber

PLAIN = Look()


@pytest.fixture
def talk() -> Talk:
    """Two turns and the start of a third: an output that is a reference, a reply that is cut."""
    output = "\n".join(f"{number}\tline {number} of the file that is read, with words" for number in range(40))
    talk = Talk(window=None, tools=(ToolDefinition("read_file", "Reads a file.", {}),))
    talk.take(Turned("Read it.", calls=((Called(output=output),),), copies=True))
    talk.take(Turned("And now?", reply="Nothing more."))
    talk.take(Turned("Go on.", reply=None))
    return talk


def viewed(talk: Talk, request: int = -1, before: int | None = -2) -> ContextView:
    earlier = talk.sent[before][1] if before is not None else None
    return context_view(talk.sent[request][1], before=earlier)


def texts(view: ContextView, wanted: str = "", turned: frozenset[str] = frozenset(), look: Look = PLAIN) -> list[str]:
    return [draw_context_line(line, 120, look).text for line in context_lines(view, turned, wanted, look)]


def test_layers_stand_in_order_each_with_its_entries_below_it(talk: Talk) -> None:
    lines = context_lines(viewed(talk, before=None), frozenset(), "", PLAIN)
    headings = [line.name for line in lines if isinstance(line, Heading)]
    assert headings == ["instructions", "tools", "literal", "now", "request"]
    entries = [line.row.entry for line in lines if isinstance(line, EntryLine) and line.row.entry]
    assert entries == sorted(entries)
    assert len(entries) == 8


def test_a_heading_says_how_many_parts_and_tokens_it_has_folded_or_not(talk: Talk) -> None:
    view = viewed(talk, before=None)
    literal = next(total for total in view.layers if total.layer.value == "literal")
    for turned in (frozenset[str](), frozenset({"literal"})):
        [line] = [line for line in texts(view, turned=turned) if "literal" in line]
        assert f"{literal.parts}" in line
        assert f"{literal.tokens:,}" in line


def test_folding_hides_a_layers_entries_and_the_tools_are_folded_at_first(talk: Talk) -> None:
    view = viewed(talk, before=None)
    assert not any("read_file" in line and "▾" not in line and "▸" not in line for line in texts(view)[:4])
    assert any("Reads a file" in line for line in texts(view, turned=frozenset({"tools"})))
    folded = texts(view, turned=frozenset({"literal"}))
    assert not any("And now?" in line for line in folded)


def test_states_and_changes_are_marked(talk: Talk) -> None:
    lines = texts(viewed(talk))
    assert any("↩" in line and "[output of entry" in line for line in lines)
    assert any("✂" in line and "It says so" in line for line in lines)
    assert any(" + " in line and "Go on." in line for line in lines)


def test_what_was_dropped_since_is_listed_folded_and_can_be_unfolded(talk: Talk) -> None:
    before = talk.sent[-1][1]
    gone = [entry.id for entry in talk.record.active if entry.turn == TurnNumber(1)]
    talk.events += 1
    talk.record.drop(gone, by=talk.record.entry(EntryId(1)).sources[0], turn=TurnNumber(4))
    view = context_view(talk.composer.compose(talk.record, talk.plan(None)), before=before)
    [heading] = [line for line in context_lines(view, frozenset(), "", PLAIN) if getattr(line, "name", "") == DROPPED]
    assert isinstance(heading, Heading)
    assert (heading.parts, heading.folded) == (len(gone), True)
    unfolded = context_lines(view, frozenset({DROPPED}), "", PLAIN)
    assert [line.row.entry for line in unfolded if isinstance(line, EntryLine) and line.gone] == gone


def test_the_filter_keeps_entries_that_contain_all_its_words_and_opens_what_is_folded(talk: Talk) -> None:
    look = Look(tool=lambda entry: "read_file" if entry == 4 else None)
    view = viewed(talk, before=None)
    found = context_lines(view, frozenset({"literal"}), "OUTPUT read_FILE", look)
    assert [line.row.entry for line in found if isinstance(line, EntryLine)] == [4]
    assert [line.name for line in found if isinstance(line, Heading)] == ["literal"]
    assert context_lines(view, frozenset(), "nowhere to be found", look) == []


def test_sizes_in_bytes_stand_beside_the_tokens_when_they_are_asked_for(talk: Talk) -> None:
    view = viewed(talk, before=None)
    row = next(row for row in view.rows if row.kind == EntryKind.OUTPUT)
    [asked] = [line for line in texts(view, look=Look(sizes=True)) if "[output of entry" in line]
    [unasked] = [line for line in texts(view) if "[output of entry" in line]
    assert f"{row.bytes:,} B" in asked
    assert " B " not in unasked


def test_an_entry_names_its_tool(talk: Talk) -> None:
    look = Look(tool=lambda entry: "read_file" if entry in {3, 4} else None)
    lines = texts(viewed(talk, before=None), look=look)
    assert any("⚙ read_file" in line for line in lines)
    assert any("↳ read_file" in line for line in lines)


def test_the_detail_says_in_words_what_the_glyphs_say(talk: Talk) -> None:
    lines = context_lines(viewed(talk), frozenset(), "", PLAIN)
    said = [detail(line) for line in lines]
    assert any(words.startswith("4 output · a reference since turn 2 · ") for words in said)
    assert any("1 cut, shown as output" in words for words in said)
    assert any(words.startswith("8 prompt · whole · new · ") for words in said)
    assert any(words.startswith("literal, ") for words in said)


def test_text_that_is_not_ours_cannot_reorder_or_control_a_line(talk: Talk) -> None:
    talk.add(EntryKind.COMMAND, "\x1b[2Jls \u202egnp.exe\x07")
    view = context_view(talk.composer.compose(talk.record, talk.plan(None)))
    for line in texts(view):
        assert "\x1b" not in line
        assert "\u202e" not in line


@pytest.mark.parametrize("width", [1, 8, 20, 44, 60, 120])
def test_a_line_is_exactly_as_wide_as_there_is_room(talk: Talk, width: int) -> None:
    for line in context_lines(viewed(talk), frozenset(), "", Look(sizes=True)):
        assert cells(laid_out(draw_context_line(line, width, Look(sizes=True)), width)) == width


def test_wide_characters_are_cut_by_cells() -> None:
    drawn = Drawn((Piece("日本語の長い行です"),), (Piece("12"),))
    assert cells(laid_out(drawn, 12)) == 12
    assert "…" in "".join(piece.text for piece in laid_out(drawn, 12))
    assert cells([Piece(padded("日本語", 5))]) == 5
