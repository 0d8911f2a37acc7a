"""A block of Markdown as rows: markdown-it reads it, this draws what it read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from wisp_tui.app.markdown.blocks import Block, BlockKind
from wisp_tui.app.markdown.code import code_rows
from wisp_tui.app.markdown.inline import Inline, inline_text
from wisp_tui.app.markdown.tables import table_rows
from wisp_tui.app.rows import BLANK, Role, Row, Span, Wrap
from wisp_tui.text.clean import clean

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

BULLETS = ("•", "◦", "▪")
LARGEST = 24 * 1024
"""Characters of a block that is still growing above which it is shown as it is written, until it ends."""


@cache
def _reader() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def block_rows(block: Block, width: int, *, growing: bool = False) -> list[Row]:
    """Draw a block for a width in cells. A fence that is ``growing`` gets its colours when it ends."""
    lead = [BLANK] if block.gap else []
    text = clean(block.text)
    if block.kind is BlockKind.FENCE:
        return lead + _fence(text, growing=growing)
    if growing and len(text) > LARGEST:
        return lead + [Row(line) for line in text.expandtabs(4).split("\n")]
    return lead + list(_Drawing(_reader().parse(text), width).rows())


def _fence(text: str, *, growing: bool) -> list[Row]:
    first, *lines = text.split("\n")
    opening = first.lstrip()
    mark = opening[: len(opening) - len(opening.lstrip(opening[0]))]
    if lines and lines[-1].strip().startswith(mark) and not lines[-1].strip().strip(mark[0]):
        lines.pop()
    elif growing and lines and not lines[-1].strip(" " + mark[0]):
        lines.pop()  # what may become the closing line
    language = opening[len(mark) :].split(maxsplit=1)
    return code_rows("\n".join(lines), language[0] if language else "", coloured=not growing)


class _Drawing:
    """Draws the tokens of one block, level by level."""

    def __init__(self, tokens: Sequence[Token], width: int) -> None:
        self._tokens = tokens
        self._width = width
        self._at = 0

    def rows(self) -> Iterator[Row]:
        """Draw all tokens."""
        first = True
        while self._at < len(self._tokens):
            drawn = list(self._block(0))
            if drawn:
                if not first:
                    yield BLANK
                yield from drawn
                first = False

    def _next(self) -> Token:
        token = self._tokens[self._at]
        self._at += 1
        return token

    def _inside(self, closing: str, depth: int, *, apart: bool) -> Iterator[Row]:
        """Draw the blocks up to a closing token, with a blank row between them where they stand apart."""
        first = True
        while self._tokens[self._at].type != closing:
            drawn = list(self._block(depth))
            if drawn and not first and apart:
                yield BLANK
            yield from drawn
            first = first and not drawn
        self._at += 1

    def _block(self, depth: int) -> Iterator[Row]:
        token = self._next()
        match token.type:
            case "paragraph_open":
                yield from self._inline(None)
            case "heading_open":
                yield from self._inline(Role.HEADING if token.tag in {"h1", "h2"} else Role.SUBHEADING)
            case "bullet_list_open":
                yield from self._list(depth, None)
            case "ordered_list_open":
                yield from self._list(depth, int(token.attrs.get("start", 1)))
            case "blockquote_open":
                for row in self._inside("blockquote_close", depth, apart=True):
                    yield _indented(row, "▎ ", "▎ ", Role.QUOTE)
            case "table_open":
                yield from self._table()
            case _:
                yield from self._leaf(token)

    def _leaf(self, token: Token) -> Iterator[Row]:
        match token.type:
            case "fence" | "code_block":
                language = token.info.split(maxsplit=1)
                yield from code_rows(token.content.removesuffix("\n"), language[0] if language else "")
            case "hr":
                yield Row("─" * min(self._width, 24), role=Role.RULE, wrap=Wrap.CLIP)
            case "inline":
                yield from _inline_rows(inline_text(token.children or ()), None)
            case _:
                return

    def _inline(self, role: Role | None) -> Iterator[Row]:
        content = self._next()
        self._at += 1  # the closing token
        yield from _inline_rows(inline_text(content.children or ()), role)

    def _list(self, depth: int, number: int | None) -> Iterator[Row]:
        closing = "bullet_list_close" if number is None else "ordered_list_close"
        while self._next().type != closing:
            marker = f"{BULLETS[min(depth, len(BULLETS) - 1)]} " if number is None else f"{number}. "
            number = None if number is None else number + 1
            yield from self._item(marker, depth)

    def _item(self, marker: str, depth: int) -> Iterator[Row]:
        blank = " " * len(marker)
        first = True
        for row in self._inside("list_item_close", depth + 1, apart=False):
            yield _indented(row, marker if first else blank, blank, Role.MARKER)
            first = False
        if first:
            yield Row("", prefix=marker, hang=blank)

    def _table(self) -> Iterator[Row]:
        rows: list[list[Inline]] = []
        aligned: list[str] = []
        while (token := self._next()).type != "table_close":
            match token.type:
                case "tr_open":
                    rows.append([])
                case "th_open" | "td_open":
                    if token.type == "th_open":
                        aligned.append(str(token.attrs.get("style", "")).removeprefix("text-align:"))
                    rows[-1].append(inline_text(self._next().children or ()))
                case _:
                    continue
        yield from table_rows(rows, aligned, self._width)


def _inline_rows(lines: Inline, role: Role | None) -> Iterator[Row]:
    for text, spans in lines:
        yield Row(text, spans if role is None else (Span(0, len(text), role), *spans))


def _indented(row: Row, prefix: str, hang: str, role: Role) -> Row:
    """Put a row inside something: its prefix goes before the row's own."""
    if row.role is Role.BLOCK:
        return Row(row.text, row.spans, row.role, prefix + row.prefix, hang + row.hang, role, row.wrap, row.source)
    spans = row.spans if role is not Role.QUOTE else (Span(0, len(row.text), Role.QUOTE), *row.spans)
    return Row(
        row.text, spans, row.role, prefix + row.prefix, hang + row.hang, row.prefix_role or role, row.wrap, row.source
    )
