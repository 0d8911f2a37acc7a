"""What a command says when it cannot go on, and the code it exits with."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from wisp_tui.cli.codes import Exit


@dataclass(frozen=True, slots=True)
class Fault:
    """A sentence for the person and the exit code that goes with it."""

    sentence: str
    code: Exit


class UsageFault(Exception):
    """What was asked for cannot be done as asked; the message says why and what to do. Exit 64."""


def fault_of(error: Exception) -> Fault | None:
    """Explain an error that a command may end with; None for one that is a defect of ours.

    The types are imported here, since a command that succeeds needs none of them.
    """
    if isinstance(error, UsageFault):
        return Fault(str(error), Exit.USAGE)
    from wisp_tui.audit import AuditUnavailable
    from wisp_tui.config import ConfigError, HomeError
    from wisp_tui.config.editing import BadChange
    from wisp_tui.config.fields import UnknownSetting
    from wisp_tui.context.sidecar import CannotResume
    from wisp_tui.keeping import StoreError
    from wisp_tui.models import ModelError, ModelUnavailable
    from wisp_tui.pending import RequestChanged
    from wisp_tui.session.export import NotExported
    from wisp_tui.session.live import NotRecovered
    from wisp_tui.session.replaying import NothingToReplay
    from wisp_tui.session.saving import BadName
    from wisp_tui.tools.registry import UnknownTool

    match error:
        case HomeError() | ConfigError() | UnknownSetting() | BadChange() | UnknownTool():
            return Fault(str(error), Exit.USAGE)
        case AuditUnavailable() | CannotResume() | BadName() | NotExported() | NotRecovered() | NothingToReplay():
            return Fault(str(error), Exit.USAGE)
        case ModelUnavailable():
            return Fault(str(error), Exit.UNAVAILABLE)
        case StoreError() | RequestChanged() | ModelError():
            return Fault(str(error), Exit.FAILED)
        case _:
            return None


def coloured(file: int, terminal: bool) -> bool:
    """Say whether colours go to a stream: a terminal, neither dumb nor under NO_COLOR."""
    return terminal and os.isatty(file) and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "") != "dumb"


def tell(sentence: str, *, dim: bool = False, end: str = "\n") -> None:
    """Say a line on stderr, clean and with nothing that reorders it, and ``end`` after it.

    Dimmed only on a terminal that shows colours.
    """
    from wisp_tui.text.clean import drawable

    text = drawable(sentence)
    if dim and coloured(2, terminal=True):
        text = f"\x1b[2m{text}\x1b[22m"
    try:
        sys.stderr.write(text + end)
        sys.stderr.flush()
    except OSError:
        return  # nobody listens: a note that cannot be said ends nothing
