"""What a turn ran, counted from what was recorded, never from the reply (spec/CHAT-JSON.md, "turn")."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

SHOWN_TOOLS = 6

_CITED = re.compile(r"\b(?:recall )?entry (\d{1,9})\b")


@dataclass(slots=True)
class Ran:
    """A turn's calls by tool: how many, how many failed, how many the person refused, how many never began to run."""

    calls: dict[str, int] = field(default_factory=dict[str, int])
    failed: dict[str, int] = field(default_factory=dict[str, int])
    denied: dict[str, int] = field(default_factory=dict[str, int])
    not_run: dict[str, int] = field(default_factory=dict[str, int])

    def count(self, tool: str, *, failed: bool, denied: bool, not_run: bool = False) -> None:
        """Count one call. ``not_run``: there was no such tool, its arguments were none, or the turn ended before it."""
        self.calls[tool] = self.calls.get(tool, 0) + 1
        if denied:
            self.denied[tool] = self.denied.get(tool, 0) + 1
        elif not_run:
            self.not_run[tool] = self.not_run.get(tool, 0) + 1
        elif failed:
            self.failed[tool] = self.failed.get(tool, 0) + 1

    def line(self, reply: str, known: Iterable[str]) -> str | None:
        """Write the ``ran:`` line; without calls, ``ran: no tools`` when the reply names one, else None."""
        if not self.calls:
            named = any(re.search(rf"\b{re.escape(tool)}\b", reply) for tool in known)
            return "ran: no tools" if named else None
        shown = [self._tool(tool, times) for tool, times in list(self.calls.items())[:SHOWN_TOOLS]]
        more = len(self.calls) - len(shown)
        return "ran: " + " · ".join(shown) + (f" · +{more} more" if more else "")

    def _tool(self, tool: str, times: int) -> str:
        name = tool if times == 1 else f"{tool} ×{times}"
        marks = [f"{n[tool]} {word}" for n, word in self._outcomes() if n.get(tool)]
        if times == 1:
            marks = [word for n, word in self._outcomes() if n.get(tool)]
        return f"{name} ({', '.join(marks)})" if marks else name

    def _outcomes(self) -> tuple[tuple[Mapping[str, int], str], ...]:
        return (self.failed, "failed"), (self.denied, "denied"), (self.not_run, "not run")


def unknown_entries(reply: str, entries: int) -> tuple[int, ...]:
    """List the entries a reply cites in the form of a reference (``entry 7``) that a record of this length lacks."""
    cited = {int(number) for number in _CITED.findall(reply)}
    return tuple(sorted(number for number in cited if not 1 <= number <= entries))
