"""``wisp mcp --http`` as a process: what it says, what it leaves behind, and how it ends."""

from __future__ import annotations

import asyncio
import signal
import stat
from pathlib import Path
from textwrap import dedent

from tests.fakes.mcp_client import OLDER, Answered
from tests.fakes.mcp_http import http_process
from tests.fakes.wisp_process import ROOT, replay, run_wisp
from wisp_tui.audit import read_events
from wisp_tui.config import Home
from wisp_tui.events import Kind
from wisp_tui.pending import Pending, RequestState

EXAMPLE = dedent((ROOT / "docs" / "mcp.md").read_text("utf-8").split("$ wisp mcp --http\n")[1].split("\n\n")[0]) + "\n"
ASKS = {"calls": [{"name": "run_command", "arguments": {"command": "touch made"}}]}


async def test_it_says_where_it_is_and_a_signal_ends_it_in_mid_call_with_nothing_left(
    wisp_home: Path, tmp_path: Path
) -> None:
    model = replay(tmp_path / "r.jsonl", {"reply": "Let me see.", **ASKS})
    with http_process(wisp_home, model) as running:
        url, (file,) = running.place.url, tuple((wisp_home / "mcp").iterdir())
        in_the_docs = EXAMPLE.replace("http://127.0.0.1:9477/mcp", url).replace(
            "/home/me/.wisp/mcp/9477.token", str(file)
        )
        assert running.said == in_the_docs
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        port = file.stem
        taken = await asyncio.to_thread(run_wisp, wisp_home, "mcp", "--http", "--port", port)
        assert (taken.code, taken.out) == (64, "")
        assert taken.err == (
            f"wisp: another program listens at 127.0.0.1, port {port}; name another with --port, or 0 for a free one\n"
        )
        async with running.place.caller(mode=OLDER) as caller:

            async def end(progress: float, total: float | None, message: str | None) -> None:
                del progress, total
                if "(waits for the person)" in (message or ""):
                    running.process.send_signal(signal.SIGTERM)

            stopped = await caller.client.call_tool("respond", {"prompt": "go"}, progress_callback=end)
            assert Answered(stopped).text == "stopped: wisp mcp is ending"
        assert await asyncio.to_thread(running.process.wait, 10) == 128 + signal.SIGTERM
        assert running.process.stderr is not None
        assert running.process.stderr.read() == ""
        assert not file.exists()
        for path in (each for each in wisp_home.rglob("*") if each.is_file()):
            assert running.place.secret.encode() not in path.read_bytes()
    assert [event.kind for event in read_events(wisp_home / "logs")][-1] == Kind.SESSION_END
    snapshot = Pending(Home(wisp_home)).snapshot()
    assert snapshot.waiting == ()
    assert [outcome.state for _, outcome in snapshot.settled] == [RequestState.WITHDRAWN]
    assert not (tmp_path / "made").exists()


def test_where_it_serves_is_said_only_with_http(wisp_home: Path) -> None:
    said = run_wisp(wisp_home, "mcp", "--port", "0")
    assert (said.code, said.err) == (64, "wisp: --port and --ipv6 say where --http serves; add --http\n")
