"""The audit log: the verbatim, append-only truth of every conversation, and how it is read back.

Imports ``events``, ``config`` and ``text``.
"""

from wisp_tui.audit.filters import Wanted
from wisp_tui.audit.log import AuditLog, AuditUnavailable
from wisp_tui.audit.reader import LogReading, find_event, log_files, read_events
from wisp_tui.audit.tail import LogTail

__all__ = [
    "AuditLog",
    "AuditUnavailable",
    "LogReading",
    "LogTail",
    "Wanted",
    "find_event",
    "log_files",
    "read_events",
]
