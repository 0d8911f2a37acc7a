"""Notifications of the model's in the app: the terminal's own where it has them, else the system's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wisp_tui.app.base import BaseApp
from wisp_tui.tools.notifying import Notifier

_PROGRAMS = frozenset({"iTerm.app", "WezTerm", "ghostty"})
_TERMS = ("xterm-kitty", "xterm-ghostty", "foot")


def terminal_notifies(environment: Mapping[str, str]) -> bool:
    """Whether the terminal is one that shows notifications (OSC 9) and nothing between takes them away."""
    if environment.get("TMUX") or environment.get("STY"):
        return False
    return environment.get("TERM_PROGRAM") in _PROGRAMS or environment.get("TERM", "").startswith(_TERMS)


@dataclass(frozen=True, slots=True)
class AppNotifier:
    """Shows a notification in the app and, that it be seen elsewhere too, by the terminal or ``otherwise``."""

    app: BaseApp
    otherwise: Notifier

    async def show(self, title: str, body: str) -> str | None:
        """Show it."""
        self.app.notify(body, title=title, timeout=8)
        if terminal_notifies(self.app.environment):
            self.app.tell_terminal(f"{title}: {body}")
            return "the terminal"
        return await self.otherwise.show(title, body) or "the app"
