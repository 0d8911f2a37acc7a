"""How the person states a fact: ``SUBJECT [NAME] = VALUE``, as ``/fact`` and the model's notes take it."""

from __future__ import annotations

from wisp_tui.facts.fact import Statement
from wisp_tui.facts.kinds import Kinds
from wisp_tui.facts.normalisers import Place
from wisp_tui.facts.values import stored_value


class NotAStatement(Exception):
    """A text does not state a fact; the message says how one is stated."""


def read_statement(text: str, kinds: Kinds, place: Place) -> Statement:
    """Read ``SUBJECT [NAME] = VALUE``: the first ``=`` ends the name, so a value may hold others.

    Raises NotAStatement, UnknownSubject.
    """
    before, equals, after = text.partition("=")
    subject, _, name = before.strip().partition(" ")
    if not equals or not subject:
        raise NotAStatement("a fact is stated as SUBJECT [NAME] = VALUE, such as: preference editor = vim")
    kind = kinds.kind(subject)
    value = stored_value(after)
    if not value:
        raise NotAStatement(f"a fact needs a value: {subject} {name.strip()} = ?")
    return Statement(kind.topic(name, place), value, kind.temporal)
