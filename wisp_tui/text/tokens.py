"""How many tokens a text takes, estimated from its bytes alone: the prior that a model's own reports then correct.

Four bytes a token is far off for tool output: digits, paths and punctuation cost three to four times that. A sum over
classes of bytes is near for text of every kind, and costs parts that add up to the cost of the whole.
"""

from __future__ import annotations

import string

_LETTER, _DIGIT, _OTHER, _WIDE = 26, 90, 80, 30
"""Hundredths of a token for each byte of a class; white space costs nothing of its own."""

_SPACES = string.whitespace.encode()
_LETTERS = string.ascii_letters.encode()
_DIGITS = string.digits.encode()
_HIGH = bytes(range(0x80, 0x100))


def token_hundredths(data: bytes) -> int:
    """Estimate UTF-8 text in hundredths of a token. Exact sums: the estimates of two parts add up to that of both."""
    printed = data.translate(None, _SPACES)
    unlettered = printed.translate(None, _LETTERS)
    undigited = unlettered.translate(None, _DIGITS)
    other = undigited.translate(None, _HIGH)
    return (
        _LETTER * (len(printed) - len(unlettered))
        + _DIGIT * (len(unlettered) - len(undigited))
        + _WIDE * (len(undigited) - len(other))
        + _OTHER * len(other)
    )


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens a text takes, rounded up."""
    return -(-token_hundredths(text.encode("utf-8", "replace")) // 100)
