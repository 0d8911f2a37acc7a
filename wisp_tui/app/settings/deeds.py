"""A setting changed by a key: what is to be said of it, or why it could not be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wisp_tui.audit import AuditUnavailable
from wisp_tui.config import ConfigError
from wisp_tui.config.editing import BadChange
from wisp_tui.facts import Via
from wisp_tui.session import Thread
from wisp_tui.session.configuring import Terms, change_lines
from wisp_tui.session.person import NotThePerson, typed_act
from wisp_tui.session.settings import SettingState, change_setting, holds_when


class NotChanged(Exception):
    """A setting stays as it is; the message says why."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A change of a setting, as it was looked at: to what ``words`` say, or to its default without any."""

    state: SettingState
    words: tuple[str, ...] | None

    def agreed(self, thread: Thread, weakens: Sequence[str] = ()) -> list[str]:
        """Make the change, which weakens no more than was agreed to; return what is to be said of it.

        Raises Weakens where it would weaken more, NotChanged with the reason.
        """
        setting = self.state.setting
        terms = Terms(self.state.value, tuple(weakens))
        try:
            act = typed_act("changes the settings", Via.TUI)
            edited = change_setting(thread, act, setting.name, self.words, terms)
        except (BadChange, ConfigError, NotThePerson) as error:
            raise NotChanged(str(error)) from error
        except AuditUnavailable as error:
            raise NotChanged(f"not changed: {error}") from error
        return [*change_lines(edited), *([holds_when(setting)] if edited.before != edited.after else [])]


def written(state: SettingState, text: str) -> Wanted:
    """Read what was written as a setting's value; nothing unsets one that may be. Raises NotChanged."""
    setting = state.setting
    if not text.strip() and setting.default is None:
        return Wanted(state, None)
    try:
        return Wanted(state, setting.words_of(text))
    except ValueError as error:
        raise NotChanged(f"{setting.name} cannot be read from that: {error}") from error


def following(state: SettingState, where: str) -> Wanted | None:
    """Take the choice ``before`` or ``after`` the one that holds, round and round; None where there are not several."""
    choices = state.setting.several
    if not choices:
        return None
    now = state.setting.text(state.value)
    if now not in choices:
        return Wanted(state, (choices[0],))
    return Wanted(state, (choices[(choices.index(now) + (1 if where == "after" else -1)) % len(choices)],))
