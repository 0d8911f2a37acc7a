"""The registry of slash commands: every command once, and how a line is run and completed."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

from wisp_tui.session.commands.approvals import APPROVALS
from wisp_tui.session.commands.audit import AUDIT
from wisp_tui.session.commands.base import Answered, Command
from wisp_tui.session.commands.basic import BASIC
from wisp_tui.session.commands.config import CONFIG
from wisp_tui.session.commands.facts import FACTS
from wisp_tui.session.commands.inspect import INSPECT
from wisp_tui.session.commands.models import MODELS
from wisp_tui.session.commands.outputs import OUTPUTS
from wisp_tui.session.commands.past import PAST
from wisp_tui.session.commands.pending import PENDING
from wisp_tui.session.commands.sessions import SESSIONS
from wisp_tui.session.commands.standing import STANDING
from wisp_tui.session.commands.welcome import WELCOME
from wisp_tui.session.long_work import long_work
from wisp_tui.session.person import NotThePerson
from wisp_tui.session.thread import Thread
from wisp_tui.text.clean import clean_line


def commands() -> Mapping[str, Command]:
    """Return every command by its name (``/help``), in the order the help lists them."""
    parts = (
        *(BASIC, MODELS, PAST, SESSIONS, OUTPUTS, FACTS, PENDING, INSPECT),
        *(STANDING, APPROVALS, CONFIG, AUDIT, WELCOME),
    )
    return {command.name: command for command in (_HELP, *(command for part in parts for command in part))}


def command_line(text: str) -> bool:
    """Say whether a line is a command: it begins with a slash and a letter. ``//`` sends a line that begins so."""
    return len(text) > 1 and text[0] == "/" and text[1].isalpha() and "/" not in text[1:].split(maxsplit=1)[0]


async def run_command_line(thread: Thread, text: str) -> Answered:
    """Run a command line. An unknown command is answered with the nearest; none ever goes to the model."""
    name, _, argument = text.strip().partition(" ")
    known = commands()
    command = known.get(name)
    if command is None:
        return _unknown(name)
    try:
        async with long_work(thread.conversation, clean_line(text)):
            return await command.run(thread, argument.strip())
    except NotThePerson as error:
        return Answered((str(error),), failed=True)


def completions(thread: Thread, text: str) -> tuple[int, tuple[str, ...]]:
    """Complete a command line up to its cursor: where the completed word begins, and the candidates.

    What is written whole already comes first: ``/model`` is that command, though ``/models`` begins so too.
    """
    if not text.startswith("/"):
        return len(text), ()
    name, space, argument = text.partition(" ")
    known = commands()
    if not space:
        return 0, _beginning(known, name)
    command = known.get(name)
    if command is None or command.complete is None:
        return len(text), ()
    found = command.complete(thread, argument)
    return len(name) + 1, _beginning(found, argument)


def _beginning(known: Iterable[str], begun: str) -> tuple[str, ...]:
    return tuple(sorted((one for one in known if one.startswith(begun)), key=lambda one: one != begun))


def _unknown(name: str) -> Answered:
    """Name the command that was meant: the one that begins so, else the most alike."""
    known, lowered = commands(), name.lower()
    begun = [command for command in known if command.startswith(lowered)]
    near = begun[:1] or difflib.get_close_matches(lowered, known, n=1)
    hint = f"did you mean {near[0]}?" if near else "/help lists the commands"
    return Answered((f"there is no command {clean_line(name)}; {hint}",), failed=True)


async def _help(thread: Thread, argument: str) -> Answered:
    del thread
    known = commands()
    wanted = argument if argument.startswith("/") or not argument else f"/{argument}"
    if wanted and wanted not in known:
        return _unknown(wanted)
    shown = [known[wanted]] if wanted else list(known.values())
    width = max(len(command.usage) for command in shown)
    return Answered(tuple(f"{command.usage:{width}}  {command.help}" for command in shown))


_HELP = Command("/help", "/help [COMMAND]", "list the commands, or say what one does", _help)
