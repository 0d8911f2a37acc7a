from __future__ import annotations

import json
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.talks import START, Called, Talk, Turned
from wisp_tui.context.messages import definition
from wisp_tui.context.parts import Form, Layer
from wisp_tui.context.saved_contexts import context_json, context_markdown
from wisp_tui.context.sidecar import resume, write_links, write_transcript
from wisp_tui.context.view import (
    Change,
    changes_between,
    context_view,
    first_line,
    gauge,
    shared_out,
    spans,
    turn_row,
    turns_markdown,
    view_markdown,
)
from wisp_tui.models import ToolDefinition
from wisp_tui.text.ids import EntryId, EventId, TurnNumber

LONG = "\n".join(f"{number}\tline {number} of a file that is long enough" for number in range(1, 60))
READ = ToolDefinition("read_file", "Read a file.", {"type": "object"})


@pytest.fixture
def talk() -> Talk:
    """A conversation of three turns: a cut reply, a reference; its first turn is dropped before the last."""
    talk = Talk(tools=(READ,))
    talk.take(Turned("First."))
    talk.take(Turned("Second | of\nthem.", calls=((Called(output=LONG),),), copies=True))
    talk.record.drop([EntryId(2), EntryId(3)], by=EventId("00000000000000aa"), turn=TurnNumber(3))
    talk.take(Turned("Third."))
    return talk


def test_rows_are_the_parts_in_order_with_their_entries_and_first_lines(talk: Talk) -> None:
    view = context_view(talk.sent[-1][1])
    assert [(row.layer.value, row.entry, row.kind, row.state.value, row.line) for row in view.rows] == [
        ("instructions", 1, "instructions", "whole", "You are a helpful program. Be brief."),
        ("tools", None, "read_file", "block", definition(READ)),
        ("literal", 4, "prompt", "whole", "Second | of"),
        ("literal", 5, "call", "whole", '{"path": "docs/overview.md"}'),
        ("literal", 6, "output", "reference", view.rows[4].line),
        ("literal", 7, "reply", "cut", "It says so."),
        ("now", None, "task", "block", "Facts about now. A record, not instructions."),
        ("request", 8, "prompt", "whole", "Third."),
    ]  # fmt: skip
    assert view.rows[4].line.startswith("[output of entry 6 not repeated: read_file at 14:05:")
    assert view.rows[4].why == "a reference since turn 3"


def test_totals_are_of_their_layers_and_of_the_whole(talk: Talk) -> None:
    composition = talk.sent[-1][1]
    view = context_view(composition)
    assert [total.layer for total in view.layers] == [
        Layer.INSTRUCTIONS, Layer.TOOLS, Layer.LITERAL, Layer.NOW, Layer.REQUEST,
    ]  # fmt: skip
    assert {total.layer: total.tokens for total in view.layers}.items() <= composition.by_layer().items()
    assert sum(total.bytes for total in view.layers) == view.bytes == composition.bytes
    assert len(view.rows_of(Layer.LITERAL)) == next(t.parts for t in view.layers if t.layer is Layer.LITERAL) == 4


def test_a_known_size_is_shared_out_over_the_rows(talk: Talk) -> None:
    composition = talk.sent[-1][1]
    view = context_view(composition, tokens=composition.tokens * 2, exact=True)
    assert [row.tokens for row in view.rows] == [part.tokens * 2 for part in composition.parts]
    assert (view.tokens, view.exact) == (composition.tokens * 2, True)


@given(st.integers(0, 10_000), st.lists(st.integers(0, 500), min_size=1))
def test_what_is_shared_out_comes_to_the_total_and_keeps_the_proportions(total: int, sizes: list[int]) -> None:
    shares = shared_out(total, sizes)
    if sum(sizes):
        assert sum(shares) == total
        assert all(abs(share - size * total / sum(sizes)) < 1 for share, size in zip(shares, sizes, strict=True))
    else:
        assert not any(shares)


def test_rows_say_what_changed_since_another_context(talk: Talk) -> None:
    earlier, later = talk.sent[1][1], talk.sent[-1][1]
    changes = changes_between(earlier, later)
    assert changes.new == (5, 6, 7, 8)
    assert changes.dropped == (2, 3)
    assert changes.cut == (7,)
    assert changes.referenced == (6,)
    assert changes.words == "new 5-8; cut 7; referenced 6; dropped 2-3"
    view = context_view(later, before=earlier)
    assert [row.change for row in view.rows if row.entry == 8] == [Change.NEW]
    assert changes.of(EntryId(2)) is Change.DROPPED
    assert changes.of(None) is None
    assert not changes_between(later, later).words


def test_a_block_that_changed_is_said(talk: Talk) -> None:
    composition = talk.composer.compose(talk.record, talk.plan(EntryId(8)))
    talk.summary = "Summary of the earliest turn."
    assert (
        changes_between(composition, talk.composer.compose(talk.record, talk.plan(EntryId(8)))).words
        == "blocks changed"
    )


def test_the_gauge_is_the_window_from_the_instructions_to_what_is_free() -> None:
    shown = gauge(
        {"instructions": 1000, "literal": 3000, "request": 0}, headroom=500, window=8000, target=0.6, budget=0.85
    )
    assert [(segment.name, segment.tokens) for segment in shown.segments] == [
        ("instructions", 1000),
        ("literal", 3000),
        ("headroom", 500),
        ("free", 3500),
    ]
    assert math.isclose(sum(segment.share for segment in shown.segments), 1)
    assert (shown.target, shown.budget, shown.used, shown.over) == (0.6, 0.85, 4000, 0)


def test_the_headroom_is_only_as_large_as_what_is_left() -> None:
    shown = gauge({"literal": 7900}, headroom=500, window=8000, target=0.6, budget=0.85)
    assert [(segment.name, segment.tokens) for segment in shown.segments] == [("literal", 7900), ("headroom", 100)]


def test_a_gauge_over_the_window_says_by_how_much_and_moves_its_marks() -> None:
    shown = gauge({"literal": 16_000}, headroom=500, window=8000, target=0.6, budget=0.85)
    assert [segment.name for segment in shown.segments] == ["literal"]
    assert (shown.over, shown.target) == (8000, 0.3)
    assert math.isclose(shown.budget, 0.425)


def test_the_list_of_turns_says_what_changed_at_each(talk: Talk) -> None:
    rows = [
        turn_row(TurnNumber(1), time=START, prompt="First.", composition=talk.sent[0][1], before=None),
        turn_row(
            TurnNumber(3),
            time=None,
            prompt="Third |\n",
            composition=talk.sent[-1][1],
            before=talk.sent[1][1],
            summarised=2,
        ),
    ]
    assert rows[1].changed == ("condensed 2", "cut 1", "referenced 1", "summarised 2")
    tokens = [f"{row.tokens:,}" for row in rows]
    assert turns_markdown(rows).splitlines() == [
        "| turn | time | tokens | changed | prompt |",
        "|--:|---|--:|---|---|",
        f"| 1 | 14:05:12 | {tokens[0]} |  | First. |",
        f"| 3 |  | {tokens[1]} | condensed 2, cut 1, referenced 1, summarised 2 | Third \\| |",
    ]


def test_a_view_as_markdown_has_its_totals_its_changes_and_a_row_a_part(talk: Talk) -> None:
    view = context_view(talk.sent[-1][1], before=talk.sent[1][1])
    lines = view_markdown(view, "context · next request", 8192).splitlines()
    assert lines[0] == "# context · next request"
    assert lines[2] == f"{view.tokens:,} of 8,192 tokens, by estimate; {view.bytes:,} bytes"
    assert "Since the turn before: new 5-8; cut 7; referenced 6; dropped 2-3." in lines
    assert sum(line.startswith("| ") for line in lines) == len(view.rows) + 1
    assert any("| literal | 4 | prompt | whole |" in line and line.endswith("| Second \\| of |") for line in lines)


def test_the_whole_context_as_markdown_keeps_every_text_in_a_fence_it_cannot_break(talk: Talk) -> None:
    talk.take(Turned("Show ```` this:\n```\nx\n```"))
    composition = talk.sent[-1][1]
    text = context_markdown(composition, "context at turn 4", composition.tokens * 2)
    assert f"{composition.tokens * 2:,} tokens by estimate" in text
    sizes = [int(found.replace(",", "")) for found in re.findall(r"^### .*?, ([\d,]+) tokens", text, re.MULTILINE)]
    assert sum(sizes) == composition.tokens * 2
    assert f"SHA-256 {composition.sha256}" in text
    assert "`````\nShow ```` this:\n```\nx\n```\n`````" in text
    assert all(part.text in text for part in composition.parts)
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## instructions", "## tools", "## literal", "## now", "## request",
    ]  # fmt: skip


def test_the_whole_context_as_json_builds_the_same_request(talk: Talk) -> None:
    composition = talk.sent[-1][1]
    saved = json.loads(context_json(composition, {"session": "s1", "turn": 3}, 1000))
    assert (saved["version"], saved["session"], saved["sha256"]) == (1, "s1", composition.sha256)
    assert [(message["role"], message["content"]) for message in saved["messages"]] == [
        (message.role.value, message.content) for message in composition.messages
    ]
    assert [message["answers"] for message in saved["messages"] if "answers" in message] == [
        message.answers for message in composition.messages if message.answers
    ]
    assert saved["messages"][2]["toolCalls"][0]["arguments"] == '{"path": "docs/overview.md"}'
    assert saved["tools"] == [{"name": "read_file", "description": "Read a file.", "parameters": {"type": "object"}}]
    assert len(saved["parts"]) == len(composition.parts)
    assert saved["tokens"] == sum(part["tokens"] for part in saved["parts"]) == 1000


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", ""),
        ("\n \n  two  words\nmore", "two words"),
        ("\x1b[31mred\x1b[0m\x07", "red"),
        ("x" * 500, "x" * 119 + "…"),
    ],
)
def test_a_first_line_is_clean_and_short(text: str, line: str) -> None:
    assert first_line(text) == line


@pytest.mark.parametrize(
    ("entries", "words"), [([], ""), ([7], "7"), ([2, 3, 4, 9, 11, 12], "2-4, 9, 11-12"), ([3, 2], "2-3")]
)
def test_entry_ids_are_written_as_spans(entries: list[int], words: str) -> None:
    assert spans([EntryId(entry) for entry in entries]) == words


def test_a_carried_entry_is_marked_in_its_row(talk: Talk) -> None:
    saved = resume("x", write_transcript(talk.record), write_links(talk.record, sessions=[], sha256=None))
    view = context_view(talk.composer.compose(saved.record, talk.plan(None)))
    assert all(row.carried for row in view.rows if row.state is not Form.BLOCK)
    assert "| reference, carried |" in view_markdown(view, "x", None)
