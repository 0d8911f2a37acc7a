"""``wisp replay``: a saved conversation through another model, turn by turn."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from wisp_tui.cli.completing import models_of, saved_of
from wisp_tui.cli.faults import UsageFault
from wisp_tui.cli.pages import DONE, HELP, REFUSED, STOPPED, UNAVAILABLE, page

if TYPE_CHECKING:
    from wisp_tui.session.replaying import Span

_SPAN = re.compile(r"(\d*)(-?)(\d*)")


@click.command(
    "replay",
    context_settings=HELP,
    epilog=page(
        ("wisp replay harbour -m ollama:qwen3:8b", "the same prompts"),
        ("wisp replay harbour -m embedded:tiny --turns 3-5", "those before as recorded"),
        ("wisp replay harbour -m ollama:qwen3:8b --diff", "replies as a diff"),
        codes=(DONE, ("1", "a turn did not end well"), REFUSED, UNAVAILABLE, STOPPED),
    ),
)
@click.argument("name", shell_complete=saved_of)
@click.option(
    "-m", "--model", required=True, metavar="MODEL", help="The other model, RUNTIME:NAME.", shell_complete=models_of
)
@click.option("--turns", metavar="SPAN", help="Only these: 3, 2-5, 4- or -3.")
@click.option("--diff", is_flag=True, help="Show the replies as a diff, not side by side.")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object, at the end.")
def command(name: str, model: str, turns: str | None, diff: bool, as_json: bool) -> int:
    """Ask another model what the saved conversation NAME asked.

    Its prompts are sent in order, over a record of their own; each turn is compared: contexts, calls, replies, time.

    No tool runs. A call that was recorded gets the result that was recorded; any other is answered as not run. Neither
    the conversation nor the facts change. Ctrl-C stops, and keeps what was compared.
    """
    from wisp_tui.cli.replaying import replay_saved

    return replay_saved(name, model, span(turns), diff=diff, as_json=as_json)


def span(words: str | None) -> Span:
    """Read which turns are meant. Raises UsageFault."""
    from wisp_tui.session.replaying import Span

    if words is None:
        return Span()
    found = _SPAN.fullmatch(words)
    if found is None or not (found[1] or found[3]):
        raise UsageFault(f"{words!r:.40} names no turns: write 3, 2-5, 4- or -3")
    first = int(found[1] or 1)
    last = int(found[3]) if found[3] else None if found[2] else first
    if first < 1 or (last is not None and last < first):
        raise UsageFault(f"{words!r:.40} names no turns: they are counted from 1")
    return Span(first, last)
