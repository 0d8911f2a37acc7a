"""Starting the app: the only way in from outside the package."""

from __future__ import annotations

import asyncio
import signal

from wisp_tui.app.app import WispApp
from wisp_tui.session import Session, ThreadOptions

SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


def run_app(session: Session, options: ThreadOptions) -> int:
    """Hold a conversation on the full screen until it is left; return the exit code. Closes the session.

    A signal that ends the process ends the app as leaving does, so that the terminal is as it was before.
    Raises UnknownTool and AuditUnavailable before the screen is taken.
    """
    thread = session.new_thread(options)
    app = WispApp(session, thread)
    return asyncio.run(_run(app))


async def _run(app: WispApp) -> int:
    loop = asyncio.get_running_loop()
    for number in SIGNALS:
        loop.add_signal_handler(number, app.leave, 128 + number)
    code = await app.run_async()
    return app.return_code or 0 if code is None else code
