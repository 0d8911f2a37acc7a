"""The options that ``wisp chat``, ``wisp respond`` and ``wisp-tui`` share, and what they mean for a conversation."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING

import click

from wisp_tui.cli.completing import models_of, tools_of
from wisp_tui.cli.faults import UsageFault

if TYPE_CHECKING:
    from wisp_tui.session import Session, ThreadOptions


@dataclass(frozen=True, slots=True)
class TalkOptions:
    """How to talk: which model, with which instructions and tools. ``tools`` is None for all, empty for none."""

    model: str | None = None
    instructions: str | None = None
    tools: tuple[str, ...] | None = None
    yes: bool = False
    unsafe: bool = False


def talk_options(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the options of ``TalkOptions``; it receives them as its keyword argument ``talk``.

    The command raises UsageFault when they contradict each other.
    """

    @wraps(command)
    def with_talk(
        *arguments: object,
        model: str | None,
        instructions: str | None,
        tool: tuple[str, ...],
        no_tools: bool,
        yes: bool,
        unsafe: bool,
        **others: object,
    ) -> int:
        if no_tools and tool:
            raise UsageFault("--tool and --no-tools contradict each other; give one of them")
        talk = TalkOptions(model, instructions, () if no_tools else tool or None, yes, unsafe)
        return command(*arguments, talk=talk, **others)

    given: Callable[..., int] = with_talk
    for option in reversed(_OPTIONS):
        given = option(given)
    return given


_OPTIONS = (
    click.option(
        "-m",
        "--model",
        metavar="MODEL",
        help="The model, RUNTIME:NAME; `wisp models` lists them.",
        shell_complete=models_of,
    ),
    click.option("-i", "--instructions", metavar="TEXT", help="Instructions beside wisp's own."),
    click.option(
        "--tool", multiple=True, metavar="NAME", help="Give only this tool; repeatable.", shell_complete=tools_of
    ),
    click.option("--no-tools", is_flag=True, help="Give no tools."),
    click.option("-y", "--yes", is_flag=True, help="Run what would ask, without asking."),
    click.option(
        "--unsafe", is_flag=True, help="Ask for dangerous commands only; without a sandbox, for all but safe ones."
    ),
)


def open_session(options: TalkOptions) -> tuple[Session, ThreadOptions]:
    """Open the process's session, and say how its conversation is opened.

    Raises HomeError, ConfigError, UnknownTool or UsageFault for all that can be known to be wrong without a model.
    """
    from wisp_tui.approval import Answer
    from wisp_tui.session import Session, ThreadOptions
    from wisp_tui.session.desk import StandingAnswer
    from wisp_tui.tools.registry import available, chosen

    session = Session.open(os.environ)
    chosen(available(session.settings, session.home), options.tools, session.settings.tools.disabled)
    _check_runtime(options.model)
    asker = StandingAnswer(Answer.ONCE, "--yes") if options.yes else None
    return session, ThreadOptions(
        options.model, options.instructions, options.tools, asker=asker, unsafe=options.unsafe
    )


def _check_runtime(model: str | None) -> None:
    from wisp_tui.models.choose import AUTO, RUNTIMES

    if model is None or model == AUTO or model.partition(":")[0] in RUNTIMES:
        return
    raise UsageFault(
        f"{model!r} names no runtime there is; write RUNTIME:NAME, with one of {', '.join(RUNTIMES)}; "
        "`wisp models` lists what there is"
    )
