"""What the shell completes: names that the home and the settings know, without asking a model or a server."""

from __future__ import annotations

import os

import click
from click.shell_completion import CompletionItem


def settings_of(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Complete a setting's name."""
    del context, parameter
    from wisp_tui.config.fields import settings_by_name

    return [
        CompletionItem(name, help=setting.description)
        for name, setting in settings_by_name().items()
        if name.startswith(typed)
    ]


def kinds_of(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Complete a kind of event."""
    del context, parameter
    from wisp_tui.events import Kind

    return [CompletionItem(kind.value) for kind in Kind if kind.startswith(typed)]


def models_of(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Complete a model's name: of the runtimes, and of the models in the home."""
    del context, parameter
    from wisp_tui.config import Home
    from wisp_tui.models.choose import RUNTIMES
    from wisp_tui.models.gguf import gguf_files

    here = [f"embedded:{file.name}" for file in gguf_files(Home.find(os.environ))]
    return [CompletionItem(name) for name in (*RUNTIMES, *here) if name.startswith(typed)]
