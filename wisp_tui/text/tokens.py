"""How many tokens a text takes, estimated from its bytes alone: the prior that a model's own reports then correct.

Four bytes a token is far off for tool output: digits, paths and punctuation cost three to four times that, and how
many bytes of Chinese or Korean make a token differs by a factor of two between models. So a text is taken apart into
classes of what is written, each with a cost near what the tokenizers of local models give it (docs/context.md,
"Estimates"); an estimate is their sum, and ``context.estimate`` learns how each class costs for the model in use.
"""

from __future__ import annotations

import string
from collections.abc import Iterable
from enum import IntEnum
from typing import TypeAlias


class TokenClass(IntEnum):
    """What a text is made of, as far as tokenizers differ on it. The values index ``TokenClasses``."""

    WORDS = 0
    """Latin letters: each word, its letters, its capitals, and each capital after a small letter."""
    DIGITS = 1
    """Digits, and each run of them."""
    MARKS = 2
    """Punctuation and line ends."""
    ALPHABETS = 3
    """Accented, Greek, Arabic, Hebrew and Indic letters, and signs."""
    CYRILLIC = 4
    IDEOGRAPHS = 5
    """Chinese characters, kana and full-width forms."""
    HANGUL = 6
    EMOJI = 7


TokenClasses: TypeAlias = tuple[int, ...]
"""Hundredths of a token by class, in the order of ``TokenClass``."""

_WORD, _LETTER, _CAPITAL, _HUMP = 44, 17, 13, 106
_DIGIT, _NUMBER = 59, 128
_MARK, _LINE = 40, 126
_LEADS = (
    (0xC2, 0xCF, TokenClass.ALPHABETS, 87),
    (0xD0, 0xD3, TokenClass.CYRILLIC, 41),
    (0xD4, 0xDF, TokenClass.ALPHABETS, 58),
    (0xE0, 0xE1, TokenClass.ALPHABETS, 82),
    (0xE2, 0xE2, TokenClass.ALPHABETS, 150),
    (0xE3, 0xE3, TokenClass.IDEOGRAPHS, 85),
    (0xE4, 0xE9, TokenClass.IDEOGRAPHS, 107),
    (0xEA, 0xED, TokenClass.HANGUL, 114),
    (0xEE, 0xEF, TokenClass.IDEOGRAPHS, 169),
    (0xF0, 0xF4, TokenClass.EMOJI, 264),
)
"""A character past ASCII by the first byte of its UTF-8: the first and last such byte, its class, its hundredths."""

_SMALL = string.ascii_lowercase.encode()
_CAPITALS = string.ascii_uppercase.encode()
_DIGITS = string.digits.encode()
_MARKS = string.punctuation.encode()


def _kinds() -> bytes:
    """Return the table that gives each byte its kind: a space for white space and for what costs nothing."""
    table = bytearray(b" " * 256)
    for kind, members in ((b"a", _SMALL), (b"A", _CAPITALS), (b"0", _DIGITS), (b".", _MARKS), (b"\n", b"\n")):
        for byte in members:
            table[byte] = kind[0]
    for place, (first, last, _, _) in enumerate(_LEADS):
        for byte in range(first, last + 1):
            table[byte] = 0x80 + place
    return bytes(table)


def _only(members: bytes) -> bytes:
    """Return the table that makes an ``x`` of some bytes and a space of every other."""
    return bytes(ord("x") if byte in members else ord(" ") for byte in range(256))


_KINDS, _WORDS_ONLY, _NUMBERS_ONLY = _kinds(), _only(_SMALL + _CAPITALS), _only(_DIGITS)
_ASCII = bytes(range(0x80))


def token_classes(data: bytes) -> TokenClasses:
    """Estimate UTF-8 text in hundredths of a token by class. The classes of lines add up to those of their text.

    That holds for parts cut at line ends, the newline with the line it ends; cut elsewhere, parts may come to a little
    more or less.
    """
    kinds = data.translate(_KINDS)
    small, capitals, digits = kinds.count(b"a"), kinds.count(b"A"), kinds.count(b"0")
    classes = [0] * len(TokenClass)
    if small or capitals:
        letters = _LETTER * small + (_LETTER + _CAPITAL) * capitals
        classes[TokenClass.WORDS] = letters + _WORD * _runs(data.translate(_WORDS_ONLY)) + _HUMP * kinds.count(b"aA")
    if digits:
        classes[TokenClass.DIGITS] = _DIGIT * digits + _NUMBER * _runs(data.translate(_NUMBERS_ONLY))
    classes[TokenClass.MARKS] = _MARK * kinds.count(b".") + _LINE * kinds.count(b"\n")
    if not data.isascii():
        leads = kinds.translate(None, _ASCII)
        for place, (_, _, kind, cost) in enumerate(_LEADS):
            classes[kind] += cost * leads.count(0x80 + place)
    return tuple(classes)


def _runs(marked: bytes) -> int:
    """Count the runs of ``x`` among spaces."""
    return marked.count(b" x") + marked.startswith(b"x")


def add_classes(all_classes: Iterable[TokenClasses]) -> TokenClasses:
    """Add up the classes of several texts; of none, nothing of each."""
    total = [0] * len(TokenClass)
    for classes in all_classes:
        for place, size in enumerate(classes):
            total[place] += size
    return tuple(total)


def token_hundredths(data: bytes) -> int:
    """Estimate UTF-8 text in hundredths of a token. Lines add up to their text: see ``token_classes``."""
    return sum(token_classes(data))


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens a text takes, rounded up."""
    return -(-token_hundredths(text.encode("utf-8", "replace")) // 100)
