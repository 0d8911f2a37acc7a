"""``wisp chat`` and ``wisp-tui``: which face holds the conversation, the app, plain lines or JSON Lines."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from wisp_tui import __version__
from wisp_tui.cli.completing import saved_of
from wisp_tui.cli.faults import UsageFault
from wisp_tui.cli.main import Faces, OpenApp
from wisp_tui.cli.options import TalkOptions, open_session, talk_options
from wisp_tui.cli.pages import HELP, REFUSED, STOPPED, UNAVAILABLE, page

if TYPE_CHECKING:
    from wisp_tui.session import Session, ThreadOptions


@click.command(
    "chat",
    context_settings=HELP,
    epilog=page(
        ("wisp chat", "in the app"),
        ("wisp chat -m ollama:granite4.1:8b", "with this model"),
        ("wisp chat --plain", "line by line"),
        ("wisp chat --resume harbour", "go on with a saved conversation"),
        ("printf 'hello\\n/quit\\n' | wisp chat --json", "over pipes"),
        codes=(("0", "the conversation was left"), REFUSED, UNAVAILABLE, STOPPED),
    ),
)
@click.option("-r", "--resume", metavar="NAME", help="Go on with a saved conversation.", shell_complete=saved_of)
@click.option("--save", metavar="NAME", help="Save the conversation under a name when it ends.")
@click.option("--list", "list_saved", is_flag=True, help="List the saved conversations.")
@click.option("--plain", is_flag=True, help="Talk line by line, without the full screen.")
@click.option("--json", "as_json", is_flag=True, help="Talk in JSON Lines over stdin and stdout.")
@click.version_option(__version__, message="%(prog)s %(version)s")
@talk_options
@click.pass_obj
def command(
    faces: Faces,
    *,
    talk: TalkOptions,
    resume: str | None,
    save: str | None,
    list_saved: bool,
    plain: bool,
    as_json: bool,
) -> int:
    """Hold a conversation, in the app, line by line or over pipes.

    On a terminal it opens the full-screen app; F1 lists its keys, /help its commands. With --plain it
    talks line by line, on a terminal or over pipes (docs/plain.md). With --json it speaks JSON Lines
    over standard input and output, one object a line (docs/chat-json.md).

    The model is the one of -m, else the setting `model`, else the best that is there: what was chosen and why is said.
    """
    if plain and as_json:
        raise UsageFault("--plain and --json contradict each other")
    if list_saved:
        from wisp_tui.cli.saved import show_saved

        return show_saved()
    if as_json:
        return _over_pipes(talk, resume, save)
    return _line_by_line(talk, resume, save) if plain else _on_screen(talk, resume, save, faces.open_app)


def _over_pipes(options: TalkOptions, resume: str | None, save: str | None) -> int:
    import asyncio

    from wisp_tui.cli.json_chat import hold

    session, opening = open_session(options)
    return asyncio.run(hold(session, replace(opening, resume=resume, save=save, autosave=True)))


def _line_by_line(options: TalkOptions, resume: str | None, save: str | None) -> int:
    import asyncio

    from wisp_tui.cli.plain import hold, terminal_input

    session, opening = open_session(options)
    make_input, asks = terminal_input(os.environ, session.home)
    opening = replace(opening, resume=resume, save=save, autosave=True)
    return asyncio.run(hold(session, opening, make_input=make_input, asks=asks))


def _on_screen(options: TalkOptions, resume: str | None, save: str | None, open_app: OpenApp) -> int:
    fault = screen_fault(os.environ.get("TERM", ""), on_terminal=all(os.isatty(file) for file in range(3)))
    if fault is not None:
        raise UsageFault(fault)

    def begin() -> tuple[Session, ThreadOptions]:
        session, opening = open_session(options)
        return session, replace(opening, resume=resume, save=save, autosave=True)

    return open_app(begin)


def screen_fault(term: str, *, on_terminal: bool) -> str | None:
    """Say why the full screen cannot be had here and what to use instead; None when it can."""
    instead = (
        "`wisp chat --plain` talks line by line, `wisp chat --json` over pipes in JSON Lines, "
        '`wisp respond "PROMPT"` answers once'
    )
    if not on_terminal:
        return f"the full screen needs a terminal for input, output and errors (it is drawn on the last); {instead}"
    if term in ("", "dumb"):
        return f"this terminal cannot show a full screen (TERM is {term or 'not set'}); {instead}"
    return None
