"""The table of docs/config.md, made from the settings. ``python -m tests.fakes.settings_table`` writes it."""

from __future__ import annotations

from pathlib import Path

from wisp_tui.config.fields import Setting, settings_by_name
from wisp_tui.text.json import dump

PAGE = Path(__file__).parents[2] / "docs" / "config.md"
HEAD = "| setting | default | values | |\n|---|---|---|---|\n"


def values(setting: Setting) -> str:
    """Write what a setting may be."""
    if setting.bounds is not None:
        return "{:,} to {:,}".format(*setting.bounds)
    return ", ".join(f"`{word}`" for word in setting.words)


def default(setting: Setting) -> str:
    """Write a setting's default as the file would; nothing for one that is unset."""
    return "" if setting.default is None else f"`{dump(setting.default).decode()}`"


def table() -> str:
    """Write the table."""
    rows = [
        f"| `{setting.name}` | {default(setting)} | {values(setting)} | {setting.description} |"
        for setting in settings_by_name().values()
    ]
    return HEAD + "\n".join(rows) + "\n"


def main() -> None:
    """Put the table into the page, in place of the one that is there."""
    before, _, rest = PAGE.read_text("utf-8").partition(HEAD)
    after = rest.partition("\n\n")[2]
    PAGE.write_text(f"{before}{table()}\n{after}", "utf-8")


if __name__ == "__main__":
    main()
