"""The settings as they are in force, for a person or a model to read: each by its name in the file, no secret shown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pydantic import BaseModel

from wisp_tui.text.json import dump

HIDDEN = "set, not shown"
_USERINFO = re.compile(r"//[^/@\s]*@")


def setting_lines(settings: BaseModel, before: str = "") -> Iterator[str]:
    """Write ``name = value`` for each setting, values as JSON; those that are not the default come marked.

    A key is only said to be set; a password within an address is left out. Fields of the file that are no settings
    are not written: nobody knows what they hold.
    """
    for name, info in type(settings).model_fields.items():
        alias = before + (info.alias or name)
        value: object = getattr(settings, name)
        if isinstance(value, BaseModel):
            yield from setting_lines(value, f"{alias}.")
            continue
        own = "" if value == info.get_default(call_default_factory=True) else "  (set in config.json)"
        yield f"{alias} = {_shown(settings, name, hidden=not info.repr)}{own}"


def _shown(part: BaseModel, name: str, *, hidden: bool) -> str:
    value = part.model_dump(mode="json", by_alias=True, include={name})
    written = next(iter(value.values()))
    if hidden and written is not None:
        return HIDDEN
    return _USERINFO.sub("//", dump(written).decode())
