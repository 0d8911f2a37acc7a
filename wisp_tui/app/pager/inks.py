"""The colours of an output on the screen: the terminal's sixteen from the stylesheet, all others as they are."""

from __future__ import annotations

from collections.abc import Callable

from rich.style import Style
from textual.color import Color

from wisp_tui.app.pager.looks import Colour, Look

NAMES = (
    "black",
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "white",
    "bright-black",
    "bright-red",
    "bright-green",
    "bright-yellow",
    "bright-blue",
    "bright-magenta",
    "bright-cyan",
    "bright-white",
)
CLASSES = frozenset(f"ink--{name}" for name in NAMES) | {"ink--black-ground"}
_DARK = frozenset({-1, 0, 4})
"""Of the terminal's own colours, those on which its usual text is read better than black."""
_EXTREMES = (Color(0, 0, 0), Color(255, 255, 255))
LEAST_CONTRAST = 1.5
"""Below it text and its ground are taken to hide the text, and the theme's colours are used."""


class Inks:
    """Makes styles of looks. ``colour_of`` gives the stylesheet's colour of a class.

    ``text`` and ``ground`` are the theme's own; ``plain`` means no colours.
    """

    def __init__(self, colour_of: Callable[[str], Color], text: Color, ground: Color, *, plain: bool) -> None:
        self._colour_of = colour_of
        self._text = text
        self._ground = ground
        self._plain = plain
        self._styles: dict[Look, Style] = {}

    def style(self, look: Look) -> Style:
        """Give the style of a look, to be added to the theme's."""
        style = self._styles.get(look)
        if style is None:
            style = self._styles[look] = self._made(look)
        return style

    def _made(self, look: Look) -> Style:
        ink, ground = (None, None) if self._plain else self._colours(look)
        return Style(
            color=None if ink is None else ink.rich_color,
            bgcolor=None if ground is None else ground.rich_color,
            bold=look.bold or None,
            dim=look.dim or None,
            italic=look.italic or None,
            underline=look.underline or None,
            strike=look.struck or None,
            reverse=(look.reverse or (self._plain and look.ground is not None)) or None,
        )

    def _colours(self, look: Look) -> tuple[Color | None, Color | None]:
        ink = None if look.ink is None else self._colour(look.ink)
        ground = None
        if look.ground is not None:
            ground = self._colour_of("ink--black-ground") if look.ground == 0 else self._colour(look.ground)
        if ground is None:
            return None if ink is None or hides(ink, self._ground) else ink, None
        if ink is None or hides(ink, ground):
            ink = self._ink_on(ground)
        return ink, ground

    def _ink_on(self, ground: Color) -> Color | None:
        """Choose what can be read on a ground: the better of the theme's two colours."""
        if ground.ansi is not None:
            return None if ground.ansi in _DARK else Color.parse("ansi_black")
        own = (self._text, self._ground)
        choice = _EXTREMES if any(colour.ansi is not None for colour in own) else own
        return max(choice, key=lambda colour: contrast(colour, ground))

    def _colour(self, colour: Colour) -> Color:
        return self._colour_of(f"ink--{NAMES[colour]}") if isinstance(colour, int) else Color(*colour)


def hides(ink: Color, ground: Color) -> bool:
    """Tell whether text of a colour is lost on its ground. Of the terminal's own colours that is not known."""
    return ink.ansi is None and ground.ansi is None and contrast(ink, ground) < LEAST_CONTRAST


def contrast(one: Color, other: Color) -> float:
    """Give the contrast of two colours, 1 to 21."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Color) -> float:
    """Give the relative luminance, 0 to 1."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
