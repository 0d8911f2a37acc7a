"""What a change of the settings takes from the gate, the sandbox or the audit: the one place that every face asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wisp_tui.config.settings import Settings
from wisp_tui.text.sizes import count, human_bytes

_LEVELS = ("safe", "moderate", "dangerous")


def weakened(before: Settings, after: Settings) -> Iterator[str]:
    """Say, a sentence each, what runs or is written with less care than before, and what is recorded no more."""
    yield from _gate(before, after)
    yield from _walls(before, after)
    yield from _audit(before, after)


def _gate(before: Settings, after: Settings) -> Iterator[str]:
    was, now = before.approval.threshold, after.approval.threshold
    if _LEVELS.index(now) > _LEVELS.index(was):
        unasked = " and ".join(_LEVELS[: _LEVELS.index(now)])
        yield f"this weakens the gate: {unasked} commands run unasked"
    if lost := _missing(before.command_policy.deny, after.command_policy.deny):
        yield f"this weakens the gate: no longer denied: {lost}"
    if gained := _missing(after.command_policy.allow, before.command_policy.allow):
        yield f"this weakens the gate: runs unasked: {gained}"


def _walls(before: Settings, after: Settings) -> Iterator[str]:
    if before.sandbox.enabled and not after.sandbox.enabled:
        yield "this weakens the sandbox: commands run without walls, with all the person may do"
    if after.sandbox.network and not before.sandbox.network:
        yield "this weakens the sandbox: commands in it use the network"
    if gained := _missing(after.sandbox.writable_paths, before.sandbox.writable_paths):
        yield f"this weakens the sandbox: commands may write below {gained}"


def _audit(before: Settings, after: Settings) -> Iterator[str]:
    if before.audit.enabled and not after.audit.enabled:
        yield "this weakens the audit: nothing is recorded, and nothing that left the context can be had back"
    was, now = (part.audit.max_bytes * part.audit.keep for part in (before, after))
    if now < was:
        yield f"this weakens the audit: {human_bytes(now)} of it are kept, and were {human_bytes(was)}"
    kept, keeps = before.context.output_days, after.context.output_days
    if keeps and (not kept or keeps < kept):
        yield f"this weakens the audit: whole outputs are kept {count(keeps, 'day')}, and were {_days(kept)}"


def _days(days: int) -> str:
    return count(days, "day") if days else "for ever"


def _missing(these: Sequence[str], those: Sequence[str]) -> str:
    return ", ".join(item for item in these if item not in those)
