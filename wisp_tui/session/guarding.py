"""What stands between commands and the person's machine: the walls put up, said once, and the mode in a few words."""

from __future__ import annotations

from wisp_tui.approval import Answer, Level
from wisp_tui.session.conversation import Conversation

RUNS = "run_command"
"""The tool whose calls the walls are for."""


_BARE = {None: "everything above safe asks", Answer.NO: "everything above safe is refused"}
"""What comes of there being no sandbox, by the answer that stands in the person's place."""


async def put_up_walls(conversation: Conversation) -> None:
    """Find the sandbox before the first command, tell the gate of it, and say what the person should know of it."""
    held = conversation
    if held.walled:
        return
    found = await held.walls.found()
    if held.walled:  # by whoever looked at the same time
        return
    held.walled = True
    held.gate.take_sandbox(sandboxed=found.sandbox.contains)
    answer = held.standing.answer if held.standing is not None else None
    if RUNS not in held.tools:
        return
    if not found.sandbox.contains:
        held.note(
            f"no sandbox: {found.why}; {_BARE.get(answer, 'commands run unasked, with all your rights')}", "warning"
        )
    elif held.walls.wide is not None and answer is not Answer.NO:
        held.note(held.walls.wide, "warning")


def without_walls(conversation: Conversation) -> bool:
    """Whether commands run as they are. False until the sandbox was looked for."""
    found = conversation.walls.known
    return found is not None and not found.sandbox.contains


def approval_mode(conversation: Conversation) -> str:
    """Say what asks, and that there is no sandbox where there is none."""
    held = conversation
    bare = without_walls(held)
    threshold = held.gate.rules.threshold
    if held.standing is not None:
        mode = f"asks nothing ({held.standing.by})"
    elif bare and threshold is not Level.SAFE:
        mode = "asks above safe"
    else:
        mode = f"asks at {threshold.value}"
    return f"{mode}, no sandbox" if bare else mode
