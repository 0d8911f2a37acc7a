"""What a settings file holds that cannot be used, in our words: the field, what it is, what it takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wisp_tui.config.fields import SHOWN, Setting, settings_by_name
from wisp_tui.text.json import dump
from wisp_tui.text.sizes import shorten

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails


def faults_in(error: ValidationError) -> Iterator[str]:
    """Write a clause for each field at fault, in order: ``context.budget is 7; it takes a number from …``."""
    told: set[str] = set()
    for item in error.errors():
        place = ".".join(map(str, item["loc"]))
        setting = next((one for one in settings_by_name().values() if f"{place}.".startswith(f"{one.name}.")), None)
        named = place if setting is None else setting.name
        if named not in told:
            told.add(named)
            yield _fault(item, place, setting)


def _fault(item: ErrorDetails, place: str, setting: Setting | None) -> str:
    """Write one clause; a secret is not shown. A reason of our own is told as it is."""
    was = f"{place} is {shorten(dump(item['input']).decode(), SHOWN)}"
    if setting is None:
        return f"{was}; it takes an object, which holds other settings"
    own = item.get("ctx", {}).get("error")
    takes = str(own) if isinstance(own, ValueError) else f"it takes {setting.allowed}"
    return f"{place} cannot be used; {takes}" if setting.secret else f"{was}; {takes}"
