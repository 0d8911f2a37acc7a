"""The words for saved conversations, the same in every face: a line of the list, what a deletion takes away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wisp_tui.session.saved.holding import Outputs
from wisp_tui.session.saved.listing import OLDER, SavedName
from wisp_tui.text.sizes import count, human_bytes

CUT_SHORT = "cut short"


def lines_of(saved: Sequence[SavedName], here: str | None) -> Iterator[str]:
    """Write the list, a line a conversation; the one that is held is marked."""
    width = max((len(item.name) for item in saved), default=0)
    for item in saved:
        mark = "●" if item.name == here else " "
        first = f"{CUT_SHORT} · {item.first}" if item.cut_short else item.first
        yield (
            f"{mark} {item.name:{width}}  {item.saved:%Y-%m-%d %H:%M}  {count(item.turns, 'turn'):>9}  "
            f"{human_bytes(item.size):>9}  {first if item.resumable else OLDER}"
        )


def going(shown: SavedName, outputs: Outputs) -> tuple[str, ...]:
    """Say what deleting a conversation takes away, and what it leaves."""
    head = shown.head
    parts = [count(head.turns, "turn")]
    if head.entries is not None:
        parts.append(count(head.entries, "entry", "entries"))
    if head.facts:
        parts.append(f"{count(head.facts, 'fact')} of its own")
    if outputs.own:
        parts.append(f"{count(len(outputs.own), 'whole output')} that it alone refers to")
    goes = f"{', '.join(parts)}, {human_bytes(shown.size + outputs.bytes)} in all: gone for good"
    stays = ["the facts you keep for every conversation", "what the audit log recorded"]
    if outputs.shared:
        stays.append(f"{count(outputs.shared, 'whole output')} that another conversation refers to")
    return goes, f"stays: {'; '.join(stays)}"
