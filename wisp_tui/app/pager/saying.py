"""What the pager says below the output: where it is, what was found, which keys help. Values only, without Textual."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len

from wisp_tui.app.gauge import Piece
from wisp_tui.app.pager.finding import Found, Outcome
from wisp_tui.app.pager.position import Position
from wisp_tui.app.rows import Role
from wisp_tui.text.sizes import human_bytes, shorten

BETWEEN = " · "
_LONGEST_NEEDLE = 24


def status(position: Position, found: Found, width: int) -> tuple[list[Piece], list[Piece]]:
    """Say where the screen is and what was found, in the cells there are: the left end, and the right end."""
    left = [piece for piece in (_search(found), _lines(position, short=width < 60)) if piece is not None]
    right = [Piece(f"{position.percent}%", Role.MUTED), Piece(human_bytes(position.size), Role.MUTED)]
    if position.parts > 1:
        right.append(Piece(f"part {position.part + 1} of {position.parts}", Role.MUTED))
    if position.column:
        right.append(Piece(f"column {position.column + 1:,}", Role.MUTED))
    right.append(Piece("wrap on" if position.wrap else "wrap off", Role.ACCENT if position.wrap else Role.FAINT))
    while right and _length(left) + _length(right) + 2 > width:
        right.pop()
    return _joined(left), _joined(right)


def _lines(position: Position, *, short: bool) -> Piece:
    if not position.lines:
        return Piece("no lines", Role.MUTED)
    of = f"of {position.lines:,}{'' if position.sure else '+'}"
    if position.first == position.last:
        return Piece(f"line {position.first:,} {of}", Role.MUTED)
    return Piece(f"{'' if short else 'lines '}{position.first:,}–{position.last:,} {of}", Role.MUTED)


def _search(found: Found) -> Piece | None:
    text = shorten(found.text, _LONGEST_NEEDLE)
    more = "" if found.whole else "+"
    match found.outcome:
        case Outcome.NONE:
            return None
        case Outcome.LOOKING:
            return Piece(f"looking for “{text}” …", Role.ACCENT)
        case Outcome.ABSENT:
            return Piece(f"no “{text}”", Role.WARNING)
        case Outcome.FOUND:
            around = " · from the other end" if found.wrapped else ""
            which = (
                f"{found.ordinal:,} of {found.total:,}{more}" if found.ordinal is not None else f"{found.total:,}{more}"
            )
            return Piece(f"{which} “{text}”{around}", Role.ACCENT)


def _joined(pieces: Iterable[Piece]) -> list[Piece]:
    joined: list[Piece] = []
    for piece in pieces:
        if joined:
            joined.append(Piece(BETWEEN, Role.FAINT))
        joined.append(piece)
    return joined


def _length(pieces: Sequence[Piece]) -> int:
    return sum(cell_len(piece.text) + len(BETWEEN) for piece in pieces)


def keys(offered: Sequence[tuple[str, str]], width: int) -> list[Piece]:
    """Name keys and what they do, the first ones first, as many as there is room for."""
    pieces: list[Piece] = []
    used = 0
    for key, what in offered:
        gap = "  " if pieces else ""
        used += len(gap) + cell_len(key) + 1 + cell_len(what)
        if used > width:
            break
        pieces += [Piece(f"{gap}{key}", Role.KEY), Piece(f" {what}", Role.FAINT)]
    return pieces


def line_wanted(text: str, lines: int) -> int:
    """Read which of so many lines is meant, from 0: by its number, from 1, or by a share such as ``50%``.

    Past the last line it is the last. Raises ValueError when it is neither.
    """
    text = text.strip().replace(",", "")
    number = text.removesuffix("%").strip()
    if not (number.isascii() and number.isdigit()) or len(number) > 18:
        raise ValueError("name a line by its number, or a share such as 50%")
    wanted = lines * min(int(number), 100) // 100 if text.endswith("%") else int(number) - 1
    return max(min(wanted, lines - 1), 0)
