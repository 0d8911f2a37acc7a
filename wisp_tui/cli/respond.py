"""``wisp respond``: one prompt, its reply on standard output, everything else on standard error."""

from __future__ import annotations

import asyncio
import os
import select
import stat
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wisp_tui.cli.faults import UsageFault, tell
from wisp_tui.cli.options import TalkOptions, open_session, talk_options
from wisp_tui.cli.pages import DONE, HELP, REFUSED, STOPPED, UNAVAILABLE, page

if TYPE_CHECKING:
    from wisp_tui.text.json import JsonObject

STDIN = "-"
PATIENCE = 5.0
"""Seconds until a pipe that carries nothing is left alone, when the prompt was given anyway. Programs that start this
one often leave it a pipe that never ends."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked: the prompt with its material, and the JSON Schema its reply must hold."""

    prompt: str
    schema: JsonObject | None = None


@click.command(
    "respond",
    context_settings=HELP,
    epilog=page(
        ('wisp respond "why is the sky blue?"', ""),
        ('git diff | wisp respond "what changed?"', "the diff is the prompt's material"),
        ("wisp respond --schema city.json Paris", "a reply that is JSON of this shape"),
        codes=(DONE, ("1", "the turn failed, or its reply does not hold the schema"), REFUSED, UNAVAILABLE, STOPPED),
    ),
)
@click.option(
    "--schema",
    metavar="FILE",
    type=click.Path(),
    help="A JSON Schema; the reply is then JSON that holds it.",
)
@click.argument("prompt", nargs=-1)
@talk_options
def command(*, prompt: tuple[str, ...], schema: str | None, talk: TalkOptions) -> int:
    """Answer one PROMPT and leave.

    The reply goes to standard output as it comes; notes, tool calls and faults go to standard error.

    The prompt comes from standard input when it is missing or `-`; with both, what is piped in follows the prompt as
    its material. What would ask before it runs is refused, unless --yes is given.
    """
    shape = read_schema(Path(schema)) if schema else None
    if shape is not None and talk.tools is None:
        talk = replace(talk, tools=())  # runtimes ignore tools in a request that carries a schema
    return _answer(talk, Asked(whole_prompt(prompt), shape))


def _answer(options: TalkOptions, asked: Asked) -> int:
    from wisp_tui.approval import Answer
    from wisp_tui.cli.answering import answer
    from wisp_tui.session.desk import StandingAnswer

    session, opening = open_session(options)
    if opening.asker is None:
        refusal = StandingAnswer(Answer.NO, "nobody is asked here; --yes runs what asks")
        opening = replace(opening, asker=refusal)
    return asyncio.run(answer(session, opening, asked.prompt, asked.schema))


def whole_prompt(words: tuple[str, ...]) -> str:
    """Put the prompt together from the command line's words and standard input. Raises UsageFault when it is empty."""
    given = " ".join(word for word in words if word != STDIN)
    piped = _piped(wanted=STDIN in words or not words, optional=bool(words) and STDIN not in words)
    prompt = "\n\n".join(part for part in (given, piped) if part.strip())
    if not prompt:
        raise UsageFault('there is no prompt; write it after the command (wisp respond "PROMPT") or pipe it in')
    return prompt


def _piped(*, wanted: bool, optional: bool) -> str:
    """Read standard input to its end; nothing from a terminal, which is only read when nothing else was given."""
    if os.isatty(0):
        if not wanted:
            return ""
        raise UsageFault('there is no prompt; write it after the command (wisp respond "PROMPT") or pipe it in')
    if optional and not _something_comes():
        tell(f"nothing came on standard input in {PATIENCE:.0f} s; going on without it (add - to wait for it)")
        return ""
    with os.fdopen(os.dup(0), "rb") as file:
        return file.read().decode("utf-8", "replace").strip("\r\n")


def _something_comes() -> bool:
    kind = os.fstat(0).st_mode
    if not (stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind)):
        return True
    return bool(select.select([0], [], [], PATIENCE)[0])


def read_schema(path: Path) -> JsonObject:
    """Read a JSON Schema from a file. Raises UsageFault when it is not a JSON object or cannot be read."""
    from wisp_tui.text.json import load_object

    try:
        return load_object(path.read_bytes())
    except OSError as error:
        raise UsageFault(f"the schema {path} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise UsageFault(f"the schema {path} is not a JSON object: {error}") from error
