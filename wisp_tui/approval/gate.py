"""The gate every command passes: judged, then allowed by rule or by an earlier answer, or put before the person.

Order: the person's denials → below the threshold → their allowances → an answer of this session → of this turn → a
stored one → ask. Each simple command of a line passes on its own; the first refusal ends it. Each step is audited.
"""

from __future__ import annotations

import asyncio
import os.path
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from wisp_tui.approval.base import Answer, ApprovalRequest, Asker, Level, Permit
from wisp_tui.approval.policy import CommandPolicy
from wisp_tui.approval.standing import Covered, GivenAnswers, covered_for_the_session
from wisp_tui.approval.store import ApprovalStore
from wisp_tui.approval.verdict import Part, Verdict, at_least
from wisp_tui.events import AuditEvent, Kind
from wisp_tui.text.ids import CallId, TurnNumber
from wisp_tui.text.json import JsonObject

_SETTLING = frozenset({"git", "gh", "glab", "hub", "git-lfs", "jj"})
UNJUDGED = ("every command asks",)


class Recorder(Protocol):
    """Writes an audit event of the conversation the gate belongs to."""

    def __call__(
        self, kind: str, details: JsonObject, *, turn: TurnNumber | None = None, call: CallId | None = None
    ) -> AuditEvent:
        """Record it; raises AuditUnavailable when it cannot be written."""
        ...


class Judging(Protocol):
    """Judges how risky a command line is."""

    def judge(self, line: str, directory: Path) -> Verdict:
        """Judge a line that would run in ``directory``."""
        ...


class Guarding(Protocol):
    """Knows the files whose content is not shown unasked."""

    def asks_for(self, path: Path) -> str | None:
        """Tell why reading a file asks; None when it does not."""
        ...


@dataclass(frozen=True, slots=True)
class GateRules:
    """What a gate decides by. Without a judge every command asks, and is kept no further than the session.

    ``sandboxed``: commands run in a sandbox; where they do not, everything above safe asks, whatever the threshold.
    """

    judge: Judging | None = None
    threshold: Level = Level.MODERATE
    policy: CommandPolicy = field(default_factory=CommandPolicy)
    store: ApprovalStore | None = None
    sandboxed: bool = True
    guarded: Guarding | None = None
    """Which files ask before they are read; None when none does."""

    def asks(self, level: Level) -> bool:
        """Whether a level is one that asks."""
        return at_least(level, self.threshold) or (not self.sandboxed and level is not Level.SAFE)


@dataclass(frozen=True, slots=True)
class _Moment:
    """The call that something is asked for, for the audit."""

    turn: TurnNumber
    call: CallId


class Gate:
    """One conversation's gate."""

    def __init__(
        self,
        asker: Asker,
        record: Recorder,
        rules: GateRules | None = None,
        *,
        new_id: Callable[[], str] = lambda: secrets.token_hex(4),
    ) -> None:
        self._asker = asker
        self._record = record
        self._rules = rules or GateRules()
        self._new_id = new_id
        self._given = GivenAnswers(self._rules.store)

    @property
    def rules(self) -> GateRules:
        """What it decides by."""
        return self._rules

    @property
    def session_answers(self) -> tuple[tuple[str, str], ...]:
        """What was approved for this session: what each covers, and where."""
        return self._given.for_session

    def forget_session(self) -> int:
        """Take back what was approved for this session and this turn; return how many there were of the session."""
        return self._given.forget()

    def take_sandbox(self, *, sandboxed: bool) -> None:
        """Take note whether commands run in a sandbox, once that was found out."""
        self._rules = replace(self._rules, sandboxed=sandboxed)

    async def permit(self, command: str, directory: str, *, turn: TurnNumber, call: CallId) -> Permit:
        """Decide whether a command line may run in ``directory``, asking the person where nothing else decides.

        Raises AuditUnavailable; a cancellation while it asks is audited, then goes on.
        """
        moment = _Moment(turn, call)
        verdict = await self.judged(command, directory)
        self._write(Kind.CLASSIFIER_VERDICT, described(verdict), moment)
        if denied := self._rules.policy.denied(verdict):
            return self._denied(*denied, moment)
        reasons: list[str] = []
        for part in verdict.parts:
            if not self._rules.asks(part.level):
                continue
            permit = await self._passes(part, command, moment)
            if not permit.allowed:
                return permit
            reasons.append(permit.why)
        if not reasons:
            self._write(Kind.POLICY_DECISION, {"decision": "allow", "rule": "below the threshold"}, moment)
            return Permit(
                allowed=True,
                why=f"judged {verdict.level.value}",
                environment=reading_environment(verdict),
                level=verdict.level,
                git=_settles_git(verdict),
            )
        why = "; ".join(dict.fromkeys(reasons))
        return Permit(allowed=True, why=why, level=verdict.level, git=_settles_git(verdict))

    async def permit_act(self, act: Act, directory: str, *, turn: TurnNumber, call: CallId) -> Permit:
        """Decide whether an act that is no command may be done: reading credentials, writing a file. Asks as one does.

        An answer for the session covers exactly that act, or what the act says it covers. Raises AuditUnavailable.
        """
        moment = _Moment(turn, call)
        if not self._rules.asks(act.level):
            self._write(Kind.POLICY_DECISION, {"decision": "allow", "rule": "below the threshold"}, moment)
            return Permit(allowed=True, why=f"judged {act.level.value}")
        part = Part(
            act.text, act.level, (act.reason,), directory, context=act.diff or act.text, session=act.covers or ""
        )
        return await self._passes(part, act.text, moment, act.diff)

    async def permit_reading(self, path: Path, *, turn: TurnNumber, call: CallId) -> Permit:
        """Decide whether a file's content may be shown: unasked, unless it is one that holds credentials.

        Raises AuditUnavailable.
        """
        guarded = self._rules.guarded
        reason = await asyncio.to_thread(guarded.asks_for, path) if guarded is not None else None
        if reason is None:
            return Permit(allowed=True, why="it holds no credentials")
        act = Act.reading(path, reason)
        return await self.permit_act(act, str(path.parent), turn=turn, call=call)

    async def judged(self, command: str, directory: str) -> Verdict:
        """Judge a line. Without a judge it is one moderate command."""
        judge = self._rules.judge
        if judge is None:
            return Verdict(command, (Part(command, Level.MODERATE, UNJUDGED, directory, context=command),))
        return await asyncio.to_thread(judge.judge, command, Path(directory))

    async def denied(self, command: str, directory: str) -> str | None:
        """Tell why the person's policy denies a command they typed themselves; None when it does not. Asks nothing."""
        if not self._rules.policy.deny:
            return None
        found = self._rules.policy.denied(await self.judged(command, directory))
        return _by_policy(found[0], str(found[1])) if found else None

    # One part -------------------------------------------------------------------------------------------------------

    async def _passes(self, part: Part, line: str, moment: _Moment, diff: str = "") -> Permit:
        """Let a simple command pass by rule or by an earlier answer, or ask."""
        if allowed := self._rules.policy.allows(part):
            details: JsonObject = {"decision": "allow", "rule": "commandPolicy", "pattern": str(allowed)}
            self._write(Kind.POLICY_DECISION, {**details, "command": part.command}, moment)
            return Permit(allowed=True, why=f"commandPolicy allows {allowed}")
        covered = await asyncio.to_thread(self._given.covering, part, moment.turn)
        if covered is not None:
            return self._covered(part, covered, moment)
        return await self._asked(self._request(part, line, diff), part, moment)

    def _covered(self, part: Part, covered: Covered, moment: _Moment) -> Permit:
        details: JsonObject = {"decision": "allow", "rule": covered.scope.value, "command": part.command}
        self._write(Kind.POLICY_DECISION, details, moment)
        self._decided(part, None, covered.scope, covered.why, moment)
        return Permit(allowed=True, why=covered.why)

    async def _asked(self, request: ApprovalRequest, part: Part, moment: _Moment) -> Permit:
        self._write(Kind.POLICY_DECISION, {"decision": "ask", "command": part.command}, moment)
        self._write(Kind.APPROVAL_REQUESTED, _asked(request), moment)
        settled = "withdrawn"
        try:
            answer, by = await self._asker.ask(request)
            settled = answer.value
            self._write(Kind.APPROVAL_ANSWERED, {"id": request.id, "decision": answer.value, "by": by}, moment)
        finally:
            self._write(Kind.APPROVAL_SETTLED, {"id": request.id, "outcome": settled}, moment)
        reach = await asyncio.to_thread(self._given.remember, part, answer, moment.turn)
        self._decided(part, request.id, reach, by, moment, asked_for=answer)
        return Permit(allowed=answer is not Answer.NO, why=by)

    def _request(self, part: Part, line: str, diff: str) -> ApprovalRequest:
        return ApprovalRequest(
            id=self._new_id(),
            command=part.command,
            line=line,
            directory=part.directory,
            level=part.level,
            reasons=part.reasons,
            pattern=str(part.pattern) if part.pattern is not None else covered_for_the_session(part),
            answers=self._given.offered(part),
            diff=diff,
        )

    # The audit ------------------------------------------------------------------------------------------------------

    def _denied(self, part: Part, pattern: object, moment: _Moment) -> Permit:
        details: JsonObject = {"decision": "deny", "rule": "commandPolicy", "pattern": str(pattern)}
        self._write(Kind.POLICY_DECISION, {**details, "command": part.command}, moment)
        return Permit(allowed=False, why=_by_policy(part, str(pattern)))

    def _decided(
        self,
        part: Part,
        request: str | None,
        reach: Answer,
        by: str,
        moment: _Moment,
        *,
        asked_for: Answer | None = None,
    ) -> None:
        details: dict[str, str | bool | None] = {
            "id": request,
            "decision": reach.value,
            "by": by,
            "command": part.command,
            "pattern": str(part.pattern) if part.pattern is not None else None,
        }
        if asked_for is not None and asked_for is not reach:
            details["downgraded"] = True
        self._write(Kind.APPROVAL_DECIDED, details, moment)

    def _write(self, kind: str, details: JsonObject, moment: _Moment) -> None:
        self._record(kind, details, turn=moment.turn, call=moment.call)


@dataclass(frozen=True, slots=True)
class Act:
    """Something a tool would do that is no command, as the person is shown it."""

    text: str
    level: Level
    reason: str
    diff: str = ""
    """What it would change, as a unified diff, which the person is shown; an answer for the turn covers no other."""
    covers: str | None = None
    """What an answer for the session covers, in words; None for exactly this act. A dangerous act never covers more."""

    @classmethod
    def reading(cls, path: Path, reason: str) -> Act:
        """Describe reading a file that asks, and why it does. It is as bad as showing it by a command."""
        shown = os.path.normpath(path)
        return cls(f"read_file {shown}", Level.DANGEROUS, f"shows {shown}: {reason}")


def _settles_git(verdict: Verdict) -> bool:
    """Whether a part of a line is a program's that changes a repository's settings as a matter of course."""
    return any(
        form[0] in _SETTLING for part in verdict.parts if part.level is not Level.SAFE for form in part.forms if form
    )


def described(verdict: Verdict) -> JsonObject:
    """Write a verdict as it is audited."""
    return {
        "line": verdict.line,
        "level": verdict.level.value,
        "parts": [
            {
                "command": part.command,
                "level": part.level.value,
                "reasons": list(part.reasons),
                "directory": part.directory,
                "pattern": str(part.pattern) if part.pattern is not None else None,
            }
            for part in verdict.parts
        ],
    }


def reading_environment(verdict: Verdict) -> Mapping[str, str]:
    """What a line that runs unasked is given, so that git runs no program of the repository's, even one set since."""
    if not any(form[0] == "git" for part in verdict.parts for form in part.forms):
        return {}
    return {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": "false",
        "GIT_CONFIG_KEY_1": "core.hooksPath",
        "GIT_CONFIG_VALUE_1": "/dev/null",
    }


def _asked(request: ApprovalRequest) -> JsonObject:
    return {
        "id": request.id,
        "command": request.command,
        "line": request.line,
        "directory": request.directory,
        "level": request.level.value,
        "reasons": list(request.reasons),
        "pattern": request.pattern,
        "answers": [answer.value for answer in request.answers],
    }


def _by_policy(part: Part, pattern: str) -> str:
    return f"the person's commandPolicy denies {pattern}: {part.command}"
