"""``wisp config``: the settings shown, and changed one at a time."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import click

from wisp_tui.cli.codes import Exit
from wisp_tui.cli.completing import settings_of
from wisp_tui.cli.faults import tell
from wisp_tui.cli.pages import DONE, HELP, page
from wisp_tui.cli.tables import print_json, print_rows

if TYPE_CHECKING:
    from wisp_tui.config import Home
    from wisp_tui.config.fields import Setting
    from wisp_tui.text.json import Json, JsonObject

_NAME = click.argument("name", shell_complete=settings_of)
_JSON = click.option("--json", "as_json", is_flag=True, help="Write JSON.")


@click.group(
    "config",
    invoke_without_command=True,
    context_settings=HELP,
    epilog=page(
        ("wisp config", "what is set"),
        ("wisp config list context", "what there is, and what each takes"),
        ("wisp config set context.budget 0.8", ""),
        ("wisp config set commandPolicy.deny 'rm *' shutdown", "a list"),
        ("wisp config unset context.budget", "its default again"),
        codes=(DONE, ("64", "no such setting or value; show: the file holds what cannot be used")),
    ),
)
@click.pass_context
def command(context: click.Context) -> int:
    """Show the settings, and change them one at a time.

    Alone it is `wisp config show`. A setting is named as in config.json, its parts with dots between: context.budget.
    docs/config.md says of every one what it does.
    """
    return Exit.DONE if context.invoked_subcommand is not None else _show(as_json=False)


@command.command("show", context_settings=HELP, epilog=page())
@_JSON
def show(*, as_json: bool) -> int:
    """Show what config.json sets; all else has its default.

    Fields of the file that are no settings are named on standard error, and so is what cannot be used: the exit code
    is then 64.
    """
    return _show(as_json=as_json)


@command.command("list", context_settings=HELP, epilog=page())
@click.argument("part", default="", shell_complete=settings_of)
@_JSON
def list_(*, part: str, as_json: bool) -> int:
    """List every setting, or those of a PART such as `context`.

    Each with its value, what it takes and what it does.
    Values that are not the default are marked with a star. In a pipe the columns are parted by tabs.
    """
    from wisp_tui.config.editing import usable
    from wisp_tui.config.fields import settings_under

    settings = usable(_config(_home()))
    listed = [(setting, setting.value(settings)) for setting in settings_under(part)]
    if as_json:
        print_json([_described(setting, value) for setting, value in listed])
    else:
        print_rows(_row(setting, value) for setting, value in listed)
    return Exit.DONE


@command.command("get", context_settings=HELP, epilog=page())
@_NAME
@_JSON
def get(*, name: str, as_json: bool) -> int:
    """Print the value of the setting NAME.

    A text as it is, anything else as JSON, nothing where it is unset. Of a key it says only that it is set.
    """
    from wisp_tui.config import load_settings
    from wisp_tui.config.fields import HIDDEN, setting_named

    setting = setting_named(name)
    value = setting.value(load_settings(_home().config))
    if setting.secret and value is not None:
        value = HIDDEN
    if value is not None or as_json:
        text = value if isinstance(value, str) and not as_json else setting.shown(value)
        click.echo(_clean(text))
    return Exit.DONE


@command.command("set", context_settings={**HELP, "ignore_unknown_options": True}, epilog=page())
@_NAME
@click.argument("value", nargs=-1, required=True)
def set_(*, name: str, value: tuple[str, ...]) -> int:
    """Set the setting NAME to VALUE, and say what it was.

    A list takes one word for each of its texts, or one JSON array; what else there is takes JSON, and a text is taken
    as it is. A change that weakens the gate, the sandbox or the audit says so. Everything else in config.json stays
    as it is. Conversations that run now go on with the settings they began with.
    """
    from wisp_tui.cli.changing import change_setting

    return change_setting(name, value)


@command.command("unset", context_settings=HELP, epilog=page())
@_NAME
def unset(*, name: str) -> int:
    """Take the setting NAME out of config.json.

    Its default holds again.
    """
    from wisp_tui.cli.changing import change_setting

    return change_setting(name, None)


@command.command("choices", context_settings=HELP, epilog=page())
@_NAME
def choices(*, name: str) -> int:
    """List what the setting NAME can be set to.

    One a line; where that is no list, it is said what the setting takes.
    """
    from wisp_tui.config.editing import usable
    from wisp_tui.config.fields import setting_named
    from wisp_tui.models.catalogue import list_models
    from wisp_tui.session.configuring import known_choices

    home, setting = _home(), setting_named(name)
    settings = usable(_config(home))
    found = list(known_choices(setting, home, settings))
    if setting.name == "model":
        found += [model.name for model in asyncio.run(list_models(home, settings, os.environ)) if model.usable]
    for choice in found:
        click.echo(_clean(choice))
    if not found:
        tell(f"{setting.name} takes {setting.allowed}")
    return Exit.DONE


def _show(*, as_json: bool) -> int:
    from wisp_tui.config.editing import faults_of, set_in, unknown_in, usable
    from wisp_tui.session.configuring import set_rows

    home = _home()
    config = _config(home)
    if as_json:
        settings = usable(config)
        values = {setting.name: (setting, setting.value(settings)) for setting in set_in(config)}
        print_json({name: _open(setting, value) for name, (setting, value) in values.items()})
    else:
        print_rows(set_rows(config))
    if not set_in(config):
        tell(f"{home.config} sets nothing: every setting has its default; `wisp config list` shows them")
    if unknown := unknown_in(config):
        tell(f"kept in the file, and not used: {', '.join(unknown)}")
    faults = faults_of(config)
    for fault in faults:
        tell(f"wisp: {fault}")
    return Exit.USAGE if faults else Exit.DONE


def _described(setting: Setting, value: Json) -> JsonObject:
    return {
        "name": setting.name,
        "value": _open(setting, value),
        "default": setting.default,
        "takes": setting.allowed,
        "choices": list(setting.choices),
        "description": setting.description,
    }


def _row(setting: Setting, value: Json) -> tuple[str, str, str, str]:
    changed = "" if value == setting.default else "*"
    return setting.name + changed, "" if value is None else setting.shown(value), setting.allowed, setting.description


def _open(setting: Setting, value: Json) -> Json:
    """Give a value that may be shown; of a secret, only that it is set."""
    return setting.shown(value) if setting.secret and value is not None else value


def _clean(text: str) -> str:
    from wisp_tui.text.clean import drawable

    return drawable(text)


def _config(home: Home) -> JsonObject:
    from wisp_tui.config.settings import read_config

    return read_config(home.config)


def _home() -> Home:
    from wisp_tui.config import Home

    return Home.find(os.environ)
