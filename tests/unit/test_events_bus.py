"""The bus: nothing blocks, audit events all arrive in order, and an unread subscription stays small."""

from __future__ import annotations

import asyncio

from wisp_tui.events import (
    Activity,
    AuditEvent,
    Bus,
    ContextFill,
    Kind,
    Note,
    ReplyDelta,
    ReplyEnded,
    ThinkingDelta,
    ToolProgress,
)
from wisp_tui.events.bus import JOINED_MOST, Event
from wisp_tui.text.ids import CallId, EventId, SessionId, TurnNumber

ONE, TWO = SessionId("one"), SessionId("two")
FIRST = TurnNumber(1)


def audited(number: int) -> AuditEvent:
    return AuditEvent(EventId(f"{number:016x}"), "", "", 0, ONE, FIRST, None, Kind.PROMPT, {})


def said(text: str, session: SessionId = ONE, turn: int = 1) -> ReplyDelta:
    return ReplyDelta(session, TurnNumber(turn), text)


def left(*events: Event) -> list[Event]:
    """Publish events to a subscription that nobody reads meanwhile, and take what is there."""
    bus = Bus()
    with bus.subscribe() as subscription:
        for event in events:
            bus.publish(event)
        return subscription.take()


def test_every_subscription_gets_every_event_in_order() -> None:
    bus = Bus()
    with bus.subscribe() as first, bus.subscribe() as second:
        for number in range(3):
            bus.publish(audited(number))
        assert first.take() == second.take() == [audited(0), audited(1), audited(2)]


def test_a_subscription_gets_nothing_from_before_it_or_after_it() -> None:
    bus = Bus()
    bus.publish(audited(0))
    with bus.subscribe() as subscription:
        bus.publish(audited(1))
    bus.publish(audited(2))
    assert subscription.take() == [audited(1)]


def test_unread_fragments_of_one_reply_are_one_fragment() -> None:
    assert left(said("a"), said("b"), said("c")) == [said("abc")]
    thought = [ThinkingDelta(ONE, FIRST, text) for text in "ab"]
    assert left(*thought) == [ThinkingDelta(ONE, FIRST, "ab")]


def test_fragments_of_different_replies_are_never_joined() -> None:
    events = [said("a"), said("b", TWO), said("c", ONE, 2), ThinkingDelta(ONE, TurnNumber(2), "d")]
    assert left(*events) == events
    assert left(said("a"), ReplyEnded(ONE, FIRST), said("b")) == [said("a"), ReplyEnded(ONE, FIRST), said("b")]


def test_joining_does_not_copy_without_end() -> None:
    events = left(*(said("x" * 1000) for _ in range(200)))
    assert all(isinstance(event, ReplyDelta) and len(event.text) < JOINED_MOST + 1000 for event in events)
    assert sum(len(event.text) for event in events if isinstance(event, ReplyDelta)) == 200_000


def test_only_the_latest_of_neighbouring_states_stays() -> None:
    assert left(Activity(ONE, "a"), Activity(ONE, "b")) == [Activity(ONE, "b")]
    fills = [ContextFill(ONE, (), 0, used, 8192, exact=False) for used in (1, 2)]
    assert left(*fills) == fills[1:]
    progress = [ToolProgress(ONE, CallId("c"), text, 1) for text in "ab"]
    assert left(*progress) == progress[1:]


def test_states_of_different_sessions_and_calls_all_stay() -> None:
    events: list[Event] = [
        Activity(ONE, "a"),
        Activity(TWO, "a"),
        ToolProgress(ONE, CallId("c"), "x", 1),
        ToolProgress(ONE, CallId("d"), "x", 1),
    ]
    assert left(*events) == events


def test_audit_events_and_notes_are_never_joined_or_dropped() -> None:
    events: list[Event] = [audited(number) for number in range(1000)]
    events += [Note(ONE, "same"), Note(ONE, "same")]
    assert left(*events) == events


def test_a_reader_that_lags_holds_the_text_once_however_many_fragments_came() -> None:
    bus = Bus()
    with bus.subscribe() as subscription:
        for _ in range(10_000):
            bus.publish(said("ab"))
            bus.publish(said("cd"))
        assert len(subscription.take()) == 1


async def test_iterating_waits_for_what_comes_and_ends_when_closed() -> None:
    bus = Bus()
    seen: list[Event] = []
    with bus.subscribe() as subscription:

        async def read() -> None:
            async for event in subscription:
                seen[len(seen) :] = [event]

        reader = asyncio.create_task(read())
        bus.publish(audited(1))
        await subscription.drained()
        assert seen == [audited(1)]
        bus.publish(audited(2))
    async with asyncio.timeout(5):
        await reader
    assert seen == [audited(1), audited(2)]


async def test_drained_waits_until_the_last_event_was_handled() -> None:
    bus = Bus()
    may_go_on = asyncio.Event()
    handled: list[Event] = []
    with bus.subscribe() as subscription:

        async def read() -> None:
            async for event in subscription:
                await may_go_on.wait()
                handled.append(event)

        reader = asyncio.create_task(read())
        await subscription.drained()
        bus.publish(audited(1))
        waiting = asyncio.create_task(subscription.drained())
        await asyncio.wait({waiting}, timeout=0)
        assert not waiting.done()
        may_go_on.set()
        async with asyncio.timeout(5):
            await waiting
        assert handled == [audited(1)]
    await reader


async def test_what_is_published_while_one_is_handled_still_comes() -> None:
    bus = Bus()
    seen: list[Event] = []
    with bus.subscribe() as subscription:
        bus.publish(audited(0))
        async for event in subscription:
            seen.append(event)
            if len(seen) < 3:
                bus.publish(audited(len(seen)))
            else:
                subscription.close()
    assert seen == [audited(0), audited(1), audited(2)]


def test_closing_twice_is_no_fault() -> None:
    subscription = Bus().subscribe()
    subscription.close()
    subscription.close()
