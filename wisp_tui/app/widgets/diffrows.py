"""A unified diff as rows: what goes and what comes, with nothing hidden."""

from __future__ import annotations

from collections.abc import Iterator

from wisp_tui.app.rows import TAB, Role, Row, Wrap
from wisp_tui.text.clean import visible

_ROLES = {"+": Role.GOOD, "-": Role.ERROR, "@": Role.FAINT, "\\": Role.FAINT}


def diff_rows(diff: str) -> Iterator[Row]:
    """Draw a diff, a row a line. A tab is drawn as blanks; every other invisible character shows as its code point."""
    for line in diff.split("\n"):
        sign, text = line[:1], line[1:]
        shown = (" " * TAB).join(visible(part) for part in text.split("\t"))
        role = _ROLES.get(sign, Role.MUTED)
        if sign in ("@", "\\"):
            yield Row(visible(line), (), role, "", "", role, Wrap.ANYWHERE)
        else:
            yield Row(shown, (), role, f"{sign} ", "  ", role, Wrap.ANYWHERE)
