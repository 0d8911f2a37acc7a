"""Promises over any sequence of acts: a value held once, ids stable, nothing permanent or deleted but by the person."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.fakes.facts import ACT, TOOL, moment
from wisp_tui.facts import (
    CALLER,
    INFERRED,
    NOTED,
    PERSON,
    AlreadyThere,
    Assertion,
    Changed,
    ConflictRaised,
    ConflictResolved,
    Deleted,
    Fact,
    FactBook,
    FactId,
    FactState,
    NotCurrent,
    PersonOnly,
    Scope,
    Source,
    Speaker,
    Statement,
    TemporalClass,
    Topic,
    UnknownFact,
    adopted,
    audited,
    delete,
    move,
    move_by_person,
    read_ledger,
    record,
    state,
    write_ledger,
)
from wisp_tui.facts.identity import TYPED_COMMAND
from wisp_tui.text.ids import EntryId, EventId, TurnNumber
from wisp_tui.text.json import dump, load_object

SOURCES = st.sampled_from([PERSON, CALLER, TOOL, TYPED_COMMAND, NOTED, INFERRED, Source.distilled(Speaker.PERSON)])
TOPICS = st.sampled_from([Topic("task", ""), Topic("entity", "a"), Topic("tests", "x")])
VALUES = st.sampled_from(["red", "Red", "RED  ", "green", "blue", "green heron"])
CLASSES = st.sampled_from(TemporalClass)
IDS = st.builds("{}{}".format, st.sampled_from("csp"), st.integers(0, 12))
SCOPES = st.sampled_from(Scope)
TURNS = st.none() | st.integers(1, 9)


def said(topic: Topic, value: str, temporal: TemporalClass, source: Source, turn: int | None) -> Assertion:
    entries = (EntryId(turn),) if turn is not None else ()
    turns = (TurnNumber(1), TurnNumber(turn)) if turn is not None else None
    return Assertion(topic, value.strip(), temporal, source, entries, (EventId("00000000000000aa"),), turns)


ASSERTIONS = st.builds(said, TOPICS, VALUES, CLASSES, SOURCES, TURNS)


class Acts(RuleBasedStateMachine):
    """Any acts in any order, at times that may stand still or go back."""

    def __init__(self) -> None:
        super().__init__()
        self.book = FactBook()
        self.conflicts: set[Topic] = set()
        self.seen: dict[FactId, Fact] = {}

    def take(self, changed: Changed, *, by_person: bool) -> None:
        before, after = self.book, changed.book
        if not by_person:
            assert after.permanent is before.permanent
            assert not any(isinstance(change, Deleted) for change in changed.changes)
        for change in changed.changes:
            audited(change)
            match change:
                case ConflictRaised(topic):
                    self.conflicts.add(topic)
                case ConflictResolved(topic):
                    self.conflicts.discard(topic)
                case _:
                    pass
        self.book = after

    @rule(assertions=st.lists(ASSERTIONS, max_size=4), second=st.integers(0, 3), turn=TURNS)
    def record(self, assertions: list[Assertion], second: int, turn: int | None) -> None:
        self.take(record(self.book, assertions, moment(second, turn)), by_person=False)

    @rule(topic=TOPICS, value=VALUES, temporal=CLASSES, second=st.integers(0, 3))
    def state(self, topic: Topic, value: str, temporal: TemporalClass, second: int) -> None:
        self.take(state(ACT, self.book, Statement(topic, value, temporal), moment(second)), by_person=True)

    @rule(ident=IDS)
    def delete(self, ident: str) -> None:
        try:
            self.take(delete(ACT, self.book, ident, moment()), by_person=True)
        except (UnknownFact, NotCurrent):
            return
        assert self.book.fact(ident).state is FactState.DELETED

    @rule(ident=IDS, scope=SCOPES, second=st.integers(0, 3))
    def move(self, ident: str, scope: Scope, second: int) -> None:
        try:
            self.take(move(self.book, ident, scope, moment(second)), by_person=False)
        except (UnknownFact, NotCurrent, PersonOnly, AlreadyThere):
            return

    @rule(ident=IDS, scope=SCOPES, second=st.integers(0, 3))
    def move_by_person(self, ident: str, scope: Scope, second: int) -> None:
        try:
            self.take(move_by_person(ACT, self.book, ident, scope, moment(second)), by_person=True)
        except (UnknownFact, NotCurrent, AlreadyThere):
            return

    @rule()
    def save_and_read_back(self) -> None:
        again = self.book.replaced(
            read_ledger(ledger.scope, load_object(dump(write_ledger(ledger)))) for ledger in self.book.ledgers
        )
        assert again == self.book
        self.book = again

    @invariant()
    def a_value_is_held_once(self) -> None:
        for topic in {fact.topic for fact in self.book}:
            heads = self.book.heads(topic)
            assert len({fact.says for fact in heads}) == len(heads)

    @invariant()
    def one_source_holds_one_value_of_a_topic_in_a_scope(self) -> None:
        heads = [(fact.scope, fact.topic, fact.source.kind, fact.approved) for fact in self.book]
        assert len(set(heads)) == len(heads)

    @invariant()
    def the_shared_store_holds_one_fact_a_topic(self) -> None:
        assert all(len(heads) == 1 for heads in self.book.permanent.by_topic.values())

    @invariant()
    def precedence_is_total(self) -> None:
        for topic in {fact.topic for fact in self.book}:
            keys = [fact.precedence for fact in self.book.heads(topic)]
            assert keys == sorted(set(keys))

    @invariant()
    def a_fact_changes_in_its_state_alone_and_holds_no_more_once_it_does_not(self) -> None:
        for ledger in self.book.ledgers:
            for ident, fact in ledger.facts.items():
                old = self.seen.get(ident)
                if old is not None and not old.current:
                    assert fact == old
                elif old is not None:
                    assert replace(fact, state=FactState.CURRENT, superseded_by=None) == old
                self.seen[ident] = fact
        assert set(self.seen) == {ident for ledger in self.book.ledgers for ident in ledger.facts}

    @invariant()
    def what_superseded_a_fact_is_of_its_topic(self) -> None:
        for ledger in self.book.ledgers:
            for fact in ledger.facts.values():
                assert (fact.superseded_by is not None) == (fact.state is FactState.SUPERSEDED)
                if fact.superseded_by is not None:
                    assert self.book.fact(fact.superseded_by).topic == fact.topic

    @invariant()
    def versions_count_up_in_each_identity_and_source(self) -> None:
        for ledger in self.book.ledgers:
            versions: dict[tuple[Topic, str], list[int]] = {}
            for fact in ledger.facts.values():
                versions.setdefault((fact.topic, fact.source.kind), []).append(fact.version)
            assert all(found == list(range(1, len(found) + 1)) for found in versions.values())

    @invariant()
    def the_conflicts_told_are_the_conflicts_there_are(self) -> None:
        assert set(self.book.conflicts()) == self.conflicts

    @invariant()
    def the_indexes_agree_with_the_facts(self) -> None:
        for ledger in self.book.ledgers:
            current = {ident: fact for ident, fact in ledger.facts.items() if fact.current}
            assert dict(ledger.current) == current
            assert {ident for heads in ledger.by_topic.values() for ident in heads} == current.keys()
            assert all(
                ledger.facts[ident].topic == topic for topic, heads in ledger.by_topic.items() for ident in heads
            )


Acts.TestCase.settings = settings(max_examples=80, stateful_step_count=25, deadline=None)
TestActs = Acts.TestCase


@settings(deadline=None, max_examples=100)
@given(st.lists(ASSERTIONS, max_size=8), st.lists(st.tuples(TOPICS, VALUES), max_size=5))
def test_what_others_keep_is_held_once_beside_the_conversations_own(
    own: list[Assertion], kept: list[tuple[Topic, str]]
) -> None:
    book = record(FactBook(), own, moment()).book
    theirs = FactBook()
    for topic, value in kept:
        theirs = state(ACT, theirs, Statement(topic, value, TemporalClass.PERMANENT), moment()).book
    changed = adopted(book, theirs.permanent)
    held = {(fact.topic, fact.says) for fact in theirs.permanent.current.values()}
    assert not [fact for fact in changed.book.thread.current.values() if (fact.topic, fact.says) in held]
    assert changed.book.permanent is theirs.permanent
    assert adopted(changed.book, theirs.permanent).changes == ()
