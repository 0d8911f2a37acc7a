"""``wisp approvals``: the answers that outlive a session, listed and taken back (spec/TABLES.md, "Approval")."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from wisp_tui.cli.codes import Exit
from wisp_tui.cli.completing import approvals_of
from wisp_tui.cli.faults import UsageFault, tell
from wisp_tui.cli.pages import HELP, page
from wisp_tui.cli.tables import print_rows

if TYPE_CHECKING:
    from wisp_tui.approval import ApprovalStore
    from wisp_tui.config import Home


@click.group(
    "approvals",
    invoke_without_command=True,
    context_settings=HELP,
    epilog=page(("wisp approvals revoke 3f9a2c1b", "take one back"), ("wisp approvals clear", "take all back")),
)
@click.pass_context
def command(context: click.Context) -> int:
    """List what runs unasked by an answer of yours.

    Each holds thirty days, in one directory or anywhere.
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
    click.echo(f"{standing.coverage.pattern} asks again")
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


def _home() -> Home:
    from wisp_tui.config import Home

    home = Home.find(os.environ)
    home.prepare()
    return home


def _store(home: Home) -> ApprovalStore:
    from wisp_tui.approval import ApprovalStore

    return ApprovalStore(home)
