"""The command about the settings: /config. What it changes is audited, and it says when it holds."""

from __future__ import annotations

from collections.abc import Sequence

from wisp_tui.config import ConfigError
from wisp_tui.config.editing import BadChange, unknown_in
from wisp_tui.config.fields import Setting, UnknownSetting, setting_named, settings_by_name, settings_under
from wisp_tui.keeping.settings import SettingsFile
from wisp_tui.session.commands.base import Answered, Command, Effect, Offer
from wisp_tui.session.configuring import change_lines, known_choices, set_rows
from wisp_tui.session.person import typed_act
from wisp_tui.session.settings import change_setting, holds_when
from wisp_tui.session.thread import Thread
from wisp_tui.text.clean import clean_line

_USAGE = "/config list [PART] · get NAME · set NAME VALUE · unset NAME · choices NAME"
_WORDS = ("list", "get", "set", "unset", "choices")


async def _config(thread: Thread, argument: str) -> Answered:
    try:
        return _answered(thread, argument)
    except (UnknownSetting, BadChange, ConfigError) as error:
        return Answered((clean_line(str(error)),), failed=True)


def _answered(thread: Thread, argument: str) -> Answered:
    """Answer a line. Raises UnknownSetting, BadChange, ConfigError, and AuditUnavailable with nothing changed."""
    match _words(argument):
        case []:
            return Answered(tuple(_set(thread)), effect=Effect.SETTINGS)
        case ["list", *part] if len(part) < 2:
            return Answered(tuple(_line(setting, thread) for setting in settings_under("".join(part))))
        case ["get", name]:
            return Answered((_line(setting_named(name), thread),))
        case ["choices", name]:
            setting = setting_named(name)
            choices = known_choices(setting, thread.shelf.home, thread.conversation.settings)
            offer = _offer(setting, choices, thread) if choices else None
            return Answered(tuple(choices) or (f"{name} takes {setting.allowed}",), offer=offer)
        case words:
            return _changed(thread, words)


def _changed(thread: Thread, words: Sequence[str]) -> Answered:
    act = typed_act("changes the settings")
    match words:
        case ["set", name, value, *more]:
            edited = change_setting(thread, act, name, (value, *more))
        case ["unset", name]:
            edited = change_setting(thread, act, name, None)
        case _:
            return Answered((_USAGE,), failed=True)
    return Answered((*map(clean_line, change_lines(edited)), holds_when(edited.setting)))


def _offer(setting: Setting, choices: Sequence[str], thread: Thread) -> Offer:
    value = setting.value(thread.conversation.settings)
    toggles = isinstance(value, list | tuple)
    now = value if isinstance(value, list | tuple) else () if value is None else (value,)
    current = tuple(one if isinstance(one, str) else setting.shown(one) for one in now)
    return Offer(f"What is {setting.name} to be?", tuple(choices), f"/config set {setting.name}", current, toggles)


def _words(argument: str) -> list[str]:
    """Part a line into words: a list's as a shell does, others as they stand. Raises BadChange, UnknownSetting."""
    word, _, rest = argument.partition(" ")
    name, _, value = rest.strip().partition(" ")
    if word != "set":
        return argument.split()
    try:
        return [word, name, *setting_named(name).words_of(value)]
    except ValueError as error:
        raise BadChange(f"{name} cannot be read from {value!r:.80}: {error}") from error


def _set(thread: Thread) -> list[str]:
    file = SettingsFile(thread.shelf.home)
    config = file.read()
    lines = [clean_line(f"{name} = {value}") for name, value in set_rows(config)]
    lines = lines or [f"{thread.shelf.home.config} sets nothing: every setting has its default"]
    if unknown := unknown_in(config):
        lines.append(clean_line(f"kept in the file, and not used: {', '.join(unknown)}"))
    return [*lines, _USAGE]


def _line(setting: Setting, thread: Thread) -> str:
    """Write a setting as this conversation has it, with what it takes."""
    value = setting.value(thread.conversation.settings)
    shown = "unset" if value is None else setting.shown(value)
    return clean_line(f"{setting.name} = {shown}  ({setting.allowed})  {setting.description}")


def _ways(thread: Thread, argument: str) -> Sequence[str]:
    word, space, rest = argument.partition(" ")
    if not space or word not in _WORDS:
        return _WORDS
    name, space, _ = rest.partition(" ")
    if not space or word != "set" or (setting := settings_by_name().get(name)) is None:
        return [f"{word} {known}" for known in settings_by_name()]
    choices = known_choices(setting, thread.shelf.home, thread.conversation.settings)
    return [f"set {name} {choice}" for choice in choices]


CONFIG = (Command("/config", "/config …", f"show the settings, or change one: {_USAGE}", _config, _ways),)
