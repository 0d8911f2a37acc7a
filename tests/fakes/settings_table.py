"""The table of docs/config.md, made from the settings. ``python -m tests.fakes.settings_table`` writes it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from wisp_tui.config.settings import Settings
from wisp_tui.text.json import dump

PAGE = Path(__file__).parents[2] / "docs" / "config.md"
HEAD = "| setting | default | values | |\n|---|---|---|---|\n"


def fields(part: type[BaseModel], before: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """List every setting by its name in the file."""
    for name, info in part.model_fields.items():
        alias = before + (info.alias or name)
        if isinstance(info.annotation, type) and issubclass(info.annotation, BaseModel):
            yield from fields(info.annotation, f"{alias}.")
        else:
            yield alias, info


def values(info: FieldInfo) -> str:
    """Write what a setting may be."""
    bounds: dict[str, Any] = {}
    for limit in info.metadata:
        for side in ("ge", "le"):
            if (bound := getattr(limit, side, None)) is not None:
                bounds[side] = bound
    if bounds:
        return f"{bounds['ge']:,} to {bounds['le']:,}"
    words = [word for kind in (info.annotation, *get_args(info.annotation)) for word in get_args(kind)]
    named = dict.fromkeys(word for word in words if isinstance(word, str))
    return ", ".join(f"`{word}`" for word in named)


def default(info: FieldInfo) -> str:
    """Write a setting's default as the file would; nothing for one that is unset."""
    value = info.get_default(call_default_factory=True)
    return "" if value is None else f"`{dump(value).decode()}`"


def table() -> str:
    """Write the table."""
    rows = [f"| `{name}` | {default(info)} | {values(info)} | {info.description} |" for name, info in fields(Settings)]
    return HEAD + "\n".join(rows) + "\n"


def main() -> None:
    """Put the table into the page, in place of the one that is there."""
    before, _, rest = PAGE.read_text("utf-8").partition(HEAD)
    after = rest.partition("\n\n")[2]
    PAGE.write_text(f"{before}{table()}\n{after}", "utf-8")


if __name__ == "__main__":
    main()
