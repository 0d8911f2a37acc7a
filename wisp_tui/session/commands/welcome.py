"""The command that says again what the first start said: /welcome."""

from __future__ import annotations

from wisp_tui.session.commands.base import Answered, Command
from wisp_tui.session.thread import Thread


async def _welcome(thread: Thread, argument: str) -> Answered:
    del argument
    from wisp_tui.session.doctor.machine import Screen
    from wisp_tui.session.welcome import look_around

    return Answered((await look_around(thread, Screen.of())).lines)


WELCOME = (Command("/welcome", "/welcome", "say what wisp found on this machine, and three things to try", _welcome),)
