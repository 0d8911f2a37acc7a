"""What a slash command is, and what it answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from wisp_tui.session.outputs import ShownOutput
from wisp_tui.session.thread import Thread
from wisp_tui.text.clean import clean_line
from wisp_tui.text.json import dump


class Effect(StrEnum):
    """What a command asks of the face beside showing its answer."""

    NONE = "none"
    QUIT = "quit"
    CLEARED = "cleared"
    """A new conversation began: the shown one is over."""
    RESUMED = "resumed"
    """A saved conversation goes on: the shown one is over."""
    SETTINGS = "settings"
    """The person wants to look at the settings: in a form, where the face has one, which the answer stands in for."""


@dataclass(frozen=True, slots=True)
class View:
    """An answer that a face may show in a panel of its own. ``kind`` is as in spec/CHAT-JSON.md, "view"."""

    kind: str
    text: str
    turn: int | None = None
    turns: tuple[Mapping[str, str | int | None], ...] | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """What may be chosen next, for a face that lets the person pick: the choice completes ``command`` to a line.

    With ``toggles`` any number of the options are chosen together, ``current`` naming those that are now.
    """

    title: str
    options: tuple[str, ...]
    command: str
    current: tuple[str, ...] = ()
    toggles: bool = False

    def line(self, values: Sequence[str]) -> str | None:
        """Return the line that a choice stands for; None where nothing was chosen."""
        if self.toggles:
            return f"{self.command} {dump(list(values)).decode()}"
        return f"{self.command} {clean_line(values[0])}" if values else None


@dataclass(frozen=True, slots=True)
class Answered:
    """A command's answer: lines to show, a view, an effect. ``failed`` marks a command that could not be done."""

    lines: tuple[str, ...] = ()
    view: View | None = None
    effect: Effect = Effect.NONE
    output: ShownOutput | None = None
    """An output to show after the lines: paged, or line by line from ``outputs.whole_lines``."""
    offer: Offer | None = None
    failed: bool = False


Handler = Callable[[Thread, str], Awaitable[Answered]]
Completer = Callable[[Thread, str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Command:
    """One slash command. ``usage`` shows its arguments; ``help`` is one sentence."""

    name: str
    usage: str
    help: str
    run: Handler
    complete: Completer | None = None

    @property
    def runs_alone(self) -> bool:
        """Whether it is a whole command without arguments: its usage names none, or only ones in brackets."""
        rest = self.usage.removeprefix(self.name).strip()
        return not rest or rest.startswith("[")
