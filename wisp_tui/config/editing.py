"""A change of one setting, as a value: what the file would hold, what was and what would be, and what that weakens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from wisp_tui.config.fields import HIDDEN, SHOWN, Setting, settings_by_name
from wisp_tui.config.settings import Settings
from wisp_tui.config.weakening import weakened
from wisp_tui.text.json import Json, JsonObject
from wisp_tui.text.sizes import shorten


class BadChange(Exception):
    """A setting cannot be changed so; the message names it, what it was to be, and what it takes."""


@dataclass(frozen=True, slots=True)
class Edited:
    """A change of ``setting`` and the file with it. ``before`` and ``after`` are None where it is unset."""

    setting: Setting
    before: Json
    after: Json
    config: JsonObject
    faults: tuple[str, ...] = ()
    """What else in the file cannot be used, a sentence each; the change is right all the same."""
    weakens: tuple[str, ...] = ()
    """What it takes from the gate, the sandbox or the audit, a sentence each."""

    @property
    def audited(self) -> JsonObject:
        """The change as ``config.change`` carries it; a secret's value is not in it."""
        hidden = self.setting.secret
        return {
            "setting": self.setting.name,
            "before": HIDDEN if hidden and self.before is not None else self.before,
            "after": HIDDEN if hidden and self.after is not None else self.after,
            "weakens": list(self.weakens),
        }


def with_value(config: JsonObject, setting: Setting, words: Sequence[str]) -> Edited:
    """Set a setting to what a person's words say. Raises BadChange; everything else the file holds stays."""
    value = setting.read(words)
    settings, own, others = _judged(_put(config, setting, value), setting)
    if own is not None:
        raise BadChange(_refusal(setting, value, own))
    return _edited(config, setting, _put(config, setting, setting.value(settings)), tuple(others.values()))


def without(config: JsonObject, setting: Setting) -> Edited:
    """Take a setting out of the file: its default holds again."""
    changed = _taken_out(config, setting)
    return _edited(config, setting, changed, tuple(_judged(changed, setting)[2].values()))


def faults_of(config: JsonObject) -> tuple[str, ...]:
    """Say what a file holds that cannot be used, a sentence for each field."""
    return tuple(faults_by_name(config).values())


def faults_by_name(config: JsonObject) -> Mapping[str, str]:
    """Say what a file holds that cannot be used, a sentence under the setting's name, or the field's that is none."""
    return _judged(config, None)[2]


def set_in(config: JsonObject) -> tuple[Setting, ...]:
    """List the settings that a file sets, in their own order."""
    return tuple(setting for setting in settings_by_name().values() if _is_set(config, setting))


def unknown_in(config: JsonObject) -> tuple[str, ...]:
    """List the fields a file holds that are no settings: they are kept, and not used."""
    known = settings_by_name()
    parts = {setting.path[0] for setting in known.values() if len(setting.path) > 1}

    def fields() -> Iterator[str]:
        for name, value in config.items():
            if name in parts and isinstance(value, Mapping):
                yield from (f"{name}.{inner}" for inner in value)
            else:
                yield name

    names = {*known, *(".".join((*setting.path[:-1], setting.attributes[-1])) for setting in known.values())}
    return tuple(name for name in fields() if name not in names)


def _edited(config: JsonObject, setting: Setting, changed: JsonObject, faults: tuple[str, ...]) -> Edited:
    before, after = usable(config), usable(changed)
    return Edited(setting, setting.value(before), setting.value(after), changed, faults, tuple(weakened(before, after)))


def usable(config: JsonObject) -> Settings:
    """Read settings, with the defaults in place of what cannot be used."""
    try:
        return Settings.model_validate(config)
    except ValidationError as error:
        wrong = {".".join(map(str, item["loc"])) for item in error.errors()}
    for setting in settings_by_name().values():
        if any(f"{place}.".startswith(f"{setting.name}.") for place in wrong):
            config = _taken_out(config, setting)
    try:
        return Settings.model_validate(config)
    except ValidationError:  # a part of the file that is no object
        return Settings()


def _judged(config: JsonObject, setting: Setting | None) -> tuple[Settings, str | None, Mapping[str, str]]:
    """Judge a file: its settings without what cannot be used, what is wrong with ``setting``, the other faults.

    What is wrong within its value is told by its place there; empty for a value that is wrong altogether.
    """
    try:
        return Settings.model_validate(config), None, {}
    except ValidationError as error:
        wrong = {".".join(map(str, item["loc"])): (item["input"], item["msg"]) for item in error.errors()}
    own: list[str] | None = None
    others: dict[str, str] = {}
    for place, (value, message) in wrong.items():
        found = next((known for known in settings_by_name().values() if f"{place}.".startswith(f"{known.name}.")), None)
        if found is not None and found == setting:
            own = [*(own or ()), _within(found, place, message)]
        elif found is not None:
            others.setdefault(found.name, f"{_was(found, value)}; it takes {found.allowed}")
        else:
            others.setdefault(place, f"{place} is {shorten(repr(value), SHOWN)}, and holds other settings: an object")
    return usable(config), None if own is None else "; ".join(filter(None, own)), others


def _within(setting: Setting, place: str, message: str) -> str:
    inner = place.removeprefix(setting.name).removeprefix(".")
    named = setting.words or setting.bounds or not inner
    return "" if named else f"{inner}: {message[:1].lower()}{message[1:]}"


def _was(setting: Setting, value: object) -> str:
    return f"{setting.name} cannot be used" if setting.secret else f"{setting.name} is {shorten(repr(value), SHOWN)}"


def _refusal(setting: Setting, value: Json, within: str) -> str:
    wanted = "that" if setting.secret else shorten(setting.shown(value), SHOWN)
    wrong = within or f"it takes {setting.allowed}"
    return f"{setting.name} cannot be {wanted}: {wrong}. {setting.description}"


def _is_set(config: JsonObject, setting: Setting) -> bool:
    part = _part(config, setting)
    return part is not None and not part.keys().isdisjoint(_spellings(setting))


def _part(config: JsonObject, setting: Setting) -> JsonObject | None:
    """Find the object of the file that holds a setting; None where there is none."""
    part: Json = config
    for name in setting.path[:-1]:
        part = part.get(name) if isinstance(part, Mapping) else None
    return part if isinstance(part, Mapping) else None


def _spellings(setting: Setting) -> tuple[str, str]:
    return setting.path[-1], setting.attributes[-1]


def _put(config: JsonObject, setting: Setting, value: Json) -> JsonObject:
    return _replaced(config, setting.path[:-1], setting, {setting.path[-1]: value})


def _taken_out(config: JsonObject, setting: Setting) -> JsonObject:
    return _replaced(config, setting.path[:-1], setting, {}) if _is_set(config, setting) else config


def _replaced(part: JsonObject, way: tuple[str, ...], setting: Setting, put: JsonObject) -> JsonObject:
    """Return a part with a setting put in or left out, all else as it was and where it was."""
    if not way:
        alias, attribute = _spellings(setting)
        kept = {name: value for name, value in part.items() if name != attribute or name == alias}
        return {**kept, **put} if put else {name: value for name, value in kept.items() if name != alias}
    inner = part.get(way[0], {})
    if not isinstance(inner, Mapping):
        raise BadChange(f"{way[0]} is {shorten(repr(inner), SHOWN)} in the file, and holds other settings: an object")
    changed = _replaced(inner, way[1:], setting, put)
    return {**part, way[0]: changed} if changed else {name: value for name, value in part.items() if name != way[0]}
