"""``wisp export``: a saved conversation as a page to read, or its context as a request to send elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

import click

from wisp_tui.cli.codes import Exit
from wisp_tui.cli.completing import saved_of
from wisp_tui.cli.pages import DONE, HELP, REFUSED, page

STDOUT = "-"
FORMS = ("markdown", "html", "context")


@click.command(
    "export",
    context_settings=HELP,
    epilog=page(
        ("wisp export harbour", "harbour.md, here"),
        ("wisp export harbour talk.html", "one HTML page"),
        ("wisp export harbour - --as context", "its context, on standard output"),
        codes=(DONE, REFUSED),
    ),
)
@click.argument("name", shell_complete=saved_of)
@click.argument("path", required=False, type=click.Path())
@click.option("--as", "form", type=click.Choice(FORMS), help="What it is written as; else the ending of PATH says it.")
def command(name: str, path: str | None, form: str | None) -> int:
    """Write the saved conversation NAME to a new file at PATH.

    As Markdown, as one HTML page (outputs whole, calls folded, facts, the summary), or its context as JSON: the
    messages and tools of its next request, as any chat-completions server takes them. Nothing that is there is
    replaced; only you can read the file. PATH `-` is standard output.
    """
    from wisp_tui.cli.status_line import StatusLine
    from wisp_tui.cli.tables import escaped
    from wisp_tui.config import Home, load_settings
    from wisp_tui.session.export import Form, Wanted, export, form_of, written
    from wisp_tui.session.looking import open_saved
    from wisp_tui.text.clean import clean_line

    home = Home.find(os.environ)
    as_form = Form(form) if form is not None else form_of(path or "")
    with StatusLine() as line:
        line.doing(f"reading {clean_line(name)}")
        conversation = open_saved(home, load_settings(home.config), os.environ, Path.cwd(), name)
        line.doing(f"writing {clean_line(name)}")
        if path == STDOUT:
            text = written(conversation, Wanted(as_form)).decode()
            said = escaped(text) if as_form is Form.CONTEXT else text
        else:
            said = f"{export(conversation, Wanted(as_form, path or f'{name}{as_form.ending}'))}\n"
    click.echo(said, nl=False)
    return Exit.DONE
