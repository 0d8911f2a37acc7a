"""What waits and how it was answered, as values and as their files' JSON."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias, cast

from wisp_tui.facts.fact import Assertion, Fact
from wisp_tui.facts.person import Via
from wisp_tui.facts.stored import read_fact, write_fact
from wisp_tui.facts.values import one_line
from wisp_tui.pending.processes import Asker
from wisp_tui.text.clean import visible
from wisp_tui.text.ids import SessionId, ThreadId
from wisp_tui.text.json import Json, JsonObject, dump

SCHEMA = 1


class RequestState(StrEnum):
    """What became of a request."""

    PENDING = "pending"
    KEPT = "kept"
    DROPPED = "dropped"
    ANSWERED = "answered"
    """A command's: its decision says how."""
    WITHDRAWN = "withdrawn"
    FAILED = "failed"
    """A fact's: it no longer says what the person was shown."""


class Decision(StrEnum):
    """How the person answers: a command, or a fact to keep."""

    ONCE = "once"
    SESSION = "session"
    PROJECT = "project"
    ALWAYS = "always"
    NO = "no"
    KEEP = "keep"
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class FactRequest:
    """A caller asks for a fact of its conversation to be kept as permanent. It waits without a time limit."""

    id: str
    asker: Asker
    asked: datetime
    fact: Fact

    SUFFIX = ".fact.json"

    @property
    def shown(self) -> JsonObject:
        """Exactly what the person judges; an answer is bound to it."""
        fact = self.fact
        return {
            "id": fact.id,
            "subject": fact.identity.subject,
            "name": fact.identity.name,
            "value": fact.value,
            "source": fact.source.words,
        }

    @property
    def assertion(self) -> Assertion:
        """What is admitted to the shared store when it is kept."""
        fact = self.fact
        return Assertion(fact.topic, fact.value, fact.temporal, fact.source, fact.entries, fact.events, fact.turns)

    def written(self) -> dict[str, Json]:
        """Write it as its file's JSON."""
        return {**_header(self, "fact"), "fact": write_fact(self.fact)}


@dataclass(frozen=True, slots=True)
class CommandRequest:
    """A conversation without a face of its own asks for a command. It waits until ``until``, while its process runs."""

    id: str
    asker: Asker
    asked: datetime
    until: datetime
    command: str
    line: str
    directory: str
    level: str
    reasons: tuple[str, ...] = ()
    pattern: str | None = None

    SUFFIX = ".request.json"

    @property
    def shown(self) -> JsonObject:
        """Exactly what the person judges; an answer is bound to it."""
        return {
            "command": self.command,
            "line": self.line,
            "directory": self.directory,
            "level": self.level,
            "reasons": list(self.reasons),
            "pattern": self.pattern,
            "thread": self.asker.thread,
            "process": self.asker.pid,
        }

    def written(self) -> dict[str, Json]:
        """Write it as its file's JSON."""
        return {**_header(self, "command"), **self.shown, "until": self.until.isoformat()}


@dataclass(frozen=True, slots=True)
class QuestionRequest:
    """The model of a conversation without a face of its own asks the person. It waits while its process runs."""

    id: str
    asker: Asker
    asked: datetime
    question: str
    choices: tuple[str, ...] = ()

    SUFFIX = ".question.json"

    @property
    def shown(self) -> JsonObject:
        """Exactly what the person answers; an answer is bound to it."""
        return {
            "question": self.question,
            "choices": list(self.choices),
            "thread": self.asker.thread,
            "process": self.asker.pid,
        }

    def written(self) -> dict[str, Json]:
        """Write it as its file's JSON."""
        return {**_header(self, "question"), **self.shown}


Request: TypeAlias = FactRequest | CommandRequest | QuestionRequest


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file in ``pending/`` that is no request this version can read; it is left as it is."""

    path: Path
    reason: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a request was settled. ``kept`` is the permanent fact's id; ``via`` the face, None without the person.

    ``answer`` is what the person answered to a question; None for one they declined, and for everything else.
    """

    id: str
    sha256: str
    state: RequestState
    settled: datetime
    decision: Decision | None = None
    via: Via | None = None
    kept: str | None = None
    reason: str | None = None
    answer: str | None = None

    def written(self) -> dict[str, Json]:
        """Write it as the answer file's JSON."""
        return {
            "schema": SCHEMA,
            "id": self.id,
            "sha256": self.sha256,
            "state": self.state.value,
            "settled": self.settled.isoformat(),
            "decision": self.decision.value if self.decision is not None else None,
            "via": self.via.value if self.via is not None else None,
            "kept": self.kept,
            "reason": self.reason,
            **({"answer": self.answer} if self.answer is not None else {}),
        }

    @property
    def words(self) -> str:
        """The outcome as a sentence's end: ``was kept as p3 from wisp at 14:05:12``."""
        kept = f" as {self.kept}" if self.kept else ""
        by = f" from {_FACES[self.via]}" if self.via is not None else ""
        why = f": {self.reason}" if self.reason else ""
        return f"was {_PAST[self.state]}{kept}{by} at {self.settled:%H:%M:%S}{why}"


_FACES = {Via.CLI: "a terminal (wisp)", Via.TUI: "wisp-tui", Via.CHAT: "wisp chat"}
_PAST = {state: str(state) for state in RequestState} | {RequestState.FAILED: "refused"}


def digest(request: Request) -> str:
    """Return the SHA-256 over exactly what is shown of a request."""
    return hashlib.sha256(dump(request.shown, sort=True)).hexdigest()


def renamed(request: Request, ident: str) -> Request:
    """Return the request under an id."""
    return replace(request, id=ident)


def is_same(one: Request, other: Request) -> bool:
    """Say whether two requests ask for the same, from the same conversation."""
    return (
        type(one) is type(other)
        and digest(one) == digest(other)
        and (one.asker.session, one.asker.thread) == (other.asker.session, other.asker.thread)
    )


def request_words(request: Request) -> str:
    """Write a request in one line: ``entity codename = BLUE HERON``, ``$ git push``.

    Nothing of a command is left out or smoothed over: a line of it that looked like the end of a comment would run.
    """
    match request:
        case FactRequest(fact=fact):
            return f"{fact.topic.words} = {fact.value}"
        case CommandRequest(command=command):
            return f"$ {_one_row(command)}"
        case QuestionRequest(question=question):
            return f"? {one_line(question)}"


def judged_by(request: CommandRequest) -> list[str]:
    """Write what else an answer to a command is given to, a line each: level and reasons, whole line, directory."""
    lines = [" · ".join([request.level, *request.reasons])]
    lines += [f"part of  {request.line}"] if request.line != request.command else []
    return [_one_row(line) for line in (*lines, f"in  {request.directory}")]


def _one_row(text: str) -> str:
    """Write text on one line with nothing in it hidden, line ends included."""
    return visible(text).replace("\n", "<U+000A>")


def notification(request: FactRequest | QuestionRequest) -> tuple[str, str, str]:
    """Return the notification that something waits: its title, what waits, and the command that answers."""
    if isinstance(request, QuestionRequest):
        return "wisp: a question for you", one_line(request.question), f"wisp approvals answer {request.id}"
    identity = request.fact.identity
    named = identity.name or identity.subject
    return "wisp: keep as a permanent fact?", f"{named} = {request.fact.value}", f"wisp facts keep {request.id}"


def resource(request: Request, outcome: Outcome | None) -> dict[str, Json]:
    """Return a request as a fact's resource carries it: what became of it, from which face, when."""
    return {
        "id": request.id,
        "state": (outcome.state if outcome is not None else RequestState.PENDING).value,
        "kept": outcome.kept if outcome is not None else None,
        "via": outcome.via.value if outcome is not None and outcome.via is not None else None,
        "reason": outcome.reason if outcome is not None else None,
        "asked": request.asked.isoformat(),
        "settled": outcome.settled.isoformat() if outcome is not None else None,
    }


# Reading ------------------------------------------------------------------------------------------------------------


def read_request(stored: JsonObject) -> Request:
    """Read a request. Its texts are made safe: the file may have been edited. Raises ValueError."""
    ident, asker, asked = _text(stored, "id"), _asker(stored), _time(stored, "asked")
    match stored.get("kind"):
        case "fact":
            fact = stored.get("fact")
            if not isinstance(fact, Mapping):
                raise _fault("it has no fact")
            request: Request = FactRequest(ident, asker, asked, read_fact(cast("JsonObject", fact)))
        case "command":
            request = CommandRequest(
                id=ident,
                asker=asker,
                asked=asked,
                until=_time(stored, "until"),
                command=_text(stored, "command"),
                line=_text(stored, "line"),
                directory=_text(stored, "directory"),
                level=_text(stored, "level"),
                reasons=_texts(stored, "reasons"),
                pattern=_optional(stored, "pattern"),
            )
        case "question":
            request = QuestionRequest(ident, asker, asked, _text(stored, "question"), _texts(stored, "choices"))
        case kind:
            raise ValueError(f"{kind!r:.40} is no kind of request")
    if _text(stored, "sha256") != digest(request):
        raise ValueError("its SHA-256 is not that of what it would show")
    return request


def read_outcome(stored: JsonObject) -> Outcome:
    """Read an answer. Raises ValueError."""
    decision, via = _optional(stored, "decision"), _optional(stored, "via")
    return Outcome(
        id=_text(stored, "id"),
        sha256=_text(stored, "sha256"),
        state=RequestState(_text(stored, "state")),
        settled=_time(stored, "settled"),
        decision=Decision(decision) if decision is not None else None,
        via=Via(via) if via is not None else None,
        kept=_optional(stored, "kept"),
        reason=_optional(stored, "reason"),
        answer=_optional(stored, "answer"),
    )


def _header(request: Request, kind: str) -> dict[str, Json]:
    asker = request.asker
    return {
        "schema": SCHEMA,
        "kind": kind,
        "id": request.id,
        "sha256": digest(request),
        "asked": request.asked.isoformat(),
        "session": asker.session,
        "thread": asker.thread,
        "client": asker.client,
        "process": asker.pid,
        "processStarted": asker.started,
    }


def _asker(stored: JsonObject) -> Asker:
    pid, started = stored.get("process"), stored.get("processStarted")
    if not isinstance(pid, int) or isinstance(pid, bool) or not isinstance(started, int | float):
        raise _fault("it names no process")
    thread = _optional(stored, "thread")
    return Asker(
        session=SessionId(_text(stored, "session")),
        thread=ThreadId(thread) if thread is not None else None,
        client=_optional(stored, "client"),
        pid=pid,
        started=float(started),
    )


def _text(stored: JsonObject, name: str) -> str:
    value = _optional(stored, name)
    if value is None:
        raise ValueError(f"it has no {name}")
    return value


def _optional(stored: JsonObject, name: str) -> str | None:
    value = stored.get(name)
    if value is not None and not isinstance(value, str):
        raise _fault(f"{name} is not text")
    return value


def _texts(stored: JsonObject, name: str) -> tuple[str, ...]:
    value = stored.get(name)
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise _fault(f"{name} is not a list")
    return tuple(one_line(str(item)) for item in value)


def _fault(reason: str) -> ValueError:
    return ValueError(reason)


def _time(stored: JsonObject, name: str) -> datetime:
    time = datetime.fromisoformat(_text(stored, name))
    if time.tzinfo is None:
        raise ValueError(f"{name} has no time zone")
    return time
