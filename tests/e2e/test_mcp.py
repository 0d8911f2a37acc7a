"""``wisp mcp`` as a process: its protocol stays clean, and it ends cleanly however its client ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest
from mcp import types

from tests.fakes.mcp_client import NEWER, OLDER, Person, process
from tests.fakes.wisp_process import WISP, environment, replay
from wisp_tui.audit import read_events
from wisp_tui.config import Home
from wisp_tui.events import Kind
from wisp_tui.pending import Pending, RequestState
from wisp_tui.text.json import Json, JsonObject, dump, load_object

ASKS = {"calls": [{"name": "run_command", "arguments": {"command": "touch made && echo made"}}]}


@pytest.fixture
def home(wisp_home: Path) -> Path:
    return wisp_home


@pytest.mark.parametrize("mode", [OLDER, NEWER])
async def test_a_client_of_either_era_holds_a_thread_over_pipes(home: Path, tmp_path: Path, mode: str) -> None:
    model = replay(tmp_path / "r.jsonl", ASKS, {"reply": "Done."}, {"reply": "Two."}, window=8192)
    person = Person("once")
    async with process(home, model, mode=mode, person=person) as caller:
        done = await caller.respond("do it", thread_id="t")
        assert (done.text, done.content["calls"][0]["exitStatus"]) == ("Done.", 0)
        assert len(person.asked) == 1
        assert (tmp_path / "made").exists()
        assert (await caller.respond("and?", thread_id="t")).text == "Two."
        resources = caller.client.server_capabilities.resources
        assert resources == types.ResourcesCapability(subscribe=True, list_changed=True)


@contextmanager
def started(home: Path, model: str) -> Generator[subprocess.Popen[bytes]]:
    """Start a server that is spoken to by hand; it is killed at the end of the block if it still runs."""
    server = subprocess.Popen(
        [*WISP, "mcp", "-m", model],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(home),
        cwd=home.parent,
    )
    try:
        yield server
    finally:
        server.kill()
        server.wait()
        for end in (server.stdin, server.stdout, server.stderr):
            pipe(end).close()


def pipe(end: IO[bytes] | None) -> IO[bytes]:
    assert end is not None
    return end


def say(server: subprocess.Popen[bytes], *messages: JsonObject) -> None:
    for message in messages:
        pipe(server.stdin).write(dump({"jsonrpc": "2.0", **message}) + b"\n")
    pipe(server.stdin).flush()


def heard(server: subprocess.Popen[bytes]) -> JsonObject:
    return load_object(pipe(server.stdout).readline())


def greet(server: subprocess.Popen[bytes]) -> None:
    about: dict[str, Json] = {"protocolVersion": "2025-11-25", "capabilities": {}}
    say(
        server,
        {"id": 1, "method": "initialize", "params": {**about, "clientInfo": {"name": "by hand", "version": "1"}}},
        {"method": "notifications/initialized"},
    )
    assert heard(server)["id"] == 1


def ask(server: subprocess.Popen[bytes], home: Path, until: str) -> None:
    """Have a turn run, until an event of a kind is in the log."""
    say(
        server,
        {
            "id": 2,
            "method": "tools/call",
            "params": {
                "name": "respond",
                "arguments": {"prompt": "go", "thread_id": "t"},
                "_meta": {"progressToken": 7},
            },
        },
    )
    while until not in [event.kind for event in read_events(home / "logs")]:
        heard(server)  # progress, which comes with each thing that begins


def test_a_client_that_goes_in_mid_call_loses_nothing(home: Path, tmp_path: Path) -> None:
    model = replay(tmp_path / "r.jsonl", {"reply": "Let me see.", **ASKS})
    with started(home, model) as server:
        greet(server)
        ask(server, home, Kind.APPROVAL_PENDING)
        _, errors = server.communicate(timeout=60)  # closes its input
    assert server.returncode == 0
    assert b"Traceback" not in errors
    events = list(read_events(home / "logs"))
    kinds = [event.kind for event in events]
    assert kinds[-1] == Kind.SESSION_END
    assert {Kind.PROMPT, Kind.RESPONSE, Kind.TOOL_CALL, Kind.TOOL_RESULT} <= set(kinds)
    (settled,) = [event for event in events if event.kind == Kind.APPROVAL_SETTLED]
    assert settled.details["outcome"] == "withdrawn"
    snapshot = Pending(Home(home)).snapshot()
    assert snapshot.waiting == ()
    assert [outcome.state for _, outcome in snapshot.settled] == [RequestState.WITHDRAWN]
    assert not (tmp_path / "made").exists()


def test_a_signal_ends_it_while_the_client_holds_the_pipe_open(home: Path, tmp_path: Path) -> None:
    model = replay(tmp_path / "r.jsonl", {"reply": "Half", "hang": True})
    with started(home, model) as server:
        greet(server)
        ask(server, home, Kind.CONTEXT_COMPOSED)
        server.send_signal(signal.SIGTERM)
        assert server.wait(60) == 128 + signal.SIGTERM
    assert [event.kind for event in read_events(home / "logs")][-1] == Kind.SESSION_END


def test_half_a_character_is_answered_and_a_client_that_reads_nothing_keeps_nothing(home: Path, tmp_path: Path) -> None:
    model = replay(tmp_path / "r.jsonl", {"match": "^one \ufffd two \U0001f600$", "reply": "Read."})
    call = {"name": "respond", "arguments": {"prompt": "PROMPT"}}
    with started(home, model) as server:
        greet(server)
        line = dump({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}) + b"\n"
        pipe(server.stdin).write(line.replace(b"PROMPT", rb"one \ud800 two \ud83d\ude00"))
        pipe(server.stdin).flush()
        while (answer := heard(server)).get("id") != 2:
            pass
        result = answer["result"]
        assert isinstance(result, dict)
        assert (result["isError"], result["content"]) == (False, [{"type": "text", "text": "Read."}])
        for number in range(3, 103):  # far more is answered than the pipe holds
            say(server, {"id": number, "method": "tools/list", "params": {}})
        heard(server)
        pipe(server.stdin).close()
        assert server.wait(60) == 0


def test_it_ends_with_the_process_that_started_it(home: Path, tmp_path: Path) -> None:
    model = replay(tmp_path / "r.jsonl", {"reply": "Hello."})
    reading, writing = os.pipe()  # held open here, as another child of its client might
    starter = f"exec 3<&0; {' '.join(WISP)} mcp -m {model} <&3 3<&- & wait"
    client = subprocess.Popen(
        ["sh", "-c", starter], stdin=reading, stdout=subprocess.PIPE, env=environment(home), cwd=home.parent
    )
    os.close(reading)
    try:
        os.write(writing, dump({"jsonrpc": "2.0", "id": 1, "method": "ping"}) + b"\n")
        assert load_object(pipe(client.stdout).readline())["id"] == 1
        client.kill()
        client.wait()
        assert pipe(client.stdout).read() == b""  # its last writer, the server, has gone
    finally:
        os.close(writing)
        pipe(client.stdout).close()


def test_what_else_is_written_or_read_never_touches_the_wire(tmp_path: Path) -> None:
    code = (
        "import asyncio, os, subprocess, sys\n"
        "from wisp_tui.mcp.wire import standard_streams\n"
        "async def main():\n"
        "    with standard_streams() as streams:\n"
        "        print('a print', flush=True)\n"
        "        print('unflushed', end=' ')\n"
        "        os.write(1, b'a write\\n')\n"
        "        subprocess.run(['sh', '-c', 'echo a child; cat'], check=True)\n"
        "        line = await streams.source.readline()\n"
        "        await streams.sink.write('heard ' + line)\n"
        "        await streams.sink.flush()\n"
        "asyncio.run(main())\n"
        "print('after')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input="one\ntwo\n",
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment(tmp_path / "home"),
        timeout=60,
        check=True,
    )
    assert done.stdout == "heard one\nafter\n"
    assert done.stderr == "a print\na write\na child\nunflushed "
