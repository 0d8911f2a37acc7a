"""Every setting by its name in the file: what it is, what it may be, and its value as read from words or shown."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from wisp_tui.config.settings import Settings
from wisp_tui.text.clean import clean_line
from wisp_tui.text.json import Json, dump, load
from wisp_tui.text.sizes import shorten

HIDDEN = "set, not shown"
SHOWN = 80
"""Characters of a value that an error repeats."""
SHOWN_PART = "display"
"""The part whose settings say what is shown: nothing is run, sent or recorded otherwise when one changes."""
_USERINFO = re.compile(r"//[^/@\s]*@")


class UnknownSetting(Exception):
    """There is no setting of this name; the message names the nearest."""

    def __init__(self, name: str) -> None:
        within = [known for known in settings_by_name() if known.startswith(f"{name}.")]
        near = difflib.get_close_matches(name, settings_by_name(), n=1, cutoff=0.5)
        hint = f"did you mean {near[0]}?" if near else "`wisp config list` lists them"
        super().__init__(
            f"{name} holds settings: {', '.join(within)}"
            if within
            else f"there is no setting {shorten(name, SHOWN)!r}; {hint}"
        )


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: ``name`` as the file has it (``context.budget``), ``attributes`` its place in ``Settings``."""

    name: str
    attributes: tuple[str, ...]
    info: FieldInfo

    @property
    def path(self) -> tuple[str, ...]:
        """Its place in the file."""
        return tuple(self.name.split("."))

    @property
    def description(self) -> str:
        """What it does, a sentence."""
        return self.info.description or ""

    @property
    def default(self) -> Json:
        """What it is where nobody sets it, as JSON; None for unset."""
        return self.value(Settings())

    @property
    def part(self) -> str:
        """The part of the file it is in (``context``); empty for one that is in none."""
        return self.path[0] if len(self.path) > 1 else ""

    @property
    def at_once(self) -> bool:
        """Whether a change of it holds at once in the conversation it is made in; else from the next start on."""
        return self.part == SHOWN_PART

    @property
    def optional(self) -> bool:
        """Whether it may be unset altogether."""
        return NoneType in get_args(self.info.annotation)

    @property
    def switch(self) -> bool:
        """Whether it is on or off, and nothing else."""
        return self._kinds == (bool,)

    @property
    def several(self) -> tuple[str, ...]:
        """Its choices where there are several to take one of (one alone is an example of a text); else empty."""
        return self.choices if len(self.choices) > 1 else ()

    @property
    def secret(self) -> bool:
        """Whether its value is never shown."""
        return not self.info.repr

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The least and the largest number it takes; None where it takes no bounded number."""
        found: dict[str, float] = {}
        for limit in self.info.metadata:
            for side in ("ge", "le"):
                bound: object = getattr(limit, side, None)
                if isinstance(bound, int | float):
                    found[side] = bound
        return (found["ge"], found["le"]) if len(found) == 2 else None

    @property
    def words(self) -> tuple[str, ...]:
        """The words it takes, where only those."""
        return tuple(str(word) for kind in self._kinds if get_origin(kind) is Literal for word in get_args(kind))

    @property
    def choices(self) -> tuple[str, ...]:
        """What it can be set to, where that can be listed: true and false, its words, else examples."""
        switch = ("true", "false") if bool in self._kinds else ()
        return (*switch, *self.words) or tuple(str(example) for example in self.info.examples or ())

    @property
    def allowed(self) -> str:
        """What it takes, in words."""
        if self.bounds is not None:
            least, most = self.bounds
            number = "a whole number" if int in self._kinds else "a number"
            return f"{number} from {least:,} to {most:,}"
        if self._is_list:
            return "texts, each a word of the command line"
        if str in self._kinds:
            return "a text"
        *most_choices, last = self.choices or ("a JSON object",)
        return f"{', '.join(most_choices)} or {last}" if most_choices else last

    def value(self, settings: Settings) -> Json:
        """Its value in settings, as the file would have it."""
        part: BaseModel = settings
        for attribute in self.attributes[:-1]:
            part = getattr(part, attribute)
        name = self.attributes[-1]
        return next(iter(part.model_dump(mode="json", by_alias=True, include={name}).values()))

    def words_of(self, text: str) -> tuple[str, ...]:
        """Part what a person wrote on one line into words for ``read``: a list's as a shell does, else as it stands.

        Raises ValueError with the reason.
        """
        if not self._is_list or text.lstrip().startswith("["):
            return (text.strip(),)
        return tuple(shlex.split(text))

    def written(self, value: Json) -> str:
        """Write a value so that ``words_of`` and ``read`` give it again; nothing where not all of it may be shown."""
        if value is None or self.shown(value) != dump(value).decode():
            return ""
        if self._is_list and isinstance(value, list):
            return shlex.join(map(str, value))
        return value if isinstance(value, str) else dump(value).decode()

    def read(self, words: Sequence[str]) -> Json:
        """Read a value as a person gives it: a list word by word or as JSON, a text as it is, anything else as JSON."""
        text = " ".join(words)
        if self._is_list and not text.startswith("["):
            return list(words)
        if str in self._kinds:
            return text
        try:
            value = load(text)
        except ValueError:
            return text
        return text if isinstance(value, bool) and bool not in self._kinds else value

    def text(self, value: Json) -> str:
        """Write a value for a person on a line: a text without its quotes, anything else as ``shown`` does."""
        if value is None:
            return "unset"
        shown = self.shown(value)
        text = load(shown.encode()) if isinstance(value, str) and shown != HIDDEN else shown
        return clean_line(str(text))

    def shown(self, value: Json) -> str:
        """Write a value for a person: as JSON, a secret only as being set, an address without its password."""
        if self.secret and value is not None:
            return HIDDEN
        return _USERINFO.sub("//", dump(value).decode())

    @property
    def _is_list(self) -> bool:
        return any(get_origin(kind) is tuple for kind in self._kinds)

    @property
    def _kinds(self) -> tuple[object, ...]:
        kinds = get_args(self.info.annotation) if get_origin(self.info.annotation) in (Union, UnionType) else ()
        return tuple(kind for kind in kinds or (self.info.annotation,) if kind is not NoneType)


@cache
def settings_by_name() -> Mapping[str, Setting]:
    """Return every setting under its name, in the order of the file."""
    return {setting.name: setting for setting in _settings_of(Settings)}


def setting_named(name: str) -> Setting:
    """Find a setting. Raises UnknownSetting."""
    found = settings_by_name().get(name)
    if found is None:
        raise UnknownSetting(name)
    return found


def settings_under(name: str) -> Sequence[Setting]:
    """Find a setting, or all of a part (``context``); every one for an empty name. Raises UnknownSetting."""
    if not name:
        return tuple(settings_by_name().values())
    part = [
        setting for setting in settings_by_name().values() if setting.path[: name.count(".") + 1] == (*name.split("."),)
    ]
    return part or [setting_named(name)]


def part_description(part: str) -> str:
    """Say what the settings of a part are about, a sentence; empty for no part."""
    info = next((info for name, info in Settings.model_fields.items() if part in {name, info.alias}), None)
    kind = info.annotation if info is not None else None
    return (kind.__doc__ or "").partition("\n")[0] if isinstance(kind, type) and issubclass(kind, BaseModel) else ""


def taken_up(settings: Settings, changed: Settings) -> Settings:
    """Give the settings of a conversation with what holds at once as it is in ``changed``."""
    return settings.model_copy(update={SHOWN_PART: changed.display})


def _settings_of(
    part: type[BaseModel], before: tuple[str, ...] = (), attributes: tuple[str, ...] = ()
) -> Iterator[Setting]:
    for name, info in part.model_fields.items():
        path, place = (*before, info.alias or name), (*attributes, name)
        if isinstance(info.annotation, type) and issubclass(info.annotation, BaseModel):
            yield from _settings_of(info.annotation, path, place)
        else:
            yield Setting(".".join(path), place, info)
