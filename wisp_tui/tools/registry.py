"""The tools there are, and those a conversation has."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from wisp_tui.config import ConfigError, Home, Settings
from wisp_tui.config.custom_tools import NAME
from wisp_tui.tools.ask import Ask
from wisp_tui.tools.base import Tool
from wisp_tui.tools.current_date import CurrentDate
from wisp_tui.tools.custom import Custom
from wisp_tui.tools.edit_file import EditFile
from wisp_tui.tools.file_writing import SeenFiles
from wisp_tui.tools.inspect import Inspect
from wisp_tui.tools.memory import NAME as MEMORY
from wisp_tui.tools.memory import Memory
from wisp_tui.tools.notify import Notify
from wisp_tui.tools.read_file import ReadFile
from wisp_tui.tools.run_command import RunCommand
from wisp_tui.tools.system_info import SystemInfo


class UnknownTool(Exception):
    """A tool was named that is not there; ``known`` lists those that are."""

    def __init__(self, names: tuple[str, ...], known: tuple[str, ...]) -> None:
        self.names = names
        self.known = known
        there = ", ".join(known) or "none"
        super().__init__(f"there is no tool {' or '.join(names)}; the tools are: {there}")


def built_in(settings: Settings, home: Home) -> Mapping[str, Tool]:
    """Make one conversation's tools, by name, in the order in which a model is told of them.

    ``home`` is this program's own, which no tool writes.
    """
    seen = SeenFiles()
    tools: tuple[Tool, ...] = (
        ReadFile(seen),
        EditFile(seen, settings.sandbox.writable_paths, home.root),
        RunCommand(settings.tools.command_timeout_seconds, settings.tools.command_max_output_bytes),
        CurrentDate(),
        SystemInfo(),
        Inspect(settings, home),
        Ask(),
        Notify(),
        Memory(),
    )
    return {tool.spec.name: tool for tool in tools}


def available(settings: Settings, home: Home) -> Mapping[str, Tool]:
    """Make one conversation's tools: those that come with the program, then the person's own.

    Raises ConfigError for a tool of their own whose name cannot be one, or is taken.
    """
    tools = dict(built_in(settings, home))
    for name, described in settings.tools.custom.items():
        if NAME.fullmatch(name) is None:
            raise ConfigError(f"tools.custom: {name!r:.80} is no name for a tool: small letters, digits and _")
        if name in tools:
            raise ConfigError(f"tools.custom: {name} is a tool already; give yours another name")
        seconds = described.timeout_seconds or settings.tools.command_timeout_seconds
        runs = RunCommand(seconds, settings.tools.command_max_output_bytes)
        tools[name] = Custom(name, described, runs)
    return tools


def chosen(
    tools: Mapping[str, Tool],
    names: Iterable[str] | None = None,
    disabled: Collection[str] = (),
    *,
    memory: bool = False,
) -> Mapping[str, Tool]:
    """Pick a conversation's tools: every one, or those named; ``tools.disabled`` leaves one out in either case.

    ``memory`` is among every one only where ``context.memory`` is on, and among those named whatever the setting.

    Raises UnknownTool when a name is none of ``tools``.
    """
    every = (name for name in tools if memory or name != MEMORY)
    wanted = tuple(every) if names is None else tuple(dict.fromkeys(names))
    unknown = tuple(name for name in wanted if name not in tools)
    if unknown:
        raise UnknownTool(unknown, tuple(tools))
    return {name: tools[name] for name in tools if name in wanted and name not in disabled}
