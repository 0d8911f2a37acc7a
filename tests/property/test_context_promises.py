"""The promises of the record and the composed context, over generated conversations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.talks import Called, Talk, Turned
from tests.fakes.texts import CLASSES
from wisp_tui.context.composer import Composer, Composition, Plan
from wisp_tui.context.condensing import Fixed, Policy, Target
from wisp_tui.context.cuts import apply_cuts
from wisp_tui.context.outcome import Verdict
from wisp_tui.context.parts import Form, Layer
from wisp_tui.context.record import EntryKind, Origin
from wisp_tui.context.references import LIMIT
from wisp_tui.context.sidecar import resume, write_links, write_transcript
from wisp_tui.models import Role
from wisp_tui.text.ids import SessionId, TurnNumber
from wisp_tui.text.tokens import estimate_tokens


def made(name: str, seed: int, size: int) -> str:
    """Make a text of a class."""
    return CLASSES[name](Random(seed), size)


def texts(largest: int = 6000) -> st.SearchStrategy[str]:
    """Draw a text of any class, or any few characters."""
    of_a_class = st.builds(made, st.sampled_from(sorted(CLASSES)), st.integers(0, 99), st.integers(1, largest))
    return st.one_of(st.text(max_size=40), of_a_class)


CALLS = st.builds(
    Called,
    tool=st.sampled_from(["read_file", "run_command"]),
    arguments=st.sampled_from(["{}", '{"path": "a"}', '{"command": "make"}']),
    output=st.one_of(st.none(), texts()),
    ok=st.booleans(),
    status=st.sampled_from([None, 0, 1]),
)
TURNS = st.builds(
    Turned,
    prompt=texts(2000),
    commands=st.lists(texts(500), max_size=2).map(tuple),
    calls=st.lists(st.lists(CALLS, min_size=1, max_size=3).map(tuple), max_size=3).map(tuple),
    reply=st.one_of(st.none(), texts(3000)),
    copies=st.booleans(),
)
POLICIES: st.SearchStrategy[Policy] = st.one_of(
    st.builds(Target, budget=st.floats(0.3, 0.95), target=st.floats(0.0, 1.0)),
    st.builds(Fixed, keep_turns=st.integers(0, 6)),
)


@dataclass(frozen=True, repr=False)
class Script:
    """A conversation to be had: drawn as a value, had in the test, so that drawing stays cheap."""

    window: int
    policy: Policy
    ratio: float
    memory: bool
    turns: Sequence[Turned]

    def had(self) -> Talk:
        """Have it."""
        talk = Talk(window=self.window, policy=self.policy, ratio=self.ratio, memory=self.memory)
        for turned in self.turns:
            talk.take(turned)
        return talk


SCRIPTS = st.builds(
    Script,
    window=st.sampled_from([2048, 4096, 8192, 131_072]),
    policy=POLICIES,
    ratio=st.floats(0.7, 1.6),
    memory=st.booleans(),
    turns=st.lists(TURNS, min_size=1, max_size=8),
)
promise = settings(max_examples=60, deadline=None)


def every(talk: Talk) -> list[Composition]:
    """Every request of a conversation, and what the next would carry."""
    return [*(composition for _, composition in talk.sent), talk.composer.compose(talk.record, talk.plan(None))]


@promise
@given(SCRIPTS)
def test_nothing_is_lost(script: Script) -> None:
    """Each entry is whole, or cut, or referenced, or dropped by a condensation it names; the record has it all."""
    talk = script.had()
    composition = every(talk)[-1]
    parts = {part.entry: part for part in composition.parts if part.form is not Form.BLOCK}
    for entry in talk.record:
        state = talk.record.state(entry.id)
        if entry.id not in parts:
            assert state.dropped_by
            assert state.dropped_at is not None
            continue
        part = parts[entry.id]
        assert not state.dropped_by
        match part.form:
            case Form.WHOLE:
                assert part.text == entry.text
            case Form.CUT:
                assert part.text == apply_cuts(entry.text, state.cuts)
                for cut in state.cuts:
                    assert talk.record.entry(cut.output).kind is EntryKind.OUTPUT
                    assert f"entry {cut.output})" in part.text
            case Form.REFERENCE:
                assert part.text.startswith(f"[output of entry {entry.id} not repeated: ")
                assert len(part.text.encode()) < min(len(entry.text.encode()), LIMIT + 1)
            case Form.BLOCK:
                raise AssertionError


@promise
@given(SCRIPTS, TURNS)
def test_nothing_is_edited(script: Script, turned: Turned) -> None:
    talk = script.had()
    before, states = list(talk.record), {entry.id: talk.record.state(entry.id) for entry in talk.record}
    talk.take(turned)
    after = list(talk.record)
    assert after[: len(before)] == before
    for ident, state in states.items():
        later = talk.record.state(ident)
        assert later.dropped_by == state.dropped_by or state.active
        assert later.referenced_at == state.referenced_at or state.referenced_at is None
        assert later.cuts == state.cuts or not state.cuts


@promise
@given(SCRIPTS)
def test_every_past_request_composes_again_to_the_same_bytes(script: Script) -> None:
    talk = script.had()
    fresh = Composer(estimate_tokens)
    for plan, sent in talk.sent:
        again = fresh.compose(talk.record, plan)
        assert again.sha256 == sent.sha256
        assert again.parts == sent.parts


@promise
@given(SCRIPTS)
def test_a_condensation_ends_at_its_goal_or_says_floor(script: Script) -> None:
    talk = script.had()
    for _, outcome in talk.outcomes:
        assert outcome.after.total <= outcome.before.total
        if isinstance(talk.policy, Fixed):
            continue
        assert outcome.floor == (outcome.after.context > outcome.goal)
        if outcome.verdict is Verdict.HOPELESS and outcome.before == outcome.after:
            continue
        assert len(outcome.after.turns) >= min(len(outcome.before.turns), 1)
        assert not outcome.floor or len(outcome.after.turns) <= 1
        assert outcome.verdict is Verdict.FITS or outcome.too_large
        assert (outcome.after.total <= outcome.window) == (outcome.verdict is Verdict.FITS)


@promise
@given(SCRIPTS)
def test_what_may_be_sent_to_a_runtime_that_cuts_silently_is_within_the_window(script: Script) -> None:
    talk = script.had()
    for _, outcome in talk.outcomes:
        if outcome.may_send(refuses_overflow=False):
            assert outcome.after.total <= outcome.window


@promise
@given(SCRIPTS)
def test_every_result_follows_its_call_and_every_call_has_one_result(script: Script) -> None:
    talk = script.had()
    for composition in every(talk):
        awaited: list[str] = []
        for message in composition.messages:
            if message.role is Role.TOOL:
                assert message.answers == awaited.pop(0)
                continue
            assert not awaited
            awaited = [call.id for call in message.tool_calls]
            assert len(set(awaited)) == len(awaited)
        assert not awaited


@promise
@given(SCRIPTS)
def test_nothing_of_the_conversation_is_ever_in_the_instructions(script: Script) -> None:
    talk = script.had()
    for composition in every(talk):
        roles = [message.role for message in composition.messages]
        assert roles.count(Role.SYSTEM) == 1
        assert composition.messages[0].content == talk.instructions


@promise
@given(SCRIPTS)
def test_layers_come_in_their_order_and_entries_in_theirs(script: Script) -> None:
    talk = script.had()
    order = list(Layer)
    for composition in every(talk):
        places = [order.index(part.layer) for part in composition.parts]
        assert places == sorted(places)
        ids = [part.entry for part in composition.parts if part.entry is not None and part.form is not Form.BLOCK]
        assert all(one < other for one, other in pairwise(ids))
        assert composition.bytes == sum(composition.bytes_by_layer().values())
        assert composition.tokens == sum(composition.by_layer().values())


@promise
@given(SCRIPTS, st.lists(TURNS, max_size=3))
def test_a_resumed_conversation_goes_on_with_the_context_it_would_have_sent(script: Script, more: list[Turned]) -> None:
    talk = script.had()
    plan = talk.plan(None)
    sent = talk.composer.compose(talk.record, plan)
    links = write_links(talk.record, sessions=[SessionId("s1")], sha256=sent.sha256)
    saved = resume("x", write_transcript(talk.record), links)
    resumed = Composer(estimate_tokens).compose(saved.record, plan)
    assert resumed.sha256 == sent.sha256 == saved.sha256
    assert [entry.text for entry in saved.record] == [entry.text for entry in talk.record]
    for entry in saved.record:
        was, now = talk.record.state(entry.id), saved.record.state(entry.id)
        assert now.dropped_by == was.dropped_by
        assert (now.dropped_at, now.referenced_at) == (
            TurnNumber(0) if was.dropped_at is not None else None,
            TurnNumber(0) if was.referenced_at is not None else None,
        )
        assert entry.sources == talk.record.entry(entry.id).sources
        assert entry.origin is Origin.RESUMED
    on = Talk(window=talk.window, policy=talk.policy, ratio=talk.ratio, memory=talk.memory, record=saved.record)
    on.summary, on.squeezed, on.events = talk.summary, talk.squeezed, talk.events
    for turned in more:
        on.take(turned)
    for plan_then, composition in on.sent:
        assert Composer(estimate_tokens).compose(on.record, plan_then).sha256 == composition.sha256


@promise
@given(SCRIPTS)
def test_saving_what_was_resumed_writes_the_same_transcript(script: Script) -> None:
    talk = script.had()
    first = write_transcript(talk.record)
    saved = resume("x", first, write_links(talk.record, sessions=[], sha256=None))
    assert write_transcript(saved.record, saved.kept) == first
    again = resume("x", first, write_links(saved.record, sessions=saved.sessions, sha256=None, kept=saved.kept))
    assert list(again.record) == list(saved.record)
    assert [again.record.state(e.id) for e in again.record] == [saved.record.state(e.id) for e in saved.record]


def test_a_plan_without_a_request_looks_at_the_next_one() -> None:
    talk = Talk()
    talk.take(Turned())
    composition = talk.composer.compose(talk.record, Plan())
    assert not [part for part in composition.parts if part.layer is Layer.REQUEST]
