"""``wisp approvals``: the answers that outlive a session, listed and taken back (spec/TABLES.md, "Approval")."""

from __future__ import annotations

import os
from datetime import datetime
from typing import TYPE_CHECKING

import click

from wisp_tui.cli.codes import Exit
from wisp_tui.cli.completing import approvals_of, pending_commands_of, pending_questions_of
from wisp_tui.cli.faults import UsageFault, tell
from wisp_tui.cli.pages import HELP, page
from wisp_tui.cli.tables import print_broken, print_line, print_rows

if TYPE_CHECKING:
    from wisp_tui.approval import ApprovalStore
    from wisp_tui.config import Home
    from wisp_tui.pending import CommandRequest, Pending, QuestionRequest


@click.group(
    "approvals",
    invoke_without_command=True,
    context_settings=HELP,
    epilog=page(
        ("wisp approvals revoke 3f9a2c1b", "take one back"),
        ("wisp approvals pending", "what callers without a screen ask to run"),
        ("wisp approvals approve a1b2c3d4", "let it run, this once"),
    ),
)
@click.pass_context
def command(context: click.Context) -> int:
    """List what runs unasked by an answer of yours.

    Each holds thirty days, in one directory or anywhere. What waits for an answer is under `pending`.
    """
    if context.invoked_subcommand is not None:
        return Exit.DONE
    from wisp_tui.approval.listing import NONE, approval_remarks, approval_row

    listing = _store(_home()).list()
    for remark in approval_remarks(listing):
        tell(remark)
    if not listing.approvals:
        tell(NONE)
    print_rows([approval_row(standing) for standing in listing.approvals])
    return Exit.DONE


@command.command("revoke", context_settings=HELP, epilog=page())
@click.argument("ident", metavar="ID", shell_complete=approvals_of)
def revoke(ident: str) -> int:
    """Take an approval back.

    What it covered asks again, in every conversation.
    """
    from wisp_tui.approval.listing import revoked
    from wisp_tui.cli.auditing import audit
    from wisp_tui.events import Kind

    home = _home()
    standing = _store(home).revoke(ident)
    if standing is None:
        raise UsageFault(f"no approval has the id {ident!r}; `wisp approvals` lists them")
    audit(home, [(Kind.APPROVAL_DECIDED, revoked(standing))])
    print_line(f"{standing.coverage.pattern} asks again")
    return Exit.DONE


@command.command("clear", context_settings=HELP, epilog=page())
def clear() -> int:
    """Take every approval back."""
    from wisp_tui.approval.listing import cleared
    from wisp_tui.cli.auditing import audit
    from wisp_tui.events import Kind
    from wisp_tui.text.sizes import count

    home = _home()
    stored = _store(home).clear()
    audit(home, [(Kind.APPROVAL_DECIDED, cleared(stored))])
    click.echo(f"{count(stored, 'approval')} taken back: what they covered asks again")
    return Exit.DONE


@command.command("pending", context_settings=HELP, epilog=page())
def pending() -> int:
    """List the commands and the questions that wait for your answer.

    A conversation without a screen of its own asks here: one over MCP. A command waits as long as its line says, a
    question as long as its conversation.
    """
    requests = _waiting(_waits())
    if not requests:
        tell("no command and no question waits for an answer")
    for request in requests:
        print_broken(line for part in _shown(request) for line in part.split("\n"))
    return Exit.DONE


@command.command("approve", context_settings=HELP, epilog=page())
@click.argument("ident", metavar="ID", shell_complete=pending_commands_of)
def approve(ident: str) -> int:
    """Let a command that waits run, this once.

    Only at a terminal, and never from a command that a model runs.
    """
    return _answer(ident, "once")


@command.command("deny", context_settings=HELP, epilog=page())
@click.argument("ident", metavar="ID", shell_complete=pending_commands_of)
def deny(ident: str) -> int:
    """Refuse a command that waits."""
    return _answer(ident, "no")


@command.command(
    "answer",
    context_settings=HELP,
    epilog=page(
        ('wisp approvals answer a1b2c3d4 "the staging one"', "in words"),
        ("wisp approvals answer a1b2c3d4 2", "with the second choice"),
        ("wisp approvals answer a1b2c3d4 --decline", "with nothing"),
    ),
)
@click.argument("ident", metavar="ID", shell_complete=pending_questions_of)
@click.argument("words", metavar="[TEXT]", nargs=-1)
@click.option("--decline", is_flag=True, help="Leave it unanswered; the model is told so.")
def answer(ident: str, words: tuple[str, ...], *, decline: bool) -> int:
    """Answer a question that waits.

    With a choice's number or in words of your own; it is remembered as your word. Only at a terminal, and never from a
    command that a model runs.
    """
    from wisp_tui.cli.person import must_be_the_person
    from wisp_tui.facts import PersonAct, Via
    from wisp_tui.pending import AlreadySettled, QuestionRequest, RequestChanged, UnknownRequest, request_words
    from wisp_tui.session.waiting import NotAnswered, reply_text

    must_be_the_person("answers a question")
    if decline is bool(words):
        raise UsageFault("say the answer, or --decline")
    waits = _waits()
    try:
        request = waits.request(ident)
        if not isinstance(request, QuestionRequest):
            raise UsageFault(f"request {ident} is no question; `wisp approvals pending` lists those")
        said = None if decline else reply_text(request, " ".join(words))
        outcome = waits.reply(PersonAct(Via.CLI), request, said, datetime.now().astimezone())
    except UnknownRequest as error:
        raise UsageFault(f"{error}; `wisp approvals pending` lists what waits") from error
    except AlreadySettled as error:
        raise UsageFault(f"request {ident} {error.outcome.words}") from error
    except (NotAnswered, RequestChanged) as error:
        raise UsageFault(str(error)) from error
    print_line(f"{request_words(request)} {outcome.words}")
    return Exit.DONE


def _answer(ident: str, decision: str) -> int:
    from wisp_tui.cli.person import must_be_the_person
    from wisp_tui.facts import PersonAct, Via
    from wisp_tui.pending import AlreadySettled, CommandRequest, Decision, UnknownRequest, request_words

    must_be_the_person("answers for a command")
    waits = _waits()
    try:
        request = waits.request(ident)
        if not isinstance(request, CommandRequest):
            raise UsageFault(f"request {ident} is for no command; it is a fact or a question")
        if datetime.now(request.until.tzinfo) >= request.until:
            raise UsageFault(f"request {ident} is no longer waited for: its time was over at {request.until:%H:%M:%S}")
        outcome = waits.answer(PersonAct(Via.CLI), request, Decision(decision), datetime.now().astimezone())
    except UnknownRequest as error:
        raise UsageFault(f"{error}; `wisp approvals pending` lists what waits") from error
    except AlreadySettled as error:
        raise UsageFault(f"request {ident} {error.outcome.words}") from error
    print_line(f"{request_words(request)} {outcome.words}")
    return Exit.DONE


def _waiting(waits: Pending) -> list[CommandRequest | QuestionRequest]:
    from wisp_tui.pending import CommandRequest, QuestionRequest

    snapshot = waits.snapshot()
    for fault in snapshot.unreadable:
        tell(f"{fault.path} cannot be read: {fault.reason}")
    now = datetime.now().astimezone()
    return [
        request
        for request in snapshot.waiting
        if isinstance(request, QuestionRequest) or (isinstance(request, CommandRequest) and now < request.until)
    ]


def _shown(request: CommandRequest | QuestionRequest) -> list[str]:
    """Write a request whole: what an answer by its id is given for."""
    from wisp_tui.pending import QuestionRequest
    from wisp_tui.text.clean import clean_line

    if isinstance(request, QuestionRequest):
        return [
            f"{request.id}  question  {clean_line(request.asker.words)}",
            _indented("? ", request.question),
            *(_indented(f"{number}  ", choice) for number, choice in enumerate(request.choices, 1)),
        ]
    return [
        f"{request.id}  {clean_line(request.level)}  {clean_line(request.asker.words)}, until {request.until:%H:%M:%S}",
        _indented("$ ", request.command),
        *([_indented("part of: ", request.line)] if request.line != request.command else []),
        _indented("in ", request.directory),
        *(_indented("- ", reason) for reason in request.reasons),
    ]


def _indented(first: str, text: str) -> str:
    """Write a text so that no line of it looks like one of ours."""
    from wisp_tui.text.clean import visible

    return f"    {first}{visible(text)}".replace("\n", "\n      ")


def _waits() -> Pending:
    from wisp_tui.pending import Pending

    return Pending(_home())


def _home() -> Home:
    from wisp_tui.config import Home

    home = Home.find(os.environ)
    home.prepare()
    return home


def _store(home: Home) -> ApprovalStore:
    from wisp_tui.approval import ApprovalStore

    return ApprovalStore(home)
