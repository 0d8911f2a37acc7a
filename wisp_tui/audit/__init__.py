"""The audit log: the verbatim, append-only truth of every conversation, and how it is read back.

Imports ``events``, ``config`` and ``text``.
"""

from wisp_tui.audit.log import AuditLog, AuditUnavailable
from wisp_tui.audit.reader import LogReading, find_event, log_files, read_events

__all__ = ["AuditLog", "AuditUnavailable", "LogReading", "find_event", "log_files", "read_events"]
