"""A code block as rows: a band with its language named, coloured by what each token is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from wisp_tui.app.rows import TAB, Role, Row, Span, Wrap

if TYPE_CHECKING:
    from pygments.lexer import Lexer

LARGEST = 256 * 1024
"""Characters above which code is not coloured."""
AT_ONCE = 2048
"""Characters up to which code is coloured while it is drawn; reading more would hold up the screen."""


def colour(code: str, language: str) -> None:
    """Read code so that drawing it has its colours ready. Can be called in a thread."""
    if language and len(code) <= LARGEST:
        _coloured(code, language)


def code_rows(code: str, language: str, *, coloured: bool = True) -> list[Row]:
    """Draw code. ``language`` is the word after the fence, empty for none."""
    lines = code.split("\n")
    spans = _coloured(code, language) if coloured and language and len(code) <= LARGEST else {}
    return [_row(line, tuple(spans.get(number, ()))) for number, line in enumerate(lines)]


def _row(line: str, spans: tuple[Span, ...]) -> Row:
    if "\t" not in line:
        return Row(line, spans, Role.BLOCK, " ", " ", wrap=Wrap.ANYWHERE)
    drawn = line.expandtabs(TAB)
    moved = tuple(Span(_drawn(line, span.start), _drawn(line, span.end), span.role) for span in spans)
    return Row(drawn, moved, Role.BLOCK, " ", " ", wrap=Wrap.ANYWHERE, source=line)


def _drawn(line: str, place: int) -> int:
    """Return where a character of a line with tabs is once they are spaces."""
    return len(line[:place].expandtabs(TAB))


@lru_cache(maxsize=64)
def _coloured(code: str, language: str) -> dict[int, list[Span]]:
    lexer = _lexer(language)
    if lexer is None:
        return {}
    spans: dict[int, list[Span]] = {}
    number = start = 0
    for role, text in _tokens(lexer, code):
        for index, part in enumerate(text.split("\n")):
            if index:
                number, start = number + 1, 0
            if part and role is not None:
                spans.setdefault(number, []).append(Span(start, start + len(part), role))
            start += len(part)
    return spans


@lru_cache(maxsize=32)
def _lexer(language: str) -> Lexer | None:
    from pygments.lexers import find_lexer_class_by_name
    from pygments.util import ClassNotFound

    try:
        return find_lexer_class_by_name(language.lower())(stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def _tokens(lexer: Lexer, code: str) -> Iterator[tuple[Role | None, str]]:
    from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, String

    table = (
        (Comment, Role.COMMENT),
        (Keyword, Role.KEYWORD),
        (Operator.Word, Role.KEYWORD),
        (String, Role.STRING),
        (Number, Role.NUMBER),
        (Name.Function, Role.NAME),
        (Name.Class, Role.NAME),
        (Name.Tag, Role.NAME),
        (Name.Decorator, Role.NAME),
        (Generic.Inserted, Role.GOOD),
        (Generic.Deleted, Role.ERROR),
        (Generic.Heading, Role.NAME),
        (Generic.Subheading, Role.NAME),
    )
    for kind, text in lexer.get_tokens(code):
        yield next((role for wanted, role in table if kind in wanted), None), text
