"""Where what can be made again is kept: beside the home, never in it."""

from __future__ import annotations

import hashlib
from pathlib import Path

from wisp_tui.config.home import Home


def cache_folder() -> Path:
    """Return this program's folder in the person's cache directory. Creates nothing."""
    from platformdirs import user_cache_path

    return user_cache_path("wisp-tui", appauthor=False)


def search_index(home: Home) -> Path:
    """Return the file of the index over a home's conversations: each home has its own."""
    return cache_folder() / f"search-{hashlib.sha256(str(home.root).encode()).hexdigest()[:16]}.db"
