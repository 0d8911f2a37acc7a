"""The models there are, in words: what a person is shown of each."""

from __future__ import annotations

from wisp_tui.models.catalogue import Listed
from wisp_tui.text.sizes import human_bytes

HEADINGS = ("NAME", "RUNTIME", "SIZE", "WINDOW", "CAN", "")


def shown(listed: Listed) -> tuple[str, ...]:
    """Write a model for a person: the columns of ``HEADINGS``, the last one why it cannot be used and what to do."""
    window = "" if listed.window is None else f"{listed.window:,}"
    source = f"({listed.window_source})" if window and listed.window_source else listed.window_source
    remedy = f"; {listed.remedy}" if listed.fault and listed.remedy else ""
    return (
        listed.name,
        listed.runtime,
        "" if listed.size is None else human_bytes(listed.size),
        f"{window} {source}",
        ", ".join(capabilities(listed) or ()),
        f"{listed.fault}{remedy}" if listed.fault else listed.remark or "",
    )


def capabilities(listed: Listed) -> list[str] | None:
    """Name what a model can do; None where nobody was asked."""
    return None if listed.capabilities is None else sorted(capability.value for capability in listed.capabilities)
