"""The bus of one process and the events on it: audit events once they are written, and transient events beside them.

Imports only ``text`` and ``config``.
"""

from wisp_tui.events.bus import Bus, Subscription
from wisp_tui.events.envelope import AuditEvent, Kind
from wisp_tui.events.transient import (
    Activity,
    ApprovalWaiting,
    ApprovalWithdrawn,
    AuditFault,
    CommandStarted,
    CondensationStep,
    ContextFill,
    FactsChanged,
    Note,
    PendingChanged,
    QuestionWaiting,
    QuestionWithdrawn,
    ReplyDelta,
    ReplyEnded,
    SettingChanged,
    ThinkingDelta,
    ToolProgress,
    Transient,
    TurnEnded,
    TurnStarted,
)

__all__ = [
    "Activity",
    "ApprovalWaiting",
    "ApprovalWithdrawn",
    "AuditEvent",
    "AuditFault",
    "Bus",
    "CommandStarted",
    "CondensationStep",
    "ContextFill",
    "FactsChanged",
    "Kind",
    "Note",
    "PendingChanged",
    "QuestionWaiting",
    "QuestionWithdrawn",
    "ReplyDelta",
    "ReplyEnded",
    "SettingChanged",
    "Subscription",
    "ThinkingDelta",
    "ToolProgress",
    "Transient",
    "TurnEnded",
    "TurnStarted",
]
