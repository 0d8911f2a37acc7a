"""How large a request is for the model in use: a prior for every text, and what each model's own reports teach.

The prior costs each class of text what local tokenizers ask for it on average (``text.tokens``). A model's real costs
differ by class: one splits numbers into digits, another knows little Korean. Each report says what the classes of one
request came to together, and moves the costs of those it could be about, as far as they are uncertain (the recursive
form of linear least squares with a prior). The next request is then the last reported one plus what changed.

Bounds: a class costs between ``LEAST`` and ``MOST`` times its prior, and so does an estimate; a report outside them is
not believed. See docs/context.md, "Estimates", for how near this comes.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, sqrt

from wisp_tui.context.composer import Composition
from wisp_tui.text.tokens import TokenClasses, add_classes, token_classes

LEAST, MOST = 0.3, 4.0
"""Bounds of a class's learned cost, of a report and of an estimate, in shares of the prior."""
MESSAGE_HUNDREDTHS = 500
"""What a chat template puts around each message, in hundredths of a token: a class of its own, after the text's."""

_NOISE = 0.04
"""How far, in shares, a report is from the sum of its classes, however well their costs are known."""
_LEAN = 0.6
"""Standard deviations added to an estimate: where a class was not seen yet, better too much than too little."""
_SHARED = (0.1, 0.1, 0.1, 0.3, 0.3, 0.3, 0.3, 0.1, 0.0)
"""How far each class's cost moves, in shares of its prior, with what moves all: the size of a model's vocabulary."""
_OWN = (0.1, 0.2, 0.1, 0.2, 0.2, 0.2, 0.2, 0.2, 0.5)
"""How far it moves on its own."""
_SURE = 3.0
"""Standard deviations below which no request read whole is expected."""
_FRESH_MOST, _STAYED, _SHRUNK_MOST = 0.6, 0.9, 0.4
"""Shares that are sure: of what was never reported, at most; of what was; of what has shrunk since, at most."""


class Estimator:
    """What one model's reports have taught of its costs. One a model: another model's are its own."""

    def __init__(self) -> None:
        self._costs = [1.0] * len(_OWN)
        self._spread = [
            [shared * other + (own**2 if row == column else 0.0) for column, other in enumerate(_SHARED)]
            for row, (shared, own) in enumerate(zip(_SHARED, _OWN, strict=True))
        ]
        self._last: tuple[Sequence[float], int] | None = None

    def estimate(self, composition: Composition) -> int:
        """Estimate what a composition's request takes, in tokens."""
        return self.tokens(sizes_of(composition))

    def learn(self, composition: Composition, reported: int) -> bool:
        """Take in what the runtime reported for a request it read whole; return whether the report was believed."""
        return self.report(sizes_of(composition), reported)

    def least(self, composition: Composition) -> int:
        """Return the fewest tokens that a runtime which read a composition whole would report."""
        return self.fewest(sizes_of(composition))

    def text(self, text: str) -> int:
        """Estimate a text on its own, without the lean towards too much."""
        return ceil(_dot(self._costs, _tokens([*token_classes(text.encode("utf-8", "replace")), 0])))

    def tokens(self, sizes: Sequence[float]) -> int:
        """Estimate a request from its classes' prior tokens, those of ``sizes_of``."""
        fresh, stays = self._fresh(sizes)
        carried = 0.0
        if self._last is not None:
            # What the last report was off by belongs to what it counted: as much of it stays as of the request.
            known, reported = self._last
            carried = (reported - _dot(self._costs, known)) * stays
        value = _dot(self._costs, sizes) + carried + _LEAN * self._doubt(fresh)
        return ceil(min(max(value, LEAST * sum(sizes)), MOST * sum(sizes)))

    def fewest(self, sizes: Sequence[float]) -> int:
        """Return the fewest tokens that a runtime which read a request of these sizes whole would report."""
        if self._last is None:
            return floor(self._sure(sizes, _FRESH_MOST))
        known, reported = self._last
        added = [size - part for size, part in zip(sizes, known, strict=True)]
        if min(added) < 0:
            # Something left: which of the reported texts stayed is not known, nor what each of them cost.
            return floor(self._sure(sizes, _SHRUNK_MOST))
        return floor(_STAYED * reported + self._sure(added, _FRESH_MOST))

    def _sure(self, sizes: Sequence[float], most: float) -> float:
        """Return the tokens that sizes are sure to cost, at most a share of what is expected of them."""
        expected = _dot(self._costs, sizes)
        share = 1 - _SURE * self._doubt(sizes) / expected if expected else 0.0
        return expected * min(max(share, LEAST), most)

    def _fresh(self, sizes: Sequence[float]) -> tuple[Sequence[float], float]:
        """Part a request from what the last report counted: what is beside it, and how much of it stays (0 to 1)."""
        if self._last is None:
            return sizes, 0.0
        known = self._last[0]
        expected = _dot(self._costs, known)
        stays = min(1.0, _dot(self._costs, sizes) / expected) if expected else 0.0
        return [size - part * stays for size, part in zip(sizes, known, strict=True)], stays

    def _doubt(self, sizes: Sequence[float]) -> float:
        """Return the standard deviation of what sizes cost, in tokens."""
        return sqrt(max(_dot(sizes, [_dot(row, sizes) for row in self._spread]), 0.0))

    def report(self, sizes: Sequence[float], reported: int) -> bool:
        """Take in what the runtime reported for a request of these sizes; return whether the report was believed."""
        if not LEAST * sum(sizes) <= reported <= MOST * sum(sizes):
            return False
        along = [_dot(row, sizes) for row in self._spread]
        whole = _dot(sizes, along) + (_NOISE * reported) ** 2
        missed = reported - _dot(self._costs, sizes)
        self._costs = [
            min(max(cost + part / whole * missed, LEAST), MOST) for cost, part in zip(self._costs, along, strict=True)
        ]
        self._spread = [
            [value - part * other / whole for value, other in zip(row, along, strict=True)]
            for row, part in zip(self._spread, along, strict=True)
        ]
        self._last = (tuple(sizes), reported)
        return True


def sizes_of(composition: Composition) -> list[float]:
    """Return a composition's prior tokens by class, and what its messages' frames take last."""
    classes: TokenClasses = add_classes(part.classes for part in composition.parts)
    return _tokens([*classes, MESSAGE_HUNDREDTHS * (len(composition.messages) + 1)])


def _tokens(hundredths: Sequence[int]) -> list[float]:
    return [size / 100 for size in hundredths]


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(left * right for left, right in zip(one, other, strict=True))
