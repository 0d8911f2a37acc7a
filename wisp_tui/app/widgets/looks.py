"""What roles look like on a widget, each worked out once until the theme or a class changes.

The stylesheet's looks of the roles (``row--strong``) hang on the screen and not on each widget: Textual works all of
them out anew for every widget that has them, which makes up most of what mounting a conversation would cost.
"""

from __future__ import annotations

from rich.style import Style
from textual.widget import Widget

from wisp_tui.app.rows import Role

ROLE_CLASSES = frozenset(f"row--{role.value}" for role in Role)
"""The component classes that a screen has whose widgets draw roles."""


class Looks:
    """The styles of roles on one widget: its own, and over it what each role says."""

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._styles: dict[tuple[Role | Style | None, ...], Style] = {}

    def forget(self) -> None:
        """Work everything out anew: the theme or a class of the widget has changed."""
        self._styles.clear()

    def of(self, *over: Role | Style | None) -> Style:
        """Return the widget's style with these over it, each over those before; None adds nothing."""
        found = self._styles.get(over)
        if found is None:
            found = self._widget.rich_style
            for one in over:
                if isinstance(one, Role):
                    found += self._widget.screen.get_component_rich_style(f"row--{one.value}", partial=True)
                elif one is not None:
                    found += one
            self._styles[over] = found
        return found
