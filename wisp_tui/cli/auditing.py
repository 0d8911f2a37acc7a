"""What a command of the person's changed, in the audit log, as a session of its own."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wisp_tui.config import Home, Settings
    from wisp_tui.text.json import JsonObject


def audit(home: Home, events: Iterable[tuple[str, JsonObject]], settings: Settings | None = None) -> None:
    """Write events to the log, kept as ``settings`` want it, the home's unless they are given.

    Raises AuditUnavailable, and ConfigError for settings that cannot be read.
    """
    from wisp_tui import __version__
    from wisp_tui.audit import AuditLog
    from wisp_tui.config import load_settings
    from wisp_tui.events import Bus
    from wisp_tui.text.ids import SessionId

    wanted = (settings or load_settings(home.config)).audit
    log = AuditLog(
        home.logs,
        Bus(),
        version=__version__,
        max_bytes=wanted.max_bytes,
        keep=wanted.keep,
        enabled=wanted.enabled,
    )
    session = SessionId(secrets.token_hex(8))
    for kind, details in events:
        log.write(session, kind, details)
    log.close()
