"""The gate every command passes: until commands are judged, each one asks."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Protocol

from wisp_tui.approval.base import Answer, ApprovalRequest, Asker, Level, Permit
from wisp_tui.events import AuditEvent, Kind
from wisp_tui.text.ids import CallId, TurnNumber
from wisp_tui.text.json import JsonObject


class Recorder(Protocol):
    """Writes an audit event of the conversation the gate belongs to."""

    def __call__(
        self, kind: str, details: JsonObject, *, turn: TurnNumber | None = None, call: CallId | None = None
    ) -> AuditEvent:
        """Record it; raises AuditUnavailable when it cannot be written."""
        ...


class Gate:
    """One conversation's gate. An answer covers exactly the command line and directory that were shown."""

    def __init__(
        self, asker: Asker, record: Recorder, *, new_id: Callable[[], str] = lambda: secrets.token_hex(4)
    ) -> None:
        self._asker = asker
        self._record = record
        self._new_id = new_id
        self._this_turn: set[tuple[TurnNumber, str, str]] = set()
        self._this_session: set[tuple[str, str]] = set()

    async def permit(self, command: str, directory: str, *, turn: TurnNumber, call: CallId) -> Permit:
        """Decide whether a command may run, asking the person unless an earlier answer covers it."""
        if (command, directory) in self._this_session:
            return self._decided(Answer.SESSION, "approved for this session", turn, call)
        if (turn, command, directory) in self._this_turn:
            return self._decided(Answer.ONCE, "approved for this turn", turn, call)
        request = ApprovalRequest(
            id=self._new_id(),
            command=command,
            line=command,
            directory=directory,
            level=Level.MODERATE,
            reasons=("every command asks",),
        )
        self._record(
            Kind.APPROVAL_REQUESTED,
            {"id": request.id, "command": command, "line": command, "directory": directory, "level": request.level},
            turn=turn,
            call=call,
        )
        answer, by = await self._asker.ask(request)
        match answer:
            case Answer.NO:
                pass
            case Answer.ONCE:
                self._this_turn.add((turn, command, directory))
            case Answer.SESSION | Answer.PROJECT | Answer.ALWAYS:
                self._this_session.add((command, directory))
        return self._decided(answer, by, turn, call, request.id)

    def _decided(self, answer: Answer, by: str, turn: TurnNumber, call: CallId, request: str | None = None) -> Permit:
        self._record(Kind.APPROVAL_DECIDED, {"id": request, "decision": answer.value, "by": by}, turn=turn, call=call)
        return Permit(allowed=answer is not Answer.NO, why=by)
