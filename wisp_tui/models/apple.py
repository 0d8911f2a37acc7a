"""Apple's on-device model: ``system``, through ``apple-fm-sdk``, on macOS 26 and later."""

from __future__ import annotations

import platform
import sys


async def availability() -> str | None:
    """Say why Apple's model cannot be used, None when it can."""
    if sys.platform != "darwin":
        return f"Apple's model is not available on {platform.system() or 'this system'}"
    return "not implemented"
