"""How large a request is for the model in use: counted where that decides something, else estimated.

A model's own reports teach the estimate (``context.estimate``); another model starts with a meter of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from wisp_tui.context.composer import Composition
from wisp_tui.context.estimate import Estimator
from wisp_tui.models import Capability, Model, ModelError, Options, Request, Resolved

NEAR = 0.7
"""Share of the window from which an estimate is checked by a count: below it, no decision hangs on the difference."""


@dataclass(frozen=True, slots=True)
class Size:
    """A request's size in tokens; ``exact`` when the runtime counted it."""

    tokens: int
    exact: bool


@dataclass(slots=True)
class Meter:
    """Measures requests for one model."""

    estimator: Estimator = field(default_factory=Estimator)
    _counted: dict[str, int] = field(default_factory=dict[str, int])

    def estimate(self, composition: Composition) -> int:
        """Estimate a composition's tokens for this model."""
        return self.estimator.estimate(composition)

    def learn(self, composition: Composition, reported: int) -> None:
        """Take in what the runtime reported for a composition it read whole."""
        self._counted = {composition.sha256: reported}
        self.estimator.learn(composition, reported)

    async def size(self, composition: Composition, model: Model, resolved: Resolved, window: int | None) -> Size:
        """Measure a composition; a runtime that counts is asked when the estimate is near the window."""
        known = self._counted.get(composition.sha256)
        if known is not None:
            return Size(known, exact=True)
        estimate = self.estimate(composition)
        if Capability.COUNTS not in resolved.capabilities or window is None or estimate < window * NEAR:
            return Size(estimate, exact=False)
        try:
            counted = await model.count(Request(composition.messages, composition.tools, Options()))
        except ModelError:
            counted = None  # the request itself will say what is wrong
        if counted is None:
            return Size(estimate, exact=False)
        self.learn(composition, counted)
        return Size(counted, exact=True)
