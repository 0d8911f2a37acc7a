"""What a session has come to, counted from what was recorded of it: turns, tokens, time, tools, what was saved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from wisp_tui.events import AuditEvent, Kind
from wisp_tui.session.ran import Ran
from wisp_tui.text.json import Json, JsonObject
from wisp_tui.text.sizes import count, human_seconds


@dataclass(slots=True)
class Stats:
    """Sums over the events of a session. Tokens are those the runtime reported; ``seconds`` of tools and thinking."""

    turns: int = 0
    replies: int = 0
    input: int = 0
    output: int = 0
    unreported: int = 0
    """Replies of whose request or length the runtime said nothing."""
    tools: Ran = field(default_factory=Ran)
    tool_seconds: float = 0.0
    thinking_seconds: float = 0.0
    asked: int = 0
    refused: int = 0
    condensations: int = 0
    referenced: int = 0
    cut: int = 0
    """Tokens saved by references and by cuts, in the spec's unit: four bytes each."""
    facts: int = 0
    errors: int = 0

    @classmethod
    def of(cls, events: Iterable[AuditEvent]) -> Stats:
        """Count events."""
        stats = cls()
        for event in events:
            stats.take(event)
        return stats

    def take(self, event: AuditEvent) -> None:
        """Count one event; a kind that is not counted changes nothing."""
        details = event.details
        match event.kind:
            case Kind.PROMPT:
                self.turns += 1
            case Kind.RESPONSE:
                self._answered(details.get("usage"))
            case Kind.MODEL_REASONING:
                self.thinking_seconds += _number(details, "seconds")
            case Kind.TOOL_RESULT:
                self._ran(details)
            case Kind.APPROVAL_REQUESTED:
                self.asked += 1
            case Kind.APPROVAL_DECIDED if details.get("decision") == "no":
                self.refused += 1
            case Kind.ERROR:
                self.errors += 1
            case _:
                self._kept(event.kind, details)

    def _kept(self, kind: str, details: JsonObject) -> None:
        match kind:
            case Kind.CONTEXT_CONDENSATION:
                self.condensations += 1
            case Kind.CONTEXT_REFERENCE:
                self.referenced += int(_number(details, "tokens"))
            case Kind.CONTEXT_CUT:
                self.cut += int(_number(details, "tokens"))
            case Kind.FACT_RECORDED:
                self.facts += 1
            case _:
                return

    def _answered(self, usage: Json) -> None:
        self.replies += 1
        used: JsonObject = usage if isinstance(usage, Mapping) else {}
        if not isinstance(used.get("input"), int) or not isinstance(used.get("output"), int):
            self.unreported += 1
        self.input += int(_number(used, "input"))
        self.output += int(_number(used, "output"))

    def _ran(self, details: JsonObject) -> None:
        tool, status = details.get("tool"), details.get("exitStatus")
        failed = details.get("ok") is False or (isinstance(status, int) and status != 0)
        not_run = bool(details.get("notRun"))
        self.tools.count(str(tool), failed=failed, denied=bool(details.get("denied")), not_run=not_run)
        self.tool_seconds += _number(details, "seconds")

    def lines(self) -> Iterator[str]:
        """Say what they come to, a line each; what never happened is left out."""
        yield f"{count(self.turns, 'turn')}, {count(self.replies, 'request')} answered"
        if self.replies > self.unreported:
            silent = f"; {count(self.unreported, 'request')} not reported" if self.unreported else ""
            yield f"{self.input:,} tokens read, {self.output:,} written, as the runtime reports{silent}"
        if self.thinking_seconds:
            yield f"thought for {human_seconds(self.thinking_seconds)}"
        if ran := self.tools.line("", ()):
            yield f"{ran}, in {human_seconds(self.tool_seconds)}"
        if self.asked:
            yield f"{count(self.asked, 'approval')} asked for, {self.refused:,} refused"
        if self.condensations:
            yield f"condensed {count(self.condensations, 'time')}"
        if self.referenced or self.cut:
            saved = f"about {self.referenced + self.cut:,} tokens saved"
            yield f"{saved}: {self.referenced:,} by references, {self.cut:,} by cuts"
        if self.facts:
            yield f"{count(self.facts, 'fact')} recorded"
        if self.errors:
            yield count(self.errors, "error")


def _number(details: JsonObject, name: str) -> float:
    value = details.get(name)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else 0
