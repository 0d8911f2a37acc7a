"""``wisp facts``: the facts the person keeps, and what waits for their word (spec "Facts")."""

from __future__ import annotations

import os
from datetime import datetime
from typing import TYPE_CHECKING

import click

from wisp_tui.cli.codes import Exit
from wisp_tui.cli.completing import pending_facts_of
from wisp_tui.cli.faults import UsageFault, tell
from wisp_tui.cli.pages import HELP, page
from wisp_tui.cli.tables import print_line, print_rows

if TYPE_CHECKING:
    from wisp_tui.config import Home
    from wisp_tui.facts import Changed
    from wisp_tui.pending import FactRequest, Pending


@click.group(
    "facts",
    invoke_without_command=True,
    context_settings=HELP,
    epilog=page(("wisp facts pending", "what callers ask to keep"), ("wisp facts keep a1b2c3d4", "keep one")),
)
@click.option("--all", "everything", is_flag=True, help="With the history: what was superseded or deleted.")
@click.pass_context
def command(context: click.Context, everything: bool) -> int:
    """List the permanent facts, which every conversation sees."""
    if context.invoked_subcommand is not None:
        return Exit.DONE
    from wisp_tui.facts import FactBook, table
    from wisp_tui.keeping import PermanentFacts

    click.echo(table(FactBook(permanent=PermanentFacts(_home()).load()), everything=everything))
    return Exit.DONE


@command.command("pending", context_settings=HELP, epilog=page())
def pending() -> int:
    """List the facts that callers ask to keep."""
    from wisp_tui.pending import FactRequest

    snapshot = _pending(_home()).snapshot()
    waiting = [request for request in snapshot.waiting if isinstance(request, FactRequest)]
    for fault in snapshot.unreadable:
        tell(f"{fault.path} cannot be read: {fault.reason}")
    if not waiting:
        tell("no fact waits to be kept")
    print_rows([_row(request) for request in waiting])
    return Exit.DONE


@command.command("keep", context_settings=HELP, epilog=page())
@click.argument("ident", metavar="ID", shell_complete=pending_facts_of)
def keep(ident: str) -> int:
    """Keep a fact that waits.

    Every conversation sees it from then on. Only at a terminal, and never from a command that a model runs.
    """
    from wisp_tui.cli.person import must_be_the_person
    from wisp_tui.facts import PersonAct, Via
    from wisp_tui.keeping import PermanentFacts
    from wisp_tui.pending import AlreadySettled, request_words

    must_be_the_person("keeps a fact")
    home = _home()
    waits = _pending(home)
    request = _waiting(waits, ident)
    try:
        outcome, changed = waits.keep(PersonAct(Via.CLI), request, PermanentFacts(home), _now())
    except AlreadySettled as error:
        raise UsageFault(f"request {ident} {error.outcome.words}") from error
    if changed is not None:
        _audit(home, changed)
    print_line(f"{request_words(request)} {outcome.words}")
    return Exit.DONE


@command.command("drop", context_settings=HELP, epilog=page())
@click.argument("ident", metavar="ID", shell_complete=pending_facts_of)
def drop(ident: str) -> int:
    """Drop a fact that waits.

    It stays in its conversation, and is not asked for there again.
    """
    from wisp_tui.cli.person import must_be_the_person
    from wisp_tui.facts import PersonAct, Via
    from wisp_tui.pending import AlreadySettled, request_words

    must_be_the_person("drops a fact")
    waits = _pending(_home())
    request = _waiting(waits, ident)
    try:
        outcome = waits.drop(PersonAct(Via.CLI), request, _now())
    except AlreadySettled as error:
        raise UsageFault(f"request {ident} {error.outcome.words}") from error
    print_line(f"{request_words(request)} {outcome.words}")
    return Exit.DONE


def _home() -> Home:
    from wisp_tui.config import Home

    home = Home.find(os.environ)
    home.prepare()
    return home


def _pending(home: Home) -> Pending:
    from wisp_tui.pending import Pending

    return Pending(home)


def _waiting(waits: Pending, ident: str) -> FactRequest:
    from wisp_tui.pending import FactRequest, UnknownRequest

    try:
        request = waits.request(ident)
    except UnknownRequest as error:
        raise UsageFault(f"{error}; `wisp facts pending` lists what waits") from error
    if not isinstance(request, FactRequest):
        raise UsageFault(f"request {ident} is for a command, not a fact")
    return request


def _row(request: FactRequest) -> tuple[str, str, str, str]:
    from wisp_tui.pending import request_words

    return request.id, request_words(request), f"{request.asked:%Y-%m-%d %H:%M}", request.asker.words


def _audit(home: Home, changed: Changed) -> None:
    from wisp_tui.cli.auditing import audit
    from wisp_tui.facts import audited

    audit(home, [event for change in changed.changes if (event := audited(change)) is not None])


def _now() -> datetime:
    return datetime.now().astimezone()
