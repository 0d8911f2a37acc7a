"""The settings as they are in force, for a person or a model to read: each by its name in the file, no secret shown."""

from __future__ import annotations

from collections.abc import Iterator

from wisp_tui.config.fields import HIDDEN, settings_by_name
from wisp_tui.config.settings import Settings

__all__ = ["HIDDEN", "setting_lines"]


def setting_lines(settings: Settings) -> Iterator[str]:
    """Write ``name = value`` for each setting, values as JSON; those that are not the default come marked.

    A key is only said to be set; a password within an address is left out. Fields of the file that are no settings
    are not written: nobody knows what they hold.
    """
    for setting in settings_by_name().values():
        value = setting.value(settings)
        own = "" if value == setting.default else "  (set in config.json)"
        yield f"{setting.name} = {setting.shown(value)}{own}"
