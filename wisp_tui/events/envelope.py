"""What an audit event is: the envelope of spec/TABLES.md, "Audit event", and its kinds."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from wisp_tui.text.ids import CallId, EventId, SessionId, TurnNumber
from wisp_tui.text.json import Json, JsonObject, dump, load_object

SCHEMA = 1


class Kind(StrEnum):
    """The kinds this version writes. A reader keeps and shows others too, so ``AuditEvent.kind`` is text."""

    SESSION_START = "session.start"
    SESSION_END = "session.end"
    MODEL_RESOLVED = "model.resolved"
    MODEL_FALLBACK = "model.fallback"
    MODEL_CHECKED = "model.checked"
    PROMPT = "prompt"
    RESPONSE = "response"
    MODEL_REASONING = "model.reasoning"
    TOOL_CALL = "tool.call"
    TOOL_RESULT = "tool.result"
    OUTPUT_KEPT = "output.kept"
    POLICY_DECISION = "policy.decision"
    COMMAND_OUTCOME = "command.outcome"
    COMMAND_TYPED = "command.typed"
    FILE_WRITE = "file.write"
    CLASSIFIER_VERDICT = "classifier.verdict"
    APPROVAL_REQUESTED = "approval.requested"
    APPROVAL_PENDING = "approval.pending"
    APPROVAL_ANSWERED = "approval.answered"
    APPROVAL_SETTLED = "approval.settled"
    APPROVAL_DECIDED = "approval.decided"
    CONTEXT_COMPOSED = "context.composed"
    CONTEXT_CUT = "context.cut"
    CONTEXT_REFERENCE = "context.reference"
    CONTEXT_CONDENSATION = "context.condensation"
    CONTEXT_DISTILLATION = "context.distillation"
    CONTEXT_SUMMARY = "context.summary"
    CONTEXT_MEMORY = "context.memory"
    CONTEXT_ASSESSMENT = "context.assessment"
    FACT_RECORDED = "fact.recorded"
    FACT_SUPERSEDED = "fact.superseded"
    FACT_DELETED = "fact.deleted"
    FACT_SCOPE_CHANGED = "fact.scope.changed"
    FACT_CONFLICT_RAISED = "fact.conflict.raised"
    FACT_CONFLICT_RESOLVED = "fact.conflict.resolved"
    REPLAY_START = "replay.start"
    REPLAY_TURN = "replay.turn"
    REPLAY_END = "replay.end"
    NOTIFICATION = "notification"
    CONFIG_CHANGE = "config.change"
    MCP_REQUEST = "mcp.request"
    MCP_RESULT = "mcp.result"
    HOST_HELLO = "host.hello"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class AuditEvent:
    """One recorded event. ``time`` is ISO 8601 UTC with milliseconds; ``details`` is the kind's own."""

    id: EventId
    time: str
    version: str
    pid: int
    session: SessionId
    turn: TurnNumber | None
    call: CallId | None
    kind: str
    details: JsonObject
    schema: int = SCHEMA
    extra: JsonObject = field(default_factory=dict[str, Json])
    """Envelope fields this version does not know, kept as they were read."""

    def line(self) -> bytes:
        """Write the event as its one line of the log, newline included."""
        return (
            dump(
                {
                    "schema": self.schema,
                    "id": self.id,
                    "time": self.time,
                    "version": self.version,
                    "pid": self.pid,
                    "session": self.session,
                    "turn": self.turn,
                    "call": self.call,
                    "kind": self.kind,
                    "details": self.details,
                    **self.extra,
                }
            )
            + b"\n"
        )

    @classmethod
    def read(cls, line: bytes) -> AuditEvent:
        """Read a line of the log; raises ValueError when it is no JSON object.

        A field that is missing takes its empty value. Fields this version does not know are kept in
        ``extra``, details that are no object under ``value``.
        """
        fields = dict(load_object(line))
        details = fields.pop("details", {})
        turn, call = fields.pop("turn", None), fields.pop("call", None)
        schema, pid = fields.pop("schema", SCHEMA), fields.pop("pid", 0)
        return cls(
            schema=schema if isinstance(schema, int) else SCHEMA,
            id=EventId(_text(fields.pop("id", ""))),
            time=_text(fields.pop("time", "")),
            version=_text(fields.pop("version", "")),
            pid=pid if isinstance(pid, int) else 0,
            session=SessionId(_text(fields.pop("session", ""))),
            turn=TurnNumber(turn) if isinstance(turn, int) else None,
            call=CallId(call) if isinstance(call, str) else None,
            kind=_text(fields.pop("kind", "")),
            details=details if isinstance(details, dict) else {"value": details},
            extra=fields,
        )


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
