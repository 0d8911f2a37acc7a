"""What a shell word is worth before the shell runs: quotes, escapes, wildcards, braces, the tilde."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from wisp_tui.approval.script import Command, Known, Word

_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_DOUBLE_QUOTED = re.compile(r'\\([$`"\\\n])')
_WILDCARD = re.compile(r"[*?\[]")
_DIVIDED = re.compile(r"[\s*?\[]")
_ANSI = re.compile(
    r"\\(?:(?P<octal>[0-7]{1,3})|x(?P<hex>[0-9a-fA-F]{1,2})|u(?P<u>[0-9a-fA-F]{1,4})|U(?P<U>[0-9a-fA-F]{1,8})"
    r"|c(?P<control>.)|(?P<letter>.))",
    re.DOTALL,
)
_ANSI_LETTERS = {
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "?": "?",
}


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a word. An unknown one has no text."""

    text: str
    quoted: bool
    known: bool = True
    plain: bool = False
    """As ``Word.plain``: unknown, yet one word and no option."""
    choices: tuple[Word, ...] = ()
    """As ``Word.choices``."""
    home: bool = False
    """The text is ``~`` and means the person's home directory."""
    inner: tuple[Command, ...] = ()


def unquoted(text: str) -> list[Piece]:
    """Read a stretch outside quotes: a backslash quotes the character after it, and joins two lines."""
    pieces: list[Piece] = []
    at = 0
    for found in _ESCAPED.finditer(text):
        if found.start() > at:
            pieces.append(Piece(text[at : found.start()], quoted=False))
        if found[1] != "\n":
            pieces.append(Piece(found[1], quoted=True))
        at = found.end()
    if at < len(text):
        pieces.append(Piece(text[at:], quoted=False))
    return pieces


def double_quoted(text: str) -> Piece:
    """Read a stretch inside double quotes."""
    return Piece(_DOUBLE_QUOTED.sub(lambda found: "" if found[1] == "\n" else found[1], text), quoted=True)


def ansi_c(text: str) -> Piece:
    """Read what stands between ``$'`` and ``'``. Bytes that are no character come out unknown."""
    known = True

    def value(found: re.Match[str]) -> str:
        nonlocal known
        code = found["octal"] or found["hex"] or found["u"] or found["U"]
        if code is not None:
            number = int(code, 8 if found["octal"] else 16)
            known = known and 0 < number < (0x110000 if found["u"] or found["U"] else 0x80)
            return chr(number) if known else ""
        if found["control"] is not None:
            return chr(ord(found["control"].upper()) & 0x1F)
        return _ANSI_LETTERS.get(found["letter"], found[0])

    read = _ANSI.sub(value, text)
    return Piece(read if known else "", quoted=True, known=known)


def assemble(source: str, pieces: Sequence[Piece]) -> Word:
    """Make a word of its pieces."""
    pieces = [
        Piece("", quoted=piece.quoted, known=False) if piece.home and index else piece
        for index, piece in enumerate(pieces)
    ]  # a home directory in the middle of a word has no tilde to stand for it
    if braces(pieces):
        return Word(source, "", Known.UNKNOWN, splits=True)
    if all(piece.known for piece in pieces):
        return _known(source, pieces)
    if len(pieces) == 1:
        only = pieces[0]
        splits = not only.quoted and not only.plain and not _single(only.choices)
        return Word(source, "", Known.UNKNOWN, splits=splits, plain=only.plain, inner=only.inner, choices=only.choices)
    start: list[str] = []
    for piece in pieces:
        if not piece.known:
            break
        start.append(piece.text)
    return Word(
        source,
        "".join(start),
        Known.UNKNOWN,
        home=pieces[0].home or _tilde(pieces) == "~",
        splits=any(not piece.known and not piece.quoted and not piece.plain for piece in pieces),
    )


def _known(source: str, pieces: Sequence[Piece]) -> Word:
    text = "".join(piece.text for piece in pieces)
    tilde = _tilde(pieces)
    if tilde not in (None, "~"):
        return Word(source, text, Known.UNKNOWN)  # another person's home, or ~+ and ~-
    home = tilde == "~" or bool(pieces and pieces[0].home)
    wild = any(not piece.quoted and _WILDCARD.search(piece.text) for piece in pieces)
    return Word(source, text, Known.PATTERN if wild else Known.EXACT, home=home)


def _single(choices: Sequence[Word]) -> bool:
    """Whether each choice stays one word where it stands outside quotes."""
    return bool(choices) and all(
        choice.exact and not choice.home and choice.text and not _DIVIDED.search(choice.text) for choice in choices
    )


def _tilde(pieces: Sequence[Piece]) -> str | None:
    """The tilde prefix that the shell expands, ``~`` for the person's own home; None without one."""
    if not pieces or pieces[0].quoted or not pieces[0].text.startswith("~"):
        return None
    first, slash, _ = pieces[0].text.partition("/")
    return first if slash or len(pieces) == 1 else first + "?"


def braces(pieces: Sequence[Piece]) -> bool:
    """Whether the shell may make several words of it: ``{a,b}`` or ``{1..3}`` outside quotes."""
    bare = "".join(
        piece.text if not piece.quoted and piece.known and not piece.home else "_" * max(len(piece.text), 1)
        for piece in pieces
    )
    opened = bare.find("{")
    return opened >= 0 and "}" in bare[opened:] and ("," in bare[opened:] or ".." in bare[opened:])
