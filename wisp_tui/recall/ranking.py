"""Which passages answer a search best: what each one says, what its neighbours say, who says it. Values only.

FTS5 weighs the words of a passage (bm25, Porter's stems). Two things it cannot know are added here, both measured in
docs/memory.md: an answer stands beside what was asked, so a passage has a share of its neighbours' scores; and a query
that names somebody wants what they said, so a passage whose author it names counts more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NewType

PassageId = NewType("PassageId", int)
"""A passage in an index: the numbers of two neighbours in one conversation differ by one."""
Authors = Callable[[Iterable[PassageId]], Mapping[PassageId, AbstractSet[str]]]
"""Gives the words that name the authors of passages."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each thing counts beside a word of a passage's text, which counts 1."""

    neighbour: float = 0.5
    """The share of a neighbour's score that a passage is given."""
    author: float = 2.0
    """What a passage's score is multiplied by when its author is named."""
    day: float = 1.0
    """A word of the day on which it was written."""


WEIGHTS = Weights()


def ranked(
    scores: Mapping[PassageId, float],
    authors: Authors,
    said: AbstractSet[str],
    limit: int,
    weights: Weights = WEIGHTS,
) -> list[tuple[PassageId, float]]:
    """Choose the best passages, the best first, of equals the newest first.

    ``scores`` are those of the words, the more the better, and positive; ``said`` are the words of the query.
    """
    beside = [(passage, _beside(passage, scores, weights.neighbour)) for passage in scores]
    beside.sort(key=_order)
    if len(beside) > limit:  # the authors of those that being named would not bring among the first need not be known
        least = beside[limit - 1][1] / weights.author
        beside = [one for one in beside if one[1] >= least]
    named = authors(passage for passage, _ in beside)
    scored = [(passage, score * (weights.author if named[passage] & said else 1.0)) for passage, score in beside]
    return sorted(scored, key=_order)[:limit]


def _beside(passage: PassageId, scores: Mapping[PassageId, float], share: float) -> float:
    near = scores.get(PassageId(passage - 1), 0.0) + scores.get(PassageId(passage + 1), 0.0)
    return scores[passage] + share * near


def _order(one: tuple[PassageId, float]) -> tuple[float, int]:
    return -one[1], -one[0]
