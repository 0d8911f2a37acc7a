"""What takes long is said: once, after a while, and only where nothing else is to be seen."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.fakes.model import ScriptedModel, says
from tests.fakes.session import session_with
from wisp_tui.cli.patience import Patience
from wisp_tui.events import Activity, AuditEvent, ReplyDelta, Subscription, Transient, TurnStarted
from wisp_tui.session import ThreadOptions, long_work
from wisp_tui.session.commands import run_command_line
from wisp_tui.text.ids import EntryId, SessionId, TurnNumber

HERE = SessionId("here")


async def activity(events: Subscription) -> Activity:
    """Wait for the next activity."""
    async for event in events:
        if isinstance(event, Activity):
            return event
    raise AssertionError


async def test_work_outside_a_turn_is_an_activity_once_it_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread = session_with(tmp_path, ScriptedModel([says("Yes.")])).new_thread(ThreadOptions())
    held = thread.conversation
    with held.bus.subscribe() as events:
        assert not (await run_command_line(thread, "/export a.html")).failed
        assert not [event for event in events.take() if isinstance(event, Activity)], "it took no second"

        monkeypatch.setattr(long_work, "PATIENCE", 0.0)
        async with long_work.long_work(held, "writing"):
            said = await activity(events)
            assert (said.doing, said.in_turn) == ("writing", False)
        assert (await activity(events)).doing is None

        held.running = EntryId(1)
        async with long_work.long_work(held, "writing"):
            for _ in range(3):
                await asyncio.sleep(0)
        assert events.take() == [], "a turn that runs says what it does itself"


async def test_plain_lines_say_each_thing_once_in_a_turn_and_nothing_that_is_seen_anyway() -> None:
    said: list[str] = []

    async def say(line: str) -> None:
        said.append(line)

    patience = Patience(say, seconds=0.0)

    async def happens(*happened: AuditEvent | Transient) -> None:
        for event in happened:
            patience.take(event)
        for _ in range(4):
            await asyncio.sleep(0)

    await happens(TurnStarted(HERE, TurnNumber(1), "?"), Activity(HERE, "waiting for the model"))
    await happens(Activity(HERE, "reading the context, 10 of 90 tokens"))
    await happens(Activity(HERE, "reading the context, 20 of 90 tokens"))
    await happens(Activity(HERE, "replying"), ReplyDelta(HERE, TurnNumber(1), "Yes"))
    await happens(Activity(HERE, "waiting for the model"), Activity(HERE, None))
    assert said == ["waiting for the model …", "reading the context, 10 of 90 tokens …"]
    await happens(TurnStarted(HERE, TurnNumber(2), "?"), Activity(HERE, "waiting for the model"))
    await happens(Activity(HERE, "\x1b[2Jopening", in_turn=False))
    assert said[2:] == ["waiting for the model …", "opening …"]
    await happens(Activity(HERE, "run_command make"), Activity(HERE, "run_command make", asking=True))
    assert len(said) == 4, "what waits for the person's word does not run yet"
    await happens(Activity(HERE, "run_command make"))
    assert said[4:] == ["run_command make …"]
    patience.seconds = 60.0
    await happens(Activity(HERE, "thinking"))
    patience.stop()
    assert len(said) == 5
