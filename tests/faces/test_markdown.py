"""Markdown as rows: cut the same however it arrives, and drawn without losing a word."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wisp_tui.app.markdown import Block, BlockKind, Splitter, block_rows
from wisp_tui.app.rows import Role, Row

SAMPLE = """\
# Title
Para **bold** and `code`
goes on

- one **b**
- two
  - nested
    more

  a paragraph in the item
- three
  ```sh
  - not an item
  ```
1. a
2. b

~~~python
def f(x):
\treturn "s" # c

# not a heading
~~~
> quote *a*
> b

| a | b |
|---|--:|
| 1 | 2 **long** |

---
end"""


def blocks(text: str, *edges: int) -> list[Block]:
    """Cut a text that arrives in pieces with these edges."""
    splitter = Splitter()
    places = [0, *sorted(edges), len(text)]
    ended = [block for start, end in pairwise(places) for block in splitter.feed(text[start:end])]
    return [*ended, *splitter.end()]


def drawn(text: str, width: int = 80) -> list[Row]:
    return [row for block in blocks(text) for row in block_rows(block, width)]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def test_a_text_is_cut_into_its_blocks() -> None:
    kinds = [block.kind for block in blocks(SAMPLE)]
    assert kinds == [
        BlockKind.TEXT,
        BlockKind.TEXT,
        *[BlockKind.ITEM] * 5,
        BlockKind.FENCE,
        BlockKind.TEXT,
        BlockKind.TABLE,
        BlockKind.TEXT,
        BlockKind.TEXT,
    ]


@settings(deadline=None)
@given(st.lists(st.integers(0, len(SAMPLE)), max_size=12))
def test_a_text_is_cut_the_same_however_it_arrives(edges: list[int]) -> None:
    assert blocks(SAMPLE, *edges) == blocks(SAMPLE)


_LINES = st.sampled_from(
    [
        "word",
        "- item",
        "  - inner",
        "1. one",
        "```",
        "    code",
        "",
        "# head",
        "> quote",
        "| a | b |",
        "|---|---|",
        "---",
        "`",
        "**b",
    ]
)


@settings(deadline=None)
@given(st.lists(_LINES, max_size=14), st.data())
def test_any_lines_are_cut_the_same_however_they_arrive_and_no_word_is_lost(
    lines: list[str], data: st.DataObject
) -> None:
    text = "\n".join(lines)
    edges = data.draw(st.lists(st.integers(0, len(text)), max_size=6))
    cut = blocks(text, *edges)
    assert cut == blocks(text)
    assert words(" ".join(block.text for block in cut)) == words(text)
    shown = " ".join(row.prefix + row.text for block in cut for row in block_rows(block, 40))
    assert set(words(text)) - {"1"} <= set(words(shown))


@settings(deadline=None)
@given(st.text(max_size=300), st.integers(1, 60))
def test_any_text_can_be_drawn_growing_and_whole(text: str, width: int) -> None:
    splitter = Splitter()
    for letter in text:
        ended = splitter.feed(letter)
        growing = splitter.growing
        for block in [*ended, *([growing] if growing else [])]:
            for row in block_rows(block, width, growing=True):
                assert "\n" not in row.text
                assert "\t" not in row.text
    for block in splitter.end():
        assert all("\n" not in row.text for row in block_rows(block, width))


def test_the_growing_block_shows_what_has_come() -> None:
    splitter = Splitter()
    assert splitter.feed("Some wo") == []
    assert splitter.growing == Block(BlockKind.TEXT, "Some wo")
    splitter.feed("rds\n\n- fir")
    assert splitter.growing == Block(BlockKind.ITEM, "- fir", gap=True)


def test_a_line_that_may_become_a_marker_is_not_shown_before_it_is_known() -> None:
    splitter = Splitter()
    splitter.feed("words\n``")
    assert splitter.growing == Block(BlockKind.TEXT, "words")


def test_a_list_of_any_length_is_cut_between_its_items() -> None:
    text = "".join(f"- item {number}\n" for number in range(700))
    splitter = Splitter()
    assert len(splitter.feed(text)) == 699


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("- one\n  - two\n    - three", ["• one", "  ◦ two", "    ▪ three"]),
        ("7. seven\n8. eight", ["7. seven", "8. eight"]),
        ("> said", ["▎ said"]),
        ("a\\\nb", ["a", "b"]),
        ("![a cat](cat.png)", ["[image: a cat]"]),
        ("<b>bold</b>", ["<b>bold</b>"]),
        ("- [ ] task", ["• [ ] task"]),
        ("https://a.example/", ["https://a.example/"]),
        ("<https://a.example/>", ["https://a.example/"]),
    ],
)
def test_blocks_are_drawn(text: str, shown: list[str]) -> None:
    assert [row.prefix + row.text for row in drawn(text)] == shown


def test_a_table_is_aligned_and_narrowed_to_the_width() -> None:
    rows = drawn("| name | size |\n|---|--:|\n| a.txt | 12 |\n| longer-name.txt | 3,612 |")
    assert [row.text for row in rows] == [
        "name              size",
        "───────────────  ─────",
        "a.txt               12",
        "longer-name.txt  3,612",
    ]
    narrow = drawn("| a | b |\n|---|---|\n| one two three four five | six seven eight nine ten |", 24)
    assert max(len(row.text) for row in narrow) <= 24
    assert {"one", "five", "ten"} <= set(words(" ".join(row.text for row in narrow)))


def test_code_is_a_band_with_its_tokens_named_and_its_tabs_kept_for_copying() -> None:
    rows = drawn("```python\ndef f():\n\treturn 1\n```")
    assert [row.role for row in rows] == [Role.BLOCK, Role.BLOCK]
    assert (rows[0].text[0:3], rows[0].spans[0].role) == ("def", Role.KEYWORD)
    assert rows[1].text == "    return 1"
    assert rows[1].copied == "\treturn 1"


def test_code_in_a_language_nobody_knows_is_plain() -> None:
    (row,) = drawn("```klingon\nqapla'\n```")
    assert row.spans == ()


def test_a_fence_that_still_grows_does_not_show_its_closing_line() -> None:
    splitter = Splitter()
    splitter.feed("```python\nx = 1\n``")
    assert splitter.growing is not None
    assert [row.text for row in block_rows(splitter.growing, 40, growing=True)] == ["x = 1"]
