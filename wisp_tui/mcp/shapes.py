"""What the tools answer, as JSON (MCP.md): made from what the session says, nothing computed here."""

from __future__ import annotations

from collections.abc import Iterable

from wisp_tui.facts import Fact, Scope, brief
from wisp_tui.mcp.threads import NamedThread
from wisp_tui.mcp.uris import address
from wisp_tui.session.receipt import CallMade, Receipt
from wisp_tui.text.ids import ThreadId
from wisp_tui.text.json import Json, JsonObject
from wisp_tui.text.sizes import count

MAX_CALLS = 64
"""Calls an answer carries; a turn that made more says so by its receipt's ``tools``."""


def fact_uri(thread: str, ident: str) -> str:
    """Give the address of a fact as a thread sees it; a permanent one's is the same for all."""
    if Scope.of(ident) is Scope.PERMANENT:
        return address("facts", ident)
    return address("threads", thread, "facts", ident)


def brief_fact(thread: str, fact: Fact) -> dict[str, Json]:
    """Write a fact as ``respond`` carries it."""
    return {**brief(fact), "uri": fact_uri(thread, fact.id)}


def answer_shape(
    named: NamedThread,
    receipt: Receipt,
    facts: Iterable[JsonObject],
    *,
    created: bool,
    proposed: tuple[int, int],
    inline: int,
    output: Json = None,
) -> dict[str, Json]:
    """Write what a turn came to. ``proposed`` counts the proposed facts of all threads, and of this one."""
    ended = receipt.ended
    everywhere, here = proposed
    return {
        "thread_id": named.name,
        "created": created,
        "text": receipt.text,
        "condensed": receipt.condensed is not None,
        "contextNote": receipt.condensed,
        "calls": [call_shape(named.name, call, inline) for call in list(receipt.calls.values())[:MAX_CALLS]],
        "ran": ended.ran if ended is not None else None,
        "unknownEntries": list(receipt.unknown_entries),
        "cited": cited_line(receipt.unknown_entries),
        "facts": [{**fact, "uri": fact_uri(named.name, str(fact["id"]))} for fact in facts],
        "factsProposed": {"count": everywhere, "thread": here, "uri": address("facts", "proposed")},
        "refusals": [{"command": refused.command, "reason": refused.reason} for refused in receipt.refusals],
        "notifications": [notification_shape(each) for each in receipt.notifications],
        "output": output,
        "receipt": receipt_shape(receipt),
    }


def notification_shape(noted: JsonObject) -> dict[str, Json]:
    """Write a notification of the model's: whether it was shown, and by what."""
    route = noted.get("shownBy")
    return {
        "title": noted.get("title"),
        "body": noted.get("body"),
        "source": "notify",
        "outcome": "shown" if route is not None else "not shown",
        "route": route,
        "reason": None if route is not None else "nothing here shows notifications",
        "time": noted.get("time"),
    }


def call_shape(thread: ThreadId, call: CallMade, inline: int) -> dict[str, Json]:
    """Write a call: its output where all of it fits in ``inline`` bytes, else the address of the whole."""
    fits = call.whole and len(call.output.encode("utf-8", "replace")) <= inline
    where: dict[str, Json] = (
        {"output": call.output} if fits else {"outputURI": address("threads", thread, "output", call.result or call.id)}
    )
    return {
        "id": call.result,
        "tool": call.tool,
        "arguments": call.arguments,
        "command": call.command,
        "exitStatus": call.exit_status,
        "bytes": call.bytes,
        **where,
        "error": call.error,
    }


def receipt_shape(receipt: Receipt) -> dict[str, Json]:
    """Write the receipt: what was done and what it took, counted from what was recorded."""
    ended, used, calls = receipt.ended, receipt.used, tuple(receipt.calls.values())
    return {
        "turn": receipt.turn,
        "tools": [
            {
                "name": call.tool,
                "arguments": call.arguments,
                "bytes": call.bytes,
                "seconds": round(call.seconds, 3),
                "error": call.error,
            }
            for call in calls
        ],
        "commands": [
            {
                "command": call.command,
                "exitStatus": call.exit_status,
                "timedOut": call.timed_out,
                "truncated": not call.whole,
                "seconds": round(call.seconds, 3),
            }
            for call in calls
            if call.command is not None
        ],
        "files": [
            {"path": file.path, "mode": file.mode, "created": file.created, "bytes": file.bytes}
            for file in receipt.files
        ],
        "denials": len(receipt.refusals),
        "approvals": receipt.approvals,
        "errors": len(receipt.errors),
        "condensed": receipt.condensed is not None,
        "seconds": round(ended.seconds, 3) if ended is not None else None,
        "usage": {
            "input": used.input,
            "output": used.output,
            "cached": used.cached,
            "reasoning": used.reasoning,
        },
    }


def cited_line(unknown: tuple[int, ...]) -> str | None:
    """Say which entries a reply cites that are not there; None when all are."""
    if not unknown:
        return None
    named = ", ".join(str(entry) for entry in unknown)
    return f"the reply cites {count(len(unknown), 'entry', 'entries')} that the record does not hold: {named}"
