"""Calls that outlive their handlers."""

from __future__ import annotations

import asyncio

import pytest
from mcp import types

from wisp_tui.mcp.calls import UNCOLLECTED, Call, CallGone, Calls


async def test_results_that_nobody_comes_back_for_are_let_go() -> None:
    calls = Calls()

    async def work(call: Call) -> types.CallToolResult:
        return types.CallToolResult(content=[types.TextContent(text=call.key)])

    begun = [calls.begin(work) for _ in range(UNCOLLECTED + 2)]
    await asyncio.sleep(0)
    last = calls.begin(work)
    with pytest.raises(CallGone):
        calls.going_on(begun[0].key)
    for call in (begun[-1], last):
        result = await calls.outcome(calls.going_on(call.key))
        assert isinstance(result, types.CallToolResult)
        assert result.content == [types.TextContent(text=call.key)]
    await calls.close()
