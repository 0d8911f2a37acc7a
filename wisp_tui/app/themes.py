"""The themes, made from the one palette in ``styles/tokens.tcss``."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from textual.theme import Theme

DARK, LIGHT, ANSI = "wisp-dark", "wisp-light", "wisp-ansi"
THEMES = (DARK, LIGHT, ANSI)
_ALIASES = {"dark": DARK, "light": LIGHT, "ansi": ANSI, "ansi-dark": ANSI, "ansi-light": ANSI}
_TOKEN = re.compile(rf"^\$(?:({'|'.join(THEMES)})-)?([\w-]+):\s*([^;]+);", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Palette:
    """The tokens: those of each theme, and those all share."""

    shared: Mapping[str, str]
    themes: Mapping[str, Mapping[str, str]]


def read_palette(path: Path) -> Palette:
    """Read the tokens from their stylesheet."""
    shared: dict[str, str] = {}
    themes: dict[str, dict[str, str]] = {name: {} for name in THEMES}
    for theme, name, value in _TOKEN.findall(path.read_text("utf-8")):
        (themes[theme] if theme else shared)[name] = value.strip()
    return Palette(shared, themes)


def theme_named(wanted: str, *, no_color: bool) -> str | None:
    """Give the theme to use for the one wanted, None when there is none of that name.

    Where colours are not wanted it is the one of the terminal's own colours, which then needs none.
    """
    if no_color:
        return ANSI
    name = _ALIASES.get(wanted, wanted)
    return name if name in THEMES else None


def wanted_theme(config: Path) -> str:
    """Look the theme's name up in the settings, before they are read; the default's where it cannot be had yet."""
    try:
        settings = json.loads(config.read_bytes())
        return str(settings["display"]["theme"])
    except (OSError, ValueError, KeyError, TypeError):
        return DARK


def theme_of(name: str, tokens: Mapping[str, str]) -> Theme:
    """Make a theme of its tokens: ours by their names, and Textual's own from them."""
    ansi = name == ANSI
    ours = dict(tokens)
    if not ansi:
        ours |= {
            "scrollbar": tokens["line"],
            "scrollbar-hover": tokens["ink-faint"],
            "scrollbar-active": tokens["glow-dim"],
            "scrollbar-background": tokens["paper"],
            "scrollbar-background-hover": tokens["paper"],
            "scrollbar-background-active": tokens["paper"],
            "scrollbar-corner-color": tokens["paper"],
            "input-cursor-background": tokens["glow"],
            "input-cursor-foreground": tokens["paper"],
            "input-selection-background": tokens["mark"],
            "input-selection-foreground": tokens["ink-strong"],
            "screen-selection-background": tokens["mark"],
            "screen-selection-foreground": tokens["ink-strong"],
            "block-cursor-background": tokens["paper-high"],
            "block-cursor-foreground": tokens["ink-strong"],
            "block-cursor-text-style": "none",
        }
    else:
        ours |= {
            "screen-selection-background": "ansi_bright_blue",
            "screen-selection-foreground": "ansi_black",
            "input-selection-background": "ansi_bright_blue",
            "input-selection-foreground": "ansi_black",
            "input-cursor-background": "ansi_default",
            "input-cursor-foreground": "ansi_default",
            "input-cursor-text-style": "reverse",
            "block-cursor-background": "ansi_default",
            "block-cursor-foreground": "ansi_default",
            "block-cursor-text-style": "reverse",
            "ansi-background": "ansi_black",
            "ansi-foreground": "ansi_white",
        }
    return Theme(
        name=name,
        primary=tokens["glow"],
        secondary=tokens["blue"],
        accent=tokens["violet"],
        warning=tokens["amber"],
        error=tokens["red"],
        success=tokens["green"],
        foreground=tokens["ink"],
        background=tokens["paper"],
        surface=tokens["paper-raised"],
        panel=tokens["paper-high"],
        boost="ansi_default" if ansi else tokens["paper-raised"],
        dark=name != LIGHT,
        ansi=ansi,
        variables=ours,
    )
