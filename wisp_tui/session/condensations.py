"""The condensations of a conversation, as they happen and as they were: gathered from the bus's events, for any face.

A condensation grows while it runs and is told whole once ``context.condensation`` is audited (spec "Condensing").
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from wisp_tui.events import AuditEvent, CondensationStep, ContextFill, Kind, Transient, TurnEnded, TurnStarted
from wisp_tui.text.clean import clean, clean_line
from wisp_tui.text.ids import TurnNumber
from wisp_tui.text.json import Json, JsonObject
from wisp_tui.text.sizes import count


@dataclass(frozen=True, slots=True)
class StepTaken:
    """One step: what was done to how many (outputs, turns), the fill before and after it in tokens, its seconds."""

    name: str
    """``referenced``, ``dropped`` or ``squeezed``."""
    amount: int
    before: int
    after: int
    seconds: float

    @property
    def words(self) -> str:
        """What was done, in words."""
        match self.name:
            case "referenced":
                return f"{count(self.amount, 'output')} sent as {'a reference' if self.amount == 1 else 'references'}"
            case "dropped":
                return f"{count(self.amount, 'turn')} dropped"
            case "squeezed":
                return "the facts squeezed, the summary left out"
            case _:
                return clean_line(self.name)


@dataclass(frozen=True, slots=True)
class FactWritten:
    """A fact that distilling wrote. Text is clean and on one line."""

    id: str
    topic: str
    value: str


@dataclass(frozen=True, slots=True)
class SummaryWritten:
    """An answer to the call for a summary; ``text`` is None for one that could not be used, ``failure`` says why."""

    version: int | None
    text: str | None
    turns: int
    seconds: float
    failure: str | None


@dataclass(frozen=True, slots=True)
class Distillation:
    """A call for facts: of how many turns, its seconds, how many facts came of it, and why when it failed."""

    turns: int
    seconds: float
    facts: int
    failure: str | None


@dataclass(frozen=True, slots=True)
class Retained:
    """How many names, paths and numbers of the turns that left were looked for; ``share`` of them is still sent."""

    share: float
    of: int
    missing: tuple[str, ...]
    """Some of those that were not found."""


@dataclass(frozen=True, slots=True)
class Audited:
    """What is known of a condensation once it is over. Sizes are tokens; paths are of the contexts saved."""

    time: datetime | None
    headroom: int
    turns_before: int
    turns_after: int
    saved_before: str | None
    saved_after: str | None
    retained: Retained | None


@dataclass(eq=False, slots=True)
class Condensation:
    """One condensation. Sizes are tokens, without the request; ``reason`` is ``budget`` or ``overflow``.

    ``over`` when it has ended, by itself or because its turn did, which is when it was ``stopped``.
    """

    turn: TurnNumber
    reason: str
    before: int
    goal: int
    window: int
    fill: int
    steps: list[StepTaken] = field(default_factory=list[StepTaken])
    distilling: int = 0
    """The turns that are being distilled now."""
    facts: list[FactWritten] = field(default_factory=list[FactWritten])
    summaries: list[SummaryWritten] = field(default_factory=list[SummaryWritten])
    distillations: list[Distillation] = field(default_factory=list[Distillation])
    floor: bool = False
    over: bool = False
    stopped: bool = False
    audited: Audited | None = None

    @property
    def dropped(self) -> int:
        """How many turns were dropped."""
        return sum(step.amount for step in self.steps if step.name == "dropped")

    @property
    def referenced(self) -> int:
        """How many outputs became references."""
        return sum(step.amount for step in self.steps if step.name == "referenced")

    @property
    def summary(self) -> SummaryWritten | None:
        """The summary that was written; None when none was."""
        return next((summary for summary in reversed(self.summaries) if summary.text is not None), None)

    @property
    def seconds(self) -> float:
        """The seconds its steps took."""
        return sum(step.seconds for step in self.steps)

    @property
    def why(self) -> str:
        """Why it began, in words."""
        return "the request overflowed the window" if self.reason == "overflow" else "the budget was reached"

    @property
    def what(self) -> str:
        """What was condensed, in words."""
        if self.dropped:
            return count(self.dropped, "turn")
        if self.referenced:
            return count(self.referenced, "output")
        return "the facts and the summary" if self.steps else "nothing"

    @property
    def line(self) -> str:
        """The one line it settles to: ``condensed 7 turns: 6,913 → 4,870 · 5 facts, summary``."""
        written = [count(len(self.facts), "fact")] if self.facts else []
        written += ["summary"] if self.summary is not None else []
        ends = [", ".join(written)] if written else []
        ends += ["as far as it goes"] if self.floor else []
        ends += ["stopped"] if self.stopped else []
        return " · ".join([f"condensed {self.what}: {self.before:,} → {self.fill:,}", *ends])


@dataclass(slots=True)
class Condensations:
    """The condensations of this session's conversation, the oldest first, and how full each turn left the window."""

    all: list[Condensation] = field(default_factory=list[Condensation])
    running: Condensation | None = None
    fills: dict[TurnNumber, int] = field(default_factory=dict[TurnNumber, int])
    """The tokens that each turn's last request took, by turn."""
    _turn: TurnNumber | None = None

    def clear(self) -> None:
        """Forget everything: a new conversation began."""
        self.all.clear()
        self.fills.clear()
        self.running = self._turn = None

    def take(self, event: AuditEvent | Transient) -> Condensation | None:
        """Take an event; return the condensation that it changed, None when it changed none."""
        match event:
            case TurnStarted():
                self._turn = event.turn
            case ContextFill() if self._turn is not None:
                self.fills[self._turn] = event.used
            case CondensationStep():
                return self._stepped(event)
            case AuditEvent() if self.running is not None:
                return self._recorded(self.running, event)
            case TurnEnded() if self.running is not None:
                self.running.stopped = True
                return self._end(self.running)
            case _:
                pass
        return None

    def _stepped(self, event: CondensationStep) -> Condensation | None:
        if event.step == "began":
            self.running = Condensation(event.turn, event.reason, event.fill, event.goal, event.window, event.fill)
            self.all.append(self.running)
            return self.running
        running = self.running
        if running is None:
            return None
        match event.step:
            case "distilling":
                running.distilling = event.amount
            case "distilled":
                running.distilling = 0
            case "ended":
                running.fill, running.floor = event.fill, event.floor
                self._end(running)
            case name:
                running.distilling = 0
                running.steps.append(StepTaken(name, event.amount, running.fill, event.fill, event.seconds))
                running.fill = event.fill
        return running

    def _end(self, running: Condensation) -> Condensation:
        running.over, running.distilling = True, 0
        self.running = None
        return running

    @staticmethod
    def _recorded(running: Condensation, event: AuditEvent) -> Condensation | None:
        details = event.details
        match event.kind:
            case Kind.FACT_RECORDED:
                running.facts.append(_fact(details.get("fact")))
            case Kind.CONTEXT_DISTILLATION:
                running.distillations.append(_distillation(details))
            case Kind.CONTEXT_SUMMARY:
                running.summaries.append(_summary(details))
            case Kind.CONTEXT_CONDENSATION:
                running.audited = _audited(event)
            case _:
                return None
        return running


def _fact(value: Json) -> FactWritten:
    fact = value if isinstance(value, dict) else {}
    topic = " ".join(part for part in (_line(fact, "subject"), _line(fact, "name")) if part)
    return FactWritten(_line(fact, "id"), topic, _line(fact, "value"))


def _distillation(details: JsonObject) -> Distillation:
    turns = details.get("turns")
    return Distillation(
        turns=len(turns) if isinstance(turns, list) else 0,
        seconds=_number(details, "seconds"),
        facts=int(_number(details, "facts")),
        failure=_line(details, "failure") or None,
    )


def _summary(details: JsonObject) -> SummaryWritten:
    text, version = details.get("text"), details.get("version")
    return SummaryWritten(
        version=version if isinstance(version, int) else None,
        text=clean(text) if isinstance(text, str) else None,
        turns=int(_number(details, "turns")),
        seconds=_number(details, "seconds"),
        failure=_line(details, "failure") or None,
    )


def _audited(event: AuditEvent) -> Audited:
    details = event.details
    retained = details.get("retention")
    return Audited(
        time=_time(event.time),
        headroom=int(_number(details, "headroom")),
        turns_before=int(_number(details, "turnsBefore")),
        turns_after=int(_number(details, "turnsAfter")),
        saved_before=_line(details, "savedBefore") or None,
        saved_after=_line(details, "savedAfter") or None,
        retained=_retained(retained) if isinstance(retained, dict) else None,
    )


def _retained(details: JsonObject) -> Retained:
    missing = details.get("missing")
    words = missing if isinstance(missing, list) else []
    return Retained(
        _number(details, "share"), int(_number(details, "of")), tuple(clean_line(str(word)) for word in words)
    )


def _time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).astimezone()
    except ValueError:  # an event without a time is told without one
        return None


def _line(details: JsonObject, name: str) -> str:
    value = details.get(name)
    return clean_line(value) if isinstance(value, str) else ""


def _number(details: JsonObject, name: str) -> float:
    value = details.get(name)
    return value if isinstance(value, int | float) else 0.0
