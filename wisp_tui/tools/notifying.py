"""How a notification reaches the person: through whoever can show one. The system's own way is here."""

from __future__ import annotations

import asyncio
import html
import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

SECONDS = 5.0
"""How long the system's notifier may take."""
_SCRIPT = (
    "on run argv",
    "display notification (item 2 of argv) with title (item 1 of argv)",
    "end run",
)


class Notifier(Protocol):
    """Whoever can show the person a notification."""

    async def show(self, title: str, body: str) -> str | None:
        """Show it; both are clean lines. Return what shows it, in a few words; None when nothing does."""
        ...


@dataclass(frozen=True, slots=True)
class Unshown:
    """Nothing here shows notifications."""

    async def show(self, title: str, body: str) -> str | None:
        """Show nothing."""
        del title, body


@dataclass(frozen=True, slots=True)
class SystemNotifier:
    """The system's own: ``osascript`` on macOS, else ``notify-send``. Both are given the texts as data."""

    environment: Mapping[str, str]
    platform: str = sys.platform

    async def show(self, title: str, body: str) -> str | None:
        """Run the system's notifier, where there is one."""
        command = self.command(title, body)
        program = shutil.which(command[0], path=self.environment.get("PATH"))
        if program is None or not await self._ran(program, *command[1:]):
            return None
        return "the system"

    def command(self, title: str, body: str) -> tuple[str, ...]:
        """The command that shows it. A notification of a Linux desktop may read its body as markup: it is escaped."""
        if self.platform == "darwin":
            lines = (word for line in _SCRIPT for word in ("-e", line))
            return ("osascript", *lines, "--", title, body)
        return ("notify-send", "--app-name=wisp", "--", title, html.escape(body, quote=False))

    async def _ran(self, *command: str) -> bool:
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                env=dict(self.environment),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
            )
        except OSError:
            return False
        try:
            async with asyncio.timeout(SECONDS):
                return await process.wait() == 0
        except TimeoutError:
            return False
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
