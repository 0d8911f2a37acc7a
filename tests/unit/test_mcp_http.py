"""Clients over HTTP: who is let in, what several share, and what hostile and dying ones bring about."""

from __future__ import annotations

import asyncio
import logging
import re
import socket
import stat
from pathlib import Path

import pytest
from mcp import MCPError, types
from starlette.types import Message, Receive, Scope, Send

from tests.fakes.mcp_client import NEWER, OLDER, Caller, Person
from tests.fakes.mcp_http import Place, served_http
from tests.fakes.model import Hang, ScriptedModel, calls, says
from tests.fakes.session import session_with
from tests.fakes.wisp_process import ROOT
from wisp_tui.audit import read_events
from wisp_tui.cli.mcp import command
from wisp_tui.config import Home
from wisp_tui.events import Kind
from wisp_tui.mcp import http
from wisp_tui.mcp.door import PATH, Door
from wisp_tui.mcp.listening import PORT, CannotListen, Where, listening
from wisp_tui.mcp.token import CannotKeep, Token
from wisp_tui.text.json import Json, JsonObject, dump, load_object

ACCEPTS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
HELLO: JsonObject = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "by hand", "version": "1"},
    },
}
BOTH = pytest.mark.parametrize("mode", [OLDER, NEWER])


async def test_nobody_is_let_in_but_a_client_with_the_token_that_means_this_server(tmp_path: Path) -> None:
    async with served_http(session_with(tmp_path, ScriptedModel([]))) as place, place.web() as web:
        port = place.url.split(":")[2].split("/")[0]
        hello = dump(HELLO)

        async def status(body: bytes = hello, **headers: str) -> int:
            return (await web.post(place.url, content=body, headers={**ACCEPTS, **headers})).status_code

        for wrong in ("", "Bearer", "Bearer x", f"Basic {place.secret}", f"Bearer {place.secret}x"):
            refused = await web.post(place.url, content=hello, headers={"Authorization": wrong})
            assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
            assert place.secret not in refused.text
        assert await status(Host="evil.example") == 421
        assert await status(Host=f"evil.example:{port}") == 421
        assert await status(Host="127.0.0.1:1") == 421
        assert await status(Host=f"localhost:{port}") == 200
        assert await status(Origin="http://evil.example") == 403
        assert await status(Origin="null") == 403
        assert await status(Origin=f"http://localhost:{port}") == 200
        assert (await web.post(place.url.replace("/mcp", "/"), content=hello)).status_code == 404
        assert (await web.options(place.url)).status_code == 405
        assert await status(Authorization=f"bearer {place.secret}") == 200


async def test_what_is_no_request_is_refused_and_the_server_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "BODY_BYTES", 100_000)
    async with served_http(session_with(tmp_path, ScriptedModel([says("Here.")]))) as place, place.web() as web:

        async def status(body: bytes, **headers: str) -> int:
            return (await web.post(place.url, content=body, headers={**ACCEPTS, **headers})).status_code

        assert await status(b"{" + b" " * 100_001) == 413
        for body in (
            b"",
            b"{",
            b"[]",
            dump([HELLO, HELLO]),
            b"null",
            b"\xff",
            b"[" * 50_000,
            b'{"jsonrpc":"2.0","id":',
        ):
            assert await status(body) == 400
            assert await status(body, **{"MCP-Protocol-Version": "2026-07-28"}) == 400
        listing = dump({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
        assert await status(listing) == 400  # before a session is begun
        assert await status(listing, **{"Mcp-Session-Id": "0" * 32}) == 404
        assert await status(listing, **{"Mcp-Session-Id": "..%2f\x7f"}) == 404
        assert await status(listing, **{"MCP-Protocol-Version": "1999-01-01"}) == 400
        assert await status(listing, **{"Content-Type": "text/plain"}) == 400
        assert await status(listing, Accept="text/html") == 406
        monkeypatch.setattr(http, "REQUEST_SECONDS", 0.2)
        for half in (
            b"",
            b"POST /mcp HT",
            b"\x16\x03\x01\x02",
            f"POST /mcp HTTP/1.1\r\nHost: {place.url[7:-4]}".encode(),
        ):
            assert b"200" not in await spoken(place, half)
        begun = f"POST /mcp HTTP/1.1\r\nHost: {place.url[7:-4]}\r\nAuthorization: Bearer {place.secret}\r\n"
        begun += (
            "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: 999\r\n"
        )
        assert b"200" not in await spoken(place, f"{begun}\r\n{{".encode())
        monkeypatch.setattr(http, "REQUEST_SECONDS", 30.0)  # on a busy machine whole requests take longer than that too
        flood = await asyncio.gather(*(status(listing, Authorization="") for _ in range(100)))
        assert set(flood) == {401}
        async with place.caller() as caller:
            assert (await caller.respond("still there?")).text == "Here."


async def spoken(place: Place, said: bytes) -> bytes:
    """Say something and leave it at that; return what is answered until the connection is closed."""
    reading, writing = await asyncio.open_connection("127.0.0.1", int(place.url.split(":")[2].split("/")[0]))
    try:
        writing.write(said)
        async with asyncio.timeout(10):
            return await reading.read()
    finally:
        writing.close()


async def test_sessions_are_counted_and_one_that_its_client_ends_stops_what_it_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "SESSIONS", 2)
    reached = asyncio.Event()
    session = session_with(tmp_path, ScriptedModel([[*says("Half")[:1], Hang(reached)]]))
    async with served_http(session) as place, place.web() as web, place.caller(mode=OLDER):
        begun = await web.post(place.url, content=dump(HELLO), headers=ACCEPTS)
        assert begun.status_code == 200
        assert (await web.post(place.url, content=dump(HELLO), headers=ACCEPTS)).status_code == 503
        held = {**ACCEPTS, "Mcp-Session-Id": begun.headers["mcp-session-id"]}
        asked: dict[str, Json] = {"jsonrpc": "2.0", "id": 9, "method": "tools/call"}
        asked["params"] = {"name": "respond", "arguments": {"prompt": "x", "thread_id": "t"}}
        with session.bus.subscribe() as events:
            call = asyncio.create_task(web.post(place.url, content=dump(asked), headers=held))
            await reached.wait()
            assert (await web.delete(place.url, headers=held)).status_code == 200
            async for event in events:
                if getattr(event, "kind", None) == Kind.RESPONSE:
                    break
        assert b'"result"' not in (await call).content
        assert (await web.post(place.url, content=dump(asked), headers=held)).status_code == 404
        assert (await web.post(place.url, content=dump(HELLO), headers=ACCEPTS)).status_code == 200


async def test_clients_share_the_threads_and_each_is_told_what_it_asked_for(tmp_path: Path) -> None:
    session = session_with(tmp_path, ScriptedModel([says("One."), says("Two."), says("Three.")]))
    async with served_http(session) as place, place.caller(mode=OLDER) as first, place.caller(mode=OLDER) as second:
        await subscribe(first, "wisp://threads/t/context")
        await subscribe(second, "wisp://threads/t/summary")
        assert (await first.respond("one", thread_id="t")).content["created"] is True
        async with place.caller(mode=NEWER) as third:
            assert (await third.respond("two", thread_id="t")).content["created"] is False
        assert (await second.respond("three", thread_id="t")).content["receipt"]["turn"] == 3
        assert await told(first) == "wisp://threads/t/context"
        assert await told(second) == "wisp://threads/t/summary"


async def subscribe(caller: Caller, uri: str) -> None:
    request = types.SubscribeRequest(params=types.SubscribeRequestParams(uri=uri))
    await caller.client.session.send_request(request, types.EmptyResult)


async def told(caller: Caller) -> str:
    while True:
        message = await asyncio.wait_for(caller.heard.get(), 10)
        if isinstance(message, types.ResourceUpdatedNotification):
            return message.params.uri


@BOTH
async def test_approvals_are_asked_for_in_the_client_that_called(tmp_path: Path, mode: str) -> None:
    model = ScriptedModel([calls(("run_command", {"command": "touch made"})), says("Done.")])
    person, other = Person("once"), Person("once")
    async with (
        served_http(session_with(tmp_path, model)) as place,
        place.caller(mode=mode, person=other),
        place.caller(mode=mode, person=person) as caller,
    ):
        steps: list[str | None] = []

        async def hear(progress: float, total: float | None, message: str | None) -> None:
            del progress, total
            steps.append(message)

        done = await caller.client.call_tool("respond", {"prompt": "do it"}, progress_callback=hear)
        assert done.is_error is not True
        assert (tmp_path / "work" / "made").exists()
        assert (len(person.asked), other.asked) == (1, [])
        assert "waiting for the model" in steps
        told = types.ResourcesCapability(subscribe=True, list_changed=True)
        assert caller.client.server_capabilities.resources == told


async def test_a_client_that_vanishes_stops_its_turn_in_the_newer_era_and_not_in_the_older(tmp_path: Path) -> None:
    reached, goes_on = asyncio.Event(), asyncio.Event()
    model = ScriptedModel([[*says("Half")[:1], Hang(reached, goes_on), *says(" and whole")]] * 2)
    session = session_with(tmp_path, model)
    async with served_http(session) as place:
        for mode, name in ((NEWER, "new"), (OLDER, "old")):
            with session.bus.subscribe() as events:
                reached.clear()
                vanishing = asyncio.create_task(call_and_vanish(place, mode, name, reached))
                await vanishing
                goes_on.set() if mode == OLDER else None
                async for event in events:
                    if getattr(event, "kind", None) == Kind.RESPONSE:
                        break
        async with place.caller() as caller:
            assert "Half" in await caller.read("wisp://threads/new/context/next")
            assert "Half and whole" in await caller.read("wisp://threads/old/context/next")


async def call_and_vanish(place: Place, mode: str, name: str, reached: asyncio.Event) -> None:
    """Ask for a turn and be gone once it runs: the connection breaks, without a word."""
    asked: dict[str, Json] = {"jsonrpc": "2.0", "id": 9, "method": "tools/call"}
    asked["params"] = {"name": "respond", "arguments": {"prompt": "x", "thread_id": name}}
    async with place.web() as web:
        headers = dict(ACCEPTS)
        if mode == OLDER:
            begun = await web.post(place.url, content=dump(HELLO), headers=ACCEPTS)
            headers |= {"Mcp-Session-Id": begun.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-11-25"}
        else:
            headers |= {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "respond"}
            params = asked["params"]
            assert isinstance(params, dict)
            about: dict[str, Json] = {"protocolVersion": "2026-07-28", "clientCapabilities": {}}
            asked["params"] = {
                **params,
                "_meta": {f"io.modelcontextprotocol/{key}": each for key, each in about.items()},
            }
        call = asyncio.create_task(web.post(place.url, content=dump(asked), headers=headers))
        waits = asyncio.create_task(reached.wait())
        await asyncio.wait({call, waits}, return_when=asyncio.FIRST_COMPLETED)
        assert not call.done(), call.result().text
        call.cancel()
        waits.cancel()


@BOTH
async def test_at_the_end_what_runs_is_stopped_and_said_to_be(tmp_path: Path, mode: str) -> None:
    reached, heard = asyncio.Event(), list[str]()
    session = session_with(tmp_path, ScriptedModel([[*says("Half")[:1], Hang(reached)]]))

    async def ask(place: Place) -> None:
        async with place.caller(mode=mode) as caller:
            try:
                heard.append((await caller.respond("x", thread_id="t")).text)
            except MCPError as error:
                heard.append(str(error))

    async with served_http(session) as place:
        asking = asyncio.create_task(ask(place))
        await reached.wait()
    await asyncio.wait_for(asyncio.wait({asking}), 10)
    assert heard == ["stopped: wisp mcp is ending"]
    events = [event.kind for event in read_events(session.home.logs)]
    assert events[-1] == Kind.SESSION_END
    assert Kind.RESPONSE in events


async def test_a_session_is_over_when_it_is_ended_or_nothing_was_asked_in_it(tmp_path: Path) -> None:
    now, over = [100.0], list[str]()

    async def forget(session: str) -> None:
        over.append(session)

    async def inside(scope: Scope, receive: Receive, send: Send) -> None:
        del receive
        await send({"type": "http.response.start", "status": 404 if scope["session"] == "none" else 200, "headers": []})

    async def receive() -> Message:
        return {}

    async def send(message: Message) -> None:
        del message

    token = Token()
    door = Door(inside, token, forget, 60, lambda: now[0])
    with token.kept(Home(tmp_path), 1) as file:
        secret = file.read_bytes().strip()

    async def ask(method: str, session: str) -> None:
        headers = [(b"mcp-session-id", session.encode()), (b"authorization", b"Bearer " + secret)]
        scope = {"type": "http", "path": "/mcp", "method": method, "headers": headers, "session": session}
        await door(scope, receive, send)

    await ask("POST", "a")
    now[0] += 50
    await ask("POST", "b")
    await ask("DELETE", "none")
    assert over == []
    now[0] += 20
    await ask("POST", "c")
    assert over == ["a"]
    await ask("DELETE", "b")
    assert over == ["a", "b"]


def test_the_token_is_private_and_gone_at_the_end(tmp_path: Path) -> None:
    home, token, other = Home(tmp_path / "home"), Token(), Token()
    with token.kept(home, 9477) as file:
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
        secret = file.read_text().strip()
        assert len(secret) >= 43
        assert token.opens(f"Bearer {secret}")
        assert not other.opens(f"Bearer {secret}")
        assert not any(map(token.opens, (None, "Bearer", secret, f"Bearer {secret[:-1]}", "Bearer \xe9")))
        assert secret not in f"{token!r} {token}"
    assert not file.exists()
    with token.kept(home, 9477), other.kept(home, 9477):
        pass
    with token.kept(home, 9477) as file:
        file.write_text("another's")
    assert file.read_text() == "another's"
    (tmp_path / "file").touch()
    with pytest.raises(CannotKeep, match="the token cannot be kept in"), token.kept(Home(tmp_path / "file"), 1):
        pass


def test_what_a_library_logs_of_a_request_reaches_the_terminal_as_one_clean_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with http.faults_in_lines():
        logging.getLogger("uvicorn.error").warning("nobody needs to know")
        logging.getLogger("mcp.server").error("host %s", "evil\x9b2J\nexample", exc_info=ValueError("a\x1b[2Jb"))
    assert capsys.readouterr().err == "wisp mcp: host evil example: ValueError: ab\n"


def test_the_configurations_in_the_docs_name_what_there_is() -> None:
    page = (ROOT / "docs" / "mcp.md").read_text("utf-8")
    examples = re.findall(r"^    (\{.*?\}\}\}(?:\})?)$", page, re.MULTILINE | re.DOTALL)
    servers = [load_object(example)["mcpServers"] for example in examples]
    over_pipes, over_http = [each["wisp"] for each in servers if isinstance(each, dict)]
    assert isinstance(over_pipes, dict)
    assert isinstance(over_http, dict)
    assert over_http["url"] == f"http://127.0.0.1:{PORT}{PATH}"
    assert over_http["headers"] == {"Authorization": "Bearer TOKEN"}
    arguments = over_pipes["args"]
    assert isinstance(arguments, list)
    assert over_pipes["command"] == "wisp"
    assert command.make_context("mcp", [str(each) for each in arguments[1:]]).params["model"] == arguments[2]


def test_only_this_machine_can_connect_and_a_port_that_is_taken_is_said() -> None:
    with listening(Where(0)) as at:
        assert [each.getsockname() for each in at.sockets] == [("127.0.0.1", at.port)]
        assert at.address == f"http://127.0.0.1:{at.port}"
        with (
            pytest.raises(CannotListen, match=f"another program listens at 127.0.0.1, port {at.port}; name another"),
            listening(Where(at.port)),
        ):
            pass
    if not socket.has_ipv6:
        return
    with listening(Where(0, ipv6=True)) as at:
        assert [each.getsockname()[0] for each in at.sockets] == ["127.0.0.1", "::1"]
        assert f"[::1]:{at.port}" in at.hosts
