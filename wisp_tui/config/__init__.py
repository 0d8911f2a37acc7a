"""Where this program keeps things and how it is set: the home, the settings, the files shipped with the package.

Anything may import this package; it imports only ``text``.
"""

from wisp_tui.config.home import Home, HomeError
from wisp_tui.config.settings import ConfigError, Settings, load_settings
from wisp_tui.config.shipped import shipped

__all__ = ["ConfigError", "Home", "HomeError", "Settings", "load_settings", "shipped"]
