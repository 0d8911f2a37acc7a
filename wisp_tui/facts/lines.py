"""A fact as one line of a block, its value first and its source after a dash (spec "In the request")."""

from __future__ import annotations

from collections.abc import Sequence

from wisp_tui.facts.fact import Fact
from wisp_tui.facts.identity import Scope, SourceKind
from wisp_tui.facts.values import shown_name, shown_value
from wisp_tui.text.ids import TurnNumber


def line(fact: Fact, disagreeing: Sequence[Fact] = ()) -> str:
    """Write ``- tests swift test: failed (exit status 1) — from tool run_command, turn 3, entry 9``.

    What other sources say of it follows its source.
    """
    name = shown_name(fact.identity.name)
    topic = f"{fact.identity.subject} {name}" if name else fact.identity.subject
    others = "".join(
        f"; another source disagrees: {other.source.says} says {shown_value(other.value)}" for other in disagreeing
    )
    return f"- {topic}: {shown_value(fact.value)} — from {source_words(fact)}{others}"


def source_words(fact: Fact) -> str:
    """Write where a fact came from: ``tool read_file, turn 2, entry 4``, ``the person``.

    Turns and entries are its conversation's own, so a fact that other conversations see names no entry, and a permanent
    one no turn either.
    """
    words = fact.source.words
    if fact.scope is Scope.PERMANENT or fact.source.kind in {SourceKind.PERSON, SourceKind.CALLER}:
        return words
    if (turns := turn_words(fact.turns)) is not None:
        words = f"{words}, {turns}"
    if fact.source.kind is SourceKind.TOOL and fact.entries and fact.scope is Scope.THREAD:
        words = f"{words}, entry {fact.entries[-1]}"
    return words


def turn_words(turns: tuple[TurnNumber, TurnNumber] | None) -> str | None:
    """Write ``turn 3`` or ``turns 1-12``; None for no turn."""
    if turns is None or turns[1] < 1:
        return None
    first, last = turns
    return f"turn {last}" if first == last else f"turns {first}-{last}"
