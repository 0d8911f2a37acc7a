"""The standing approvals in words: what is in force, what is not, and what is audited of one that was taken back."""

from __future__ import annotations

from wisp_tui.approval.store import Listing, Standing
from wisp_tui.text.json import JsonObject
from wisp_tui.text.sizes import count

ANYWHERE = "anywhere"
NONE = "no approval stands"


def approval_row(standing: Standing) -> tuple[str, str, str, str]:
    """Write an approval's id, what it covers, where, and until when, in the person's zone."""
    expires = standing.expires.astimezone()
    return standing.id, str(standing.coverage.pattern), standing.coverage.directory or ANYWHERE, f"until {expires:%F}"


def approval_remarks(listing: Listing) -> tuple[str, ...]:
    """Say what is not in force, and why the file is not used where it is not; nothing when there is nothing to say."""
    told = [listing.fault] if listing.fault is not None else []
    if listing.expired:
        told.append(f"{count(listing.expired, 'more approval')} no longer in force")
    if listing.strange:
        told.append(f"{count(listing.strange, 'more approval')} not understood, and never in force")
    return tuple(told)


def revoked(standing: Standing) -> JsonObject:
    """Write an approval that was taken back as it is audited."""
    return {
        "approval": standing.id,
        "decision": "revoked",
        "by": "the person",
        "pattern": str(standing.coverage.pattern),
        "directory": standing.coverage.directory,
    }


def cleared(stored: int, session: int = 0) -> JsonObject:
    """Write, as it is audited, that all were taken back: so many stored ones, so many of the session."""
    return {"decision": "cleared", "by": "the person", "stored": stored, "session": session}
