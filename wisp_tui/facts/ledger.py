"""The facts of one scope: every version under a stable id, and which hold. A value: each change makes another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from wisp_tui.facts.fact import Fact, FactState
from wisp_tui.facts.identity import FactId, Scope, SourceKind, Topic
from wisp_tui.text.json import JsonObject


@dataclass(frozen=True, slots=True)
class FactLedger:
    """One scope's facts. Its mappings are never changed in place, so a ledger can be held on to and compared.

    ``facts`` has every version by id, oldest first; ``current`` those that hold, oldest first. An id is given once:
    ``last`` is the number of the latest, also when that fact is gone.
    """

    scope: Scope
    facts: Mapping[FactId, Fact] = field(default_factory=dict[FactId, Fact])
    current: Mapping[FactId, Fact] = field(default_factory=dict[FactId, Fact])
    by_topic: Mapping[Topic, tuple[FactId, ...]] = field(default_factory=dict[Topic, tuple[FactId, ...]])
    """The current facts of each topic that has any."""
    versions: Mapping[tuple[Topic, SourceKind], int] = field(default_factory=dict[tuple[Topic, SourceKind], int])
    """How many versions each source has given of each topic."""
    last: int = 0
    unread: tuple[JsonObject, ...] = ()
    """Stored facts that this version cannot read, kept as they are."""

    def __len__(self) -> int:
        return len(self.current)

    def heads(self, topic: Topic) -> tuple[Fact, ...]:
        """Return a topic's current facts, oldest first."""
        return tuple(self.facts[ident] for ident in self.by_topic.get(topic, ()))

    def history(self, topic: Topic) -> tuple[Fact, ...]:
        """Return every version of a topic, oldest first."""
        return tuple(fact for fact in self.facts.values() if fact.topic == topic)


class LedgerEditor:
    """A ledger being changed. What it was made from stays as it is; ``done`` gives the new one."""

    def __init__(self, ledger: FactLedger) -> None:
        self._ledger = ledger
        self._facts = dict(ledger.facts)
        self._current = dict(ledger.current)
        self._by_topic = dict(ledger.by_topic)
        self._versions = dict(ledger.versions)
        self._last = ledger.last

    def heads(self, topic: Topic) -> tuple[Fact, ...]:
        """Return a topic's current facts as they stand now."""
        return tuple(self._facts[ident] for ident in self._by_topic.get(topic, ()))

    def add(self, fact: Fact) -> Fact:
        """Add a fact under the next id of this scope, as the next version of its source, and return it."""
        self._last += 1
        ident = FactId(f"{self._ledger.scope.prefix}{self._last}")
        identity = replace(fact.identity, scope=self._ledger.scope)
        source = (fact.topic, fact.source.kind)
        version = self._versions[source] = self._versions.get(source, 0) + 1
        added = replace(fact, id=ident, identity=identity, version=version)
        self._facts[ident] = self._current[ident] = added
        self._by_topic[added.topic] = (*self._by_topic.get(added.topic, ()), ident)
        return added

    def settle(self, ident: FactId, state: FactState, by: FactId | None = None) -> Fact:
        """Say that a current fact holds no longer, and what superseded it; return it as it is then."""
        settled = replace(self._facts[ident], state=state, superseded_by=by)
        self._facts[ident] = settled
        del self._current[ident]
        left = tuple(other for other in self._by_topic[settled.topic] if other != ident)
        if left:
            self._by_topic[settled.topic] = left
        else:
            del self._by_topic[settled.topic]
        return settled

    def done(self) -> FactLedger:
        """Return the changed ledger."""
        return replace(
            self._ledger,
            facts=self._facts,
            current=self._current,
            by_topic=self._by_topic,
            versions=self._versions,
            last=self._last,
        )


def ledger_of(scope: Scope, facts: Mapping[FactId, Fact], last: int, unread: tuple[JsonObject, ...]) -> FactLedger:
    """Build a ledger from its facts, as they were stored."""
    current = {ident: fact for ident, fact in facts.items() if fact.current}
    by_topic: dict[Topic, tuple[FactId, ...]] = {}
    for ident, fact in current.items():
        by_topic[fact.topic] = (*by_topic.get(fact.topic, ()), ident)
    versions: dict[tuple[Topic, SourceKind], int] = {}
    for fact in facts.values():
        source = (fact.topic, fact.source.kind)
        versions[source] = max(versions.get(source, 0), fact.version)
    return FactLedger(scope, facts, current, by_topic, versions, last, unread)
