"""A block of Markdown as rows: markdown-it reads it, this draws what it read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from wisp_tui.app.markdown.blocks import Block, BlockKind, Splitter
from wisp_tui.app.markdown.code import code_rows
from wisp_tui.app.markdown.inline import Inline, inline_text
from wisp_tui.app.markdown.tables import table_rows
from wisp_tui.app.rows import BLANK, Role, Row, Span, Wrap, drawable

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


def warm_up() -> None:
    """Load what drawing needs, so that the first reply does not wait for it. Can be called in a thread."""
    for text in ("**x** | y\n---|---\n1 | 2", "```python\nx = 1\n```"):
        splitter = Splitter()
        for block in [*splitter.feed(text), *splitter.end()]:
            block_rows(block, 80)


def block_rows(block: Block, width: int, *, growing: bool = False, coloured: bool = True) -> list[Row]:
    """Draw a block for a width in cells; ``coloured`` is for code. A fence gets its colours when it has ended."""
    lead = [BLANK] if block.gap else []
    text = drawable(block.text)
    if block.kind is BlockKind.FENCE:
        return lead + code_rows(*fence_code(text, growing=growing), coloured=coloured and not growing)
    if block.kind is BlockKind.TABLE:
        return lead + _table(text, width)
    if growing and len(text) > LARGEST:
        return lead + [Row(line) for line in text.expandtabs(4).split("\n")]
    return lead + list(_Drawing(_reader().parse(text), width).rows())


def fence_code(text: str, *, growing: bool = False) -> tuple[str, str]:
    """Take a fence's code and the language it names out of its text."""
    first, *lines = text.split("\n")
    opening = first.lstrip()
    mark = opening[: len(opening) - len(opening.lstrip(opening[0]))]
    if lines and lines[-1].strip().startswith(mark) and not lines[-1].strip().strip(mark[0]):
        lines.pop()
    elif growing and lines and not lines[-1].strip(" " + mark[0]):
        lines.pop()  # what may become the closing line
    language = opening[len(mark) :].split(maxsplit=1)
    return "\n".join(lines), language[0] if language else ""


def _table(text: str, width: int) -> list[Row]:
    """Draw a table line by line, each read once however often the table is drawn while it grows."""
    header, rule, *lines = text.split("\n")
    first, aligned = _table_head(header, rule)
    rows = [first, *(_table_row(len(first), line) for line in lines if line.strip())] if first else []
    return table_rows(rows, aligned, width) or [Row(line) for line in text.split("\n")]


@lru_cache(maxsize=64)
def _table_head(header: str, rule: str) -> tuple[tuple[Inline, ...], tuple[str, ...]]:
    cells = [token for token in _reader().parse(f"{header}\n{rule}") if token.type in {"th_open", "inline"}]
    aligned = (token for token in cells if token.type == "th_open")
    return (
        tuple(inline_text(token.children or ()) for token in cells if token.type == "inline"),
        tuple(str(token.attrs.get("style", "")).removeprefix("text-align:") for token in aligned),
    )


@lru_cache(maxsize=4096)
def _table_row(columns: int, line: str) -> tuple[Inline, ...]:
    head = f"|{'x|' * columns}\n|{'-|' * columns}\n"
    cells = [token for token in _reader().parse(head + line) if token.type == "inline"]
    return tuple(inline_text(token.children or ()) for token in cells[columns:])


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
        yield from table_rows([tuple(cells) for cells in rows], tuple(aligned), self._width)


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
