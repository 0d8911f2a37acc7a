"""Which files ask before a tool shows their content: keys, passwords, tokens, and this program's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wisp_tui.approval.paths import PathBook
from wisp_tui.approval.rules import Rules


@dataclass(frozen=True, slots=True)
class Credentials:
    """The files that ask, for one person's home and this program's own."""

    book: PathBook

    @classmethod
    def of(cls, rules: Rules, home: Path, own: Path) -> Credentials:
        """Make it from the rules that commands are judged by, so that a tool and ``cat`` ask alike."""
        return cls(PathBook(rules.paths, home, home, own))

    def asks_for(self, path: Path) -> str | None:
        """Tell why reading a file asks, with a link followed to what it names; None when it does not ask."""
        return self.book.credentials(self.book.absolute(str(path), Path.cwd()))
