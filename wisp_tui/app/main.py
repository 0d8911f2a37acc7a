"""Starting the app: the only way in from outside the package."""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from wisp_tui.app.app import WispApp
from wisp_tui.app.themes import wanted_theme
from wisp_tui.config import Home
from wisp_tui.text.clean import clean_line

if TYPE_CHECKING:
    from wisp_tui.session import Session, Thread, ThreadOptions

Begin: TypeAlias = "Callable[[], tuple[Session, ThreadOptions]]"
"""Opens the session and says how its conversation is opened."""

SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


def run_app(begin: Begin, environment: Mapping[str, str]) -> int:
    """Hold a conversation on the full screen until it is left; return the exit code. Opens the session and closes it.

    ``begin`` is called once the screen is there. What it raises, and what opening the conversation raises (UnknownTool,
    AuditUnavailable), is raised here, with the terminal as it was before; under it stands then what became of the
    conversation. A signal that ends the process ends the app
    as leaving does.
    """

    def open_() -> tuple[Session, Thread]:
        session, options = begin()
        thread = session.new_thread(replace(options, reading=app.read_so_far))
        gc.freeze()  # what was loaded stays to the end: walking it again in each full collection held up the screen
        return session, thread

    app = WispApp(open_, environment, wanted_theme(Home.find(environment).config))
    code = asyncio.run(_run(app))
    if app.failure is not None:
        raise app.failure
    for line in app.parting:
        sys.stderr.write(f"{clean_line(line)}\n")
    return code


async def _run(app: WispApp) -> int:
    loop = asyncio.get_running_loop()
    for number in SIGNALS:
        loop.add_signal_handler(number, app.leave, 128 + number)
    code = await app.run_async()
    return app.return_code or 0 if code is None else code
