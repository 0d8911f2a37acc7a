"""The parts of a composition: what one request carries, piece by piece, in the order it carries them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from wisp_tui.text.ids import EntryId
from wisp_tui.text.tokens import TokenClasses


class PartKind(StrEnum):
    """The kinds of part beside those of the entries and of the blocks."""

    UNANSWERED = "unanswered"
    """Answers a call of which the record has no result; its entry is the call's."""
    CATALOGUE = "catalogue"
    """Names every tool that may be called, where a request registers only some: a segment of the instructions."""


class Layer(StrEnum):
    """The layers of a request, most stable first."""

    INSTRUCTIONS = "instructions"
    TOOLS = "tools"
    EARLIER = "earlier"
    LITERAL = "literal"
    NOW = "now"
    REQUEST = "request"


class Form(StrEnum):
    """How much of an entry a part carries."""

    WHOLE = "whole"
    CUT = "cut"
    REFERENCE = "reference"
    BLOCK = "block"
    """Not an entry: tool definitions, facts, a summary, the task."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a composition. ``bytes`` and ``tokens`` are of ``text`` as sent; ``why`` says why it is not whole.

    ``classes`` are the tokens by class of text, before a model's own costs.
    """

    layer: Layer
    form: Form
    kind: str
    text: str
    bytes: int
    tokens: int
    classes: TokenClasses
    entry: EntryId | None = None
    carried: bool = False
    why: str | None = None
