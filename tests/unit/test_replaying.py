"""A saved conversation through another model: nothing runs, nothing of it changes, and what differs is said."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import aclosing
from pathlib import Path

import pytest

from tests.fakes.model import Answer, Hang, ScriptedModel, calls, says
from tests.fakes.session import session_with
from tests.fakes.wisp_process import replay as script
from wisp_tui import entry
from wisp_tui.audit import AuditLog
from wisp_tui.audit.reader import read_events
from wisp_tui.cli.faults import UsageFault
from wisp_tui.cli.replay import span
from wisp_tui.config import Home, Settings
from wisp_tui.events import Bus
from wisp_tui.models import Capability, ModelError, Usage
from wisp_tui.models.choose import Choice
from wisp_tui.session import ThreadOptions
from wisp_tui.session.commands import run_command_line
from wisp_tui.session.looking import silent_session
from wisp_tui.session.replaying import CallState, Compared, Replay, Span, read_recording
from wisp_tui.session.replaying.comparing import Call, Side, turns_words
from wisp_tui.session.replaying.tape import NOT_RUN
from wisp_tui.text.json import JsonObject

PLAIN = frozenset({Capability.TOOLS, Capability.REFUSES_OVERFLOW})
"""Tools, and no schema: what leaves is dropped without asking the model."""
EVERY = Span()
CONTROLS = "A\x1b]52;c;SGk=\x1b\\B\x1b[2J\x9b31m"


def model(*answers: Answer, window: int = 8192, name: str = "fake:other") -> ScriptedModel:
    return ScriptedModel(list(answers), window=window, capabilities=PLAIN, name=name)


async def recorded(tmp_path: Path, recorder: ScriptedModel, *prompts: str) -> None:
    """Hold a conversation and save it as ``harbour``; a prompt that begins with ! is typed as a command."""
    (tmp_path / "work").mkdir(exist_ok=True)
    (tmp_path / "work" / "a.txt").write_text("hello\n")
    session = session_with(tmp_path, recorder)
    thread = session.new_thread(ThreadOptions())
    for prompt in prompts:
        if prompt.startswith("!"):
            await thread.run_typed(prompt[1:])
        else:
            await thread.submit(prompt)
    assert not (await run_command_line(thread, "/save harbour")).failed
    await session.close()


def replay(tmp_path: Path, other: ScriptedModel, wanted: Span = EVERY) -> Replay:
    async def choose(
        home: Home, settings: Settings, environment: Mapping[str, str], named: str | None = None
    ) -> Choice:
        del home, settings, environment, named
        return Choice(other, "a test says so")

    home = Home(tmp_path / "home")
    session = silent_session(home, Settings(), {"PATH": "/usr/bin:/bin"}, tmp_path / "work", choose)
    recording = read_recording("harbour", session.shelf.load("harbour"), home.logs)
    return Replay(session, recording, other.id, AuditLog(home.logs, Bus(), version="0"), wanted)


async def replayed(tmp_path: Path, other: ScriptedModel, wanted: Span = EVERY) -> list[Compared]:
    running = replay(tmp_path, other, wanted)
    await running.begin()
    found = [compared async for compared in running.turns()]
    await running.session.close()
    return found


def files(tmp_path: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path.name != "audit.jsonl"}


def own_events(tmp_path: Path) -> list[tuple[str, JsonObject]]:
    events = list(read_events(tmp_path / "home" / "logs"))
    end = max(place for place, event in enumerate(events) if event.kind == "session.end")
    return [(event.kind, event.details) for event in events[end + 1 :]]


async def test_no_tool_runs_recorded_results_are_given_back_and_every_call_is_accounted_for(tmp_path: Path) -> None:
    read: tuple[str, JsonObject] = ("read_file", {"path": "a.txt"})
    date: tuple[str, JsonObject] = ("current_date", {})
    await recorded(
        tmp_path,
        model(calls(read, date), says("It says hello."), says("Bye.", usage=Usage(900, 3))),
        "What does it say?",
        "!echo typed",
        "Thanks.",
    )
    (tmp_path / "work" / "a.txt").write_text("changed since\n")
    before = files(tmp_path)
    other = model(
        calls(read, ("run_command", {"command": "touch EVIL"}), ("edit_file", {"path": "a.txt"})),
        says(f"Hello{CONTROLS}."),
        calls(date, ("no_such_tool", {})),
        says("Bye."),
    )
    first, second = await replayed(tmp_path, other)

    states = [(call.call.tool, call.state, call.given) for call in first.calls]
    assert states == [
        ("read_file", CallState.SAME, "given back"),
        ("run_command", CallState.REPLAYED, "not run"),
        ("edit_file", CallState.REPLAYED, "not run"),
        ("current_date", CallState.RECORDED, None),
    ]
    assert [(call.call.tool, call.given) for call in second.calls] == [
        ("current_date", "given back from turn 1"),
        ("no_such_tool", None),
    ]
    results = [message.content for message in other.requests[1].messages if message.answers]
    assert "hello" in results[0]
    assert "changed since" not in results[0]
    assert results[1:] == [NOT_RUN, NOT_RUN]
    assert (first.recorded.reply, first.replayed.reply) == ("It says hello.", "HelloAB.")
    assert (second.alike, second.recorded.input, second.recorded.output) == (1.0, 900, 3)
    assert "typed" in "".join(message.content for message in other.requests[-1].messages)
    assert files(tmp_path) == before
    kinds = [kind for kind, _ in own_events(tmp_path)]
    assert kinds == ["replay.start", "replay.turn", "replay.turn", "replay.end"]


@pytest.mark.parametrize("wanted", [EVERY, Span(5, 6), Span(8)])
async def test_the_same_replies_make_the_same_contexts_condensations_included(tmp_path: Path, wanted: Span) -> None:
    prompts = [f"Question {number}: " + "harbour wall stone " * 40 for number in range(1, 9)]
    run = calls(("read_file", {"path": "a.txt"}))
    answers = [answer for number in range(1, 9) for answer in (run, says(f"Answer {number}. " + "sea " * 100))]
    await recorded(tmp_path, model(*answers, window=2600), *prompts)
    first = (wanted.first - 1) * 2
    found = await replayed(tmp_path, model(*answers[first:], window=2600), wanted)
    assert [compared.turn for compared in found] == list(range(wanted.first, (wanted.last or 8) + 1))
    assert any(compared.recorded.context and compared.recorded.context.left for compared in found)
    for compared in found:
        assert compared.alike == 1
        assert compared.recorded.context == compared.replayed.context
        assert all(call.state is CallState.SAME for call in compared.calls)

    if wanted == EVERY:
        wide = await replayed(tmp_path, model(*answers, window=32_768))
        assert all(compared.replayed.context and not compared.replayed.context.left for compared in wide)


async def test_a_turn_that_fails_is_told_and_the_next_goes_on(tmp_path: Path) -> None:
    await recorded(tmp_path, model(says("One."), says("Two.")), "First?", "Second?")
    first, second = await replayed(tmp_path, model([ModelError(f"it broke{CONTROLS}")], says("Two.")))
    assert (first.replayed.outcome, first.replayed.message) == ("error", "it brokeAB")
    assert (second.replayed.outcome, second.alike) == ("ok", 1.0)


async def test_one_that_is_stopped_keeps_what_was_compared(tmp_path: Path) -> None:
    await recorded(tmp_path, model(says("One."), says("Two.")), "First?", "Second?")
    before = files(tmp_path)
    hang = Hang(asyncio.Event())
    running = replay(tmp_path, model(says("One."), [hang]))
    await running.begin()
    found: list[int] = []

    async def run() -> None:
        async with aclosing(running.turns()) as turns:
            async for compared in turns:
                found.extend([compared.turn])

    task = asyncio.create_task(run())
    await hang.reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await running.session.close()
    assert found == [1]
    assert own_events(tmp_path)[-1] == ("replay.end", {"turns": 1, "model": "fake:other"})
    assert files(tmp_path) == before


async def test_without_the_audit_log_the_replies_are_compared_all_the_same(tmp_path: Path) -> None:
    await recorded(tmp_path, model(says("One.")), "First?")
    for log in (tmp_path / "home" / "logs").glob("audit*"):
        log.unlink()
    (compared,) = await replayed(tmp_path, model(says("One.")))
    assert (compared.alike, compared.recorded.context, compared.recorded.seconds) == (1.0, None, None)


def test_calls_are_the_same_by_tool_and_arguments_as_often_as_they_were_made() -> None:
    one, swapped = Call("run", '{"a": 1, "b": 2}'), Call("run", '{"b":2,"a":1}')
    broken = Call("run", "{")
    compared = Compared(1, "?", Side("", (one, one, broken)), Side("", (swapped, swapped, swapped, broken)))
    states = [call.state for call in compared.calls]
    assert states == [CallState.SAME, CallState.SAME, CallState.REPLAYED, CallState.SAME]


@pytest.mark.parametrize(
    ("turns", "words"), [((), "no turn"), ((3,), "turn 3"), ((1, 2, 3, 6), "turns 1-3, 6"), ((2, 1), "turns 1-2")]
)
def test_turns_are_named_by_their_spans(turns: tuple[int, ...], words: str) -> None:
    assert turns_words(turns) == words


@pytest.mark.parametrize(
    ("words", "found"),
    [(None, Span()), ("3", Span(3, 3)), ("2-5", Span(2, 5)), ("4-", Span(4)), ("-3", Span(1, 3))],
)
def test_which_turns_are_meant_is_read(words: str | None, found: Span) -> None:
    assert span(words) == found


@pytest.mark.parametrize("words", ["", "-", "x", "0", "5-2", "1,2", "--3", "1-2-3", "²"])
def test_what_names_no_turns_is_refused(words: str) -> None:
    with pytest.raises(UsageFault):
        span(words)


def interrupted(compared: Compared) -> Iterator[str]:
    """Press Ctrl-C once a turn was compared."""
    os.kill(os.getpid(), signal.SIGINT)
    yield str(compared.turn)


def test_the_command_shows_each_turn_and_says_what_it_cannot_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asyncio.run(recorded(tmp_path, model(says("One. [/] \x1b[2J"), says("Two.")), "First [bold]?", "Second?"))
    monkeypatch.setenv("WISP_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "work")
    other = script(tmp_path / "o.jsonl", {"reply": "One. [/etc/hosts]\nMore."}, {"reply": "Two."}, window=4096)

    def wisp(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["wisp", "replay", *arguments])
        code = entry.wisp()
        out, err = capsys.readouterr()
        assert "\x1b" not in out + err
        return code, out, err

    code, out, _ = wisp("harbour", "-m", other)
    assert code == 0
    for part in ("turn 1  First [bold]?", "One. [/]", "One. [/etc/hosts]", "reply    the same", "tokens by estimate"):
        assert part in out
    code, out, _ = wisp("harbour", "-m", other, "--diff", "--turns", "1")
    assert (code, "-One. [/]" in out, "+More." in out) == (0, True, True)
    code, out, _ = wisp("harbour", "-m", other, "--json")
    told = json.loads(out)
    assert (code, told["name"], told["of"], told["stopped"], len(told["turns"])) == (0, "harbour", 2, False, 2)
    assert told["turns"][1]["alike"] == 1.0

    short = script(tmp_path / "s.jsonl", {"reply": "One."}, {"error": "it broke"})
    assert wisp("harbour", "-m", short)[0] == 1
    for arguments, words, status in (
        (("harbour", "-m", "replay:none.jsonl"), "cannot be read", 69),
        (("harbour", "-m", "nothing:x"), "names no runtime", 69),
        (("harbour",), "missing option", 64),
        (("nothing", "-m", other), "no conversation is saved", 64),
        (("../x", "-m", other), "is no name", 64),
        (("harbour", "-m", other, "--turns", "3"), "harbour has turns 1 to 2", 64),
    ):
        code, _, err = wisp(*arguments)
        assert (code, words in err, len(err.splitlines())) == (status, True, 1), err

    hanging = script(tmp_path / "h.jsonl", {"reply": "One."}, {"hang": True})
    monkeypatch.setattr("wisp_tui.cli.replaying.lines", interrupted)
    code, out, err = wisp("harbour", "-m", hanging, "--json")
    assert (code, json.loads(out)["stopped"], "stopped after 1 of 2 turns" in err) == (130, True, True)
    (tmp_path / "home" / "transcripts" / "harbour.json").write_text("{")
    assert wisp("harbour", "-m", other)[0] == 64
