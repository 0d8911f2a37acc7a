"""Where this program keeps things and how it is set: the home, the settings, the files shipped with the package.

Anything may import this package; it imports only ``text``. The settings are loaded when they are first used: the
library that reads them takes a good part of the start-up time, and what is shown first does not need it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisp_tui.config.home import Home, HomeError
from wisp_tui.config.shipped import shipped

if TYPE_CHECKING:
    from wisp_tui.config.settings import ConfigError, Settings, load_settings

__all__ = ["ConfigError", "Home", "HomeError", "Settings", "load_settings", "shipped"]


def __getattr__(name: str) -> object:
    """Load the settings when a name of theirs is asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from wisp_tui.config import settings

    return getattr(settings, name)
