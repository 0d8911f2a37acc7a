"""The settings as a person changes them from any face: checked by all that reads them, recorded, told in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wisp_tui.approval.patterns import BadPattern
from wisp_tui.approval.policy import CommandPolicy
from wisp_tui.config import ConfigError, Home, Settings
from wisp_tui.config.editing import BadChange, Edited, set_in, usable, with_value, without
from wisp_tui.config.fields import SHOWN, Setting, setting_named
from wisp_tui.context.condensing import Target
from wisp_tui.facts import PersonAct
from wisp_tui.keeping.settings import SettingsFile
from wisp_tui.models.choose import AUTO, RUNTIMES
from wisp_tui.session.facts import shipped_kinds
from wisp_tui.text.json import Json, JsonObject
from wisp_tui.text.sizes import shorten
from wisp_tui.tools.registry import available

Record = Callable[[JsonObject], object]
"""Records a change: it is given the details of ``config.change``."""


class ChangedMeanwhile(BadChange):
    """The file holds another value than the person looked at; the message says which."""


class Weakens(Exception):
    """A change would weaken the gate, the sandbox or the audit, and nobody agreed to it: ``sentences`` say how."""

    def __init__(self, sentences: Sequence[str]) -> None:
        super().__init__("; ".join(sentences))
        self.sentences = tuple(sentences)


@dataclass(frozen=True, slots=True)
class Terms:
    """What a change is made on: the value the person looked at, and what it weakens, as they were told and agreed."""

    seen: Json
    agreed: tuple[str, ...] = ()

    def hold(self, edited: Edited) -> Edited:
        """Let a change through that is on these terms. Raises ChangedMeanwhile, Weakens."""
        if edited.before != self.seen:
            setting = edited.setting
            now = "unset" if edited.before is None else setting.shown(edited.before)
            raise ChangedMeanwhile(
                f"not changed: {setting.name} is {shorten(now, SHOWN)} in the file since, by somebody else's change; "
                "look at it, then change it again"
            )
        if not set(edited.weakens) <= set(self.agreed):
            raise Weakens(edited.weakens)
        return edited


def set_setting(
    home: Home, act: PersonAct, name: str, words: Sequence[str], record: Record, *, terms: Terms | None = None
) -> Edited:
    """Set a setting to what the words say, recorded before it is written; on ``terms``, or whatever is there.

    Raises UnknownSetting, BadChange, ConfigError, Weakens, and what ``record`` raises; then nothing is changed.
    """
    setting = setting_named(name)

    def edit(config: JsonObject) -> Edited:
        edited = with_value(config, setting, words)
        _check(setting, usable(edited.config), home)
        return edited if terms is None else terms.hold(edited)

    return SettingsFile(home).change(act, edit, lambda edited: record(_details(edited, act)))


def unset_setting(home: Home, act: PersonAct, name: str, record: Record, *, terms: Terms | None = None) -> Edited:
    """Take a setting out of the file, so that its default holds. Raises as ``set_setting`` does."""
    setting = setting_named(name)

    def edit(config: JsonObject) -> Edited:
        edited = without(config, setting)
        return edited if terms is None else terms.hold(edited)

    return SettingsFile(home).change(act, edit, lambda edited: record(_details(edited, act)))


def change_lines(edited: Edited) -> list[str]:
    """Say what a change came to: the value, what it weakens, what of the file cannot be used."""
    setting = edited.setting
    after = "unset" if edited.after is None else setting.shown(edited.after)
    if edited.before == edited.after:
        said = f"{setting.name} is {after}, as it was"
    else:
        before = "unset" if edited.before is None else setting.shown(edited.before)
        said = f"{setting.name} is {after}; it was {before}"
    return [said, *edited.weakens, *_remarks(edited), *edited.faults]


def set_rows(config: JsonObject) -> list[tuple[str, str]]:
    """List what a file sets: each setting's name, and its value as shown. What cannot be used is left out."""
    settings = usable(config)
    return [(setting.name, setting.shown(setting.value(settings))) for setting in set_in(config)]


def known_choices(setting: Setting, home: Home, settings: Settings) -> Sequence[str]:
    """List what a setting can be set to, as far as that is known without asking anybody; empty where it is not."""
    if setting.name == "tools.disabled":
        return tuple(available(settings, home))
    return setting.choices


def _details(edited: Edited, act: PersonAct) -> JsonObject:
    return {**edited.audited, "by": "the person", "via": act.via.value}


def reading_faults(settings: Settings, home: Home) -> tuple[str, ...]:
    """Say what settings hold that their type allows and what reads them does not."""
    wrong: list[str] = []
    for setting in ("model", "commandPolicy.deny", "facts.kinds", "tools.custom"):
        try:
            _check(setting_named(setting), settings, home)
        except BadChange as error:
            wrong.append(str(error))
    return tuple(wrong)


def _check(setting: Setting, settings: Settings, home: Home) -> None:
    """Refuse what the setting's type allows and what reads it does not. Raises BadChange."""
    match setting.name:
        case "model" if settings.model != AUTO and settings.model.partition(":")[0] not in RUNTIMES:
            raise BadChange(
                f"model cannot be {settings.model!r:.80}: it takes {AUTO}, or RUNTIME:NAME with one of "
                f"{', '.join(RUNTIMES)}; `wisp models` lists what there is"
            )
        case "commandPolicy.deny" | "commandPolicy.allow":
            try:
                CommandPolicy.read(settings.command_policy.deny, settings.command_policy.allow)
            except BadPattern as error:
                raise BadChange(f"{setting.name} cannot be that: {error}") from error
        case "facts.kinds":
            try:
                shipped_kinds(settings)
            except ConfigError as error:
                raise BadChange(f"{setting.name} cannot be that: {error}") from error
        case "tools.custom":
            try:
                available(settings, home)
            except ConfigError as error:
                raise BadChange(f"{setting.name} cannot be that: {error}") from error
        case _:
            return


def _remarks(edited: Edited) -> list[str]:
    """Say what should be known of a value that is taken as it is."""
    settings, name = usable(edited.config), edited.setting.name
    if edited.setting.secret and edited.after is not None:
        return [f"config.json holds it as plain text; {edited.setting.path[0]}.keyVariable can name a variable instead"]
    context = settings.context
    target = Target(context.budget, context.target, context.headroom_turns)
    if name in {"context.budget", "context.target"} and target.capped:
        return [f"a condensation brings the window down to {target.share:.2f}: never to within 0.2 of context.budget"]
    if name == "display.theme" and settings.display.theme not in edited.setting.choices:
        return [f"there is no theme of that name: {', '.join(edited.setting.choices)}"]
    return []
