"""The slash commands: one registry, worded once, for every face."""

from wisp_tui.session.commands.base import Answered, Command, Effect, Offer, View
from wisp_tui.session.commands.registry import command_line, commands, completions, run_command_line

__all__ = [
    "Answered",
    "Command",
    "Effect",
    "Offer",
    "View",
    "command_line",
    "commands",
    "completions",
    "run_command_line",
]
