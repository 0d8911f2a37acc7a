"""A setting changed from the command line: by the person alone, recorded, and told."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

from wisp_tui.cli.auditing import audit
from wisp_tui.cli.codes import Exit
from wisp_tui.cli.faults import tell
from wisp_tui.cli.person import must_not_be_a_command
from wisp_tui.config import Home, Settings
from wisp_tui.config.editing import usable
from wisp_tui.config.settings import read_config
from wisp_tui.events import Kind
from wisp_tui.facts import PersonAct, Via
from wisp_tui.session.configuring import change_lines, set_setting, unset_setting
from wisp_tui.text.clean import drawable
from wisp_tui.text.json import JsonObject


def change_setting(name: str, words: Sequence[str] | None) -> int:
    """Set a setting to what the words say, or take it out of the file where there are none; return the exit code.

    Raises UsageFault inside a command that a model runs, UnknownSetting, BadChange, ConfigError, HomeError.
    """
    must_not_be_a_command("changes the settings")
    home, act = Home.find(os.environ), PersonAct(Via.CLI)
    home.prepare()

    def record(details: JsonObject) -> None:
        """Audit it as the settings before it want the log kept; that the log is turned on or off is always in it."""
        switched = details["setting"] == "audit.enabled"
        audit(home, [(Kind.CONFIG_CHANGE, details)], Settings() if switched else usable(read_config(home.config)))

    edited = unset_setting(home, act, name, record) if words is None else set_setting(home, act, name, words, record)
    said, *more = change_lines(edited)
    click.echo(drawable(said))
    for line in more:
        tell(line)
    return Exit.DONE
