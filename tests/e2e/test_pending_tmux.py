"""A caller's request on a real terminal: it appears in a running wisp-tui, is kept by a key, and is used by another."""

from __future__ import annotations

import asyncio
import shutil
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.fakes.mcp_client import OLDER, process
from tests.fakes.tmux import Terminal, terminal
from tests.fakes.wisp_process import WISP_TUI, environment, replay
from wisp_tui.config import Home

pytestmark = [
    pytest.mark.tmux,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux here"),
]


async def test_what_a_client_asks_to_keep_is_kept_by_a_key_and_used_by_every_conversation_after(
    tmp_path: Path, wisp_home: Path
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    model = replay(tmp_path / "r.jsonl", *[{"reply": "It is called the blue heron."}] * 2, window=8192)
    surroundings = environment(wisp_home, TERM="xterm-256color", LANG="C.UTF-8")

    def opened() -> AbstractContextManager[Terminal]:
        command = [*WISP_TUI, "-m", model]
        return terminal(command, width=100, height=30, directory=work, environment=surroundings)

    def keep() -> None:
        with opened() as first:
            first.until("⚑ 1 to keep")
            first.press("F8")
            assert "BLUE HERON" in first.until("git (mcp) asks to keep this")
            first.press("k")
            first.until("was kept as")
            first.until(lambda screen: "to keep" not in screen.rstrip().splitlines()[-1])

    def use() -> None:
        with opened() as second:
            second.until("replay")
            second.write("/inspect context")
            second.press("Enter")
            second.until("context is saved")
            (saved,) = Home(wisp_home).context.rglob("*.md")
            assert "the release is BLUE HERON — from the caller" in saved.read_text("utf-8")
            second.write("What is the release called?")
            second.press("Enter")
            second.until("It is called the blue heron.")
            second.press("F2", "Left")
            assert "earlier" in second.until("turn 1 of 1")

    async with process(wisp_home, model, mode=OLDER) as caller:
        said = await caller.respond("Look around.", thread_id="git", task="the release is BLUE HERON")
        (fact,) = said.content["facts"]
        asked = await caller.call("set_fact_scope", thread_id="git", fact_id=fact["id"], scope="permanent")
        assert asked.content["state"] == "pending"
        await asyncio.to_thread(keep)
        request = (await caller.shape(asked.content["uri"]))["request"]
        assert isinstance(request, dict)
        assert (request["state"], request["kept"], request["via"]) == ("kept", "p1", "tui")
        await caller.respond("What is the release called?", thread_id="next")
        assert "the release is BLUE HERON" in await caller.read("wisp://threads/next/context/1")
        await asyncio.to_thread(use)
