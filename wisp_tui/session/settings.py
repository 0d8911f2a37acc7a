"""The settings as one conversation has them: each with its value in the file and in force, and changed from there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from wisp_tui.config import ConfigError
from wisp_tui.config.editing import Edited, faults_by_name, set_in, unknown_in, usable
from wisp_tui.config.fields import Setting, settings_by_name, taken_up
from wisp_tui.events import Kind, SettingChanged
from wisp_tui.facts import PersonAct
from wisp_tui.keeping.settings import SettingsFile
from wisp_tui.session.configuring import Terms, set_setting, unset_setting
from wisp_tui.session.thread import Thread
from wisp_tui.text.json import Json

AT_ONCE = "it holds from now on"
LATER = "it holds from the next start of wisp"


@dataclass(frozen=True, slots=True)
class SettingState:
    """One setting: ``value`` as the file has it, else its default; ``in_force`` as the conversation goes by it."""

    setting: Setting
    value: Json
    in_force: Json
    is_set: bool = False
    """Whether the file sets it."""
    fault: str = ""
    """Why what the file holds cannot be used, a sentence; empty where it can."""

    @property
    def changed(self) -> bool:
        """Whether its value is not the default."""
        return self.value != self.setting.default

    @property
    def terms(self) -> Terms:
        """The terms of a change by somebody who looked at this."""
        return Terms(self.value)


@dataclass(frozen=True, slots=True)
class SettingStates:
    """All settings, in the order of the file. ``fault`` says why the file cannot be used, empty where it can."""

    settings: Sequence[SettingState]
    unknown: tuple[str, ...] = ()
    """Fields of the file that are no settings here; they are kept."""
    fault: str = ""


def look_at_settings(thread: Thread) -> SettingStates:
    """Read what the file holds now. Of a file that cannot be read, the settings are those in force."""
    held = thread.conversation.settings
    known = settings_by_name().values()
    try:
        config = SettingsFile(thread.shelf.home).read()
    except ConfigError as error:
        values = [(setting, setting.value(held)) for setting in known]
        return SettingStates([SettingState(setting, value, value) for setting, value in values], fault=str(error))
    settings, faults, own = usable(config), faults_by_name(config), set_in(config)
    states = [
        SettingState(
            setting, setting.value(settings), setting.value(held), setting in own, faults.get(setting.name, "")
        )
        for setting in known
    ]
    elsewhere = [fault for name, fault in faults.items() if name not in settings_by_name()]
    return SettingStates(states, unknown_in(config), "; ".join(elsewhere))


def change_setting(
    thread: Thread, act: PersonAct, name: str, words: Sequence[str] | None, terms: Terms | None = None
) -> Edited:
    """Set a setting to what the words say, or take it out of the file without any; what can, holds at once.

    Raises as ``set_setting`` does, and AuditUnavailable when it cannot be recorded; then nothing is changed.
    """
    held, home = thread.conversation, thread.shelf.home
    record = partial(held.write, Kind.CONFIG_CHANGE)
    if words is None:
        edited = unset_setting(home, act, name, record, terms=terms)
    else:
        edited = set_setting(home, act, name, words, record, terms=terms)
    if edited.setting.at_once:
        held.settings = taken_up(held.settings, usable(edited.config))
        held.bus.publish(SettingChanged(held.session, name, edited.after))
    return edited


def holds_when(setting: Setting) -> str:
    """Say when a change of a setting holds."""
    return AT_ONCE if setting.at_once else LATER
