"""Whether it is the person who runs this command: at a terminal, and not from inside a command the model runs."""

from __future__ import annotations

import os

from wisp_tui.cli.faults import UsageFault


def must_be_the_person(what: str) -> None:
    """Refuse to act for anybody but the person. Raises UsageFault with what to do.

    A command the model runs has no terminal, and its processes wear a mark, as do those it starts.
    """
    if not (os.isatty(0) and os.isatty(1)):
        raise UsageFault(f"only a person at a terminal {what}; run this in one")
    must_not_be_a_command(what)


def must_not_be_a_command(what: str) -> None:
    """Refuse to act inside a command that a model runs; a script of the person's may. Raises UsageFault."""
    from wisp_tui.tools.processes import inside_a_command

    if inside_a_command():
        raise UsageFault(f"only a person {what}; this runs inside a command of a model")
