"""What the shell completes: names that the home and the settings know, without asking a model or a server.

A home that cannot be read completes nothing: what is wrong with it is said once the command runs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import wraps
from typing import TYPE_CHECKING, TypeAlias

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from wisp_tui.config import Home

Named: TypeAlias = "Iterable[tuple[str, str]]"
"""What there is: names, each with what is said of it."""
Completer: TypeAlias = "Callable[[click.Context, click.Parameter, str], list[CompletionItem]]"


def _completer(names: Callable[[], Named]) -> Completer:
    """Make a completer of a function that lists what there is."""

    @wraps(names)
    def complete(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
        del context, parameter
        try:
            return [CompletionItem(name, help=said) for name, said in names() if name.startswith(typed)]
        except Exception as error:
            if _of_the_home(error):
                return []
            raise

    return complete


def _of_the_home(error: Exception) -> bool:
    from wisp_tui.config import ConfigError, HomeError

    return isinstance(error, OSError | HomeError | ConfigError)


def _home() -> Home:
    from wisp_tui.config import Home

    return Home.find(os.environ)


@_completer
def settings_of() -> Named:
    """Complete a setting's name."""
    from wisp_tui.config.fields import settings_by_name

    return [(name, setting.description) for name, setting in settings_by_name().items()]


@_completer
def kinds_of() -> Named:
    """Complete a kind of event."""
    from wisp_tui.events import Kind

    return [(kind.value, "") for kind in Kind]


@_completer
def models_of() -> Named:
    """Complete a model's name: of the runtimes, and of the models in the home."""
    from wisp_tui.models.choose import RUNTIMES
    from wisp_tui.models.gguf import gguf_files

    here = [(f"embedded:{file.name}", "in the home") for file in gguf_files(_home())]
    return [*((runtime, "") for runtime in RUNTIMES), *here]


@_completer
def tools_of() -> Named:
    """Complete a tool's name."""
    from wisp_tui.config import load_settings
    from wisp_tui.tools.registry import available

    home = _home()
    tools = available(load_settings(home.config), home)
    return [(name, tool.spec.clause) for name, tool in tools.items()]


@_completer
def saved_of() -> Named:
    """Complete the name of a saved conversation."""
    from wisp_tui.session.saving import Shelf

    return [(item.name, item.first) for item in Shelf(_home()).list() if item.resumable]


@_completer
def pending_facts_of() -> Named:
    """Complete the id of a fact that waits."""
    from wisp_tui.pending import FactRequest, Pending, request_words

    waiting = Pending(_home()).snapshot().waiting
    return [(request.id, request_words(request)) for request in waiting if isinstance(request, FactRequest)]


@_completer
def pending_commands_of() -> Named:
    """Complete the id of a command that waits."""
    from wisp_tui.pending import CommandRequest, Pending, request_words

    waiting = Pending(_home()).snapshot().waiting
    return [(request.id, request_words(request)) for request in waiting if isinstance(request, CommandRequest)]


@_completer
def pending_questions_of() -> Named:
    """Complete the id of a question that waits."""
    from wisp_tui.pending import Pending, QuestionRequest, request_words

    waiting = Pending(_home()).snapshot().waiting
    return [(request.id, request_words(request)) for request in waiting if isinstance(request, QuestionRequest)]


@_completer
def approvals_of() -> Named:
    """Complete the id of a standing approval."""
    from wisp_tui.approval import ApprovalStore

    return [(standing.id, str(standing.coverage.pattern)) for standing in ApprovalStore(_home()).list().approvals]
