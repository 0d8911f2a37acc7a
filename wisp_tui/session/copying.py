"""What a conversation tells whoever keeps a copy of it as it runs; and nobody, who keeps none."""

from __future__ import annotations

from typing import Protocol

from wisp_tui.context.journal import Typed, Unsent


class Live(Protocol):
    """Keeps a copy of the conversation as it runs, to go on from after a crash. A fault of the disk is told by it."""

    @property
    def ident(self) -> str | None:
        """The id of the copy; None while there is none."""
        ...

    def said(self, text: str) -> None:
        """Take a fragment of the reply that streams."""
        ...

    def typed(self, typed: Typed | None) -> None:
        """Take the beginning of a command that the person typed, with None its end."""
        ...

    def turn_ended(self) -> None:
        """Take the end of a turn."""
        ...

    def caught_up(self) -> None:
        """Take what has changed of the facts and the summary."""
        ...

    def saved(self, name: str) -> None:
        """Take that all until now is saved under a name."""
        ...

    def unsent(self, unsent: Unsent) -> None:
        """Take what the person has not sent yet."""
        ...

    def restart(self) -> None:
        """Let go of the copy: another conversation begins."""
        ...

    def close(self, *, remove: bool) -> None:
        """Stop; without ``remove`` the copy stays, to go on from."""
        ...


class NoCopy:
    """Keeps none: the conversation of a face that is not talked to by a person, or whose person wants none."""

    @property
    def ident(self) -> str | None:
        """None: there is none."""
        return None

    def said(self, text: str) -> None:
        """Keep nothing."""

    def typed(self, typed: Typed | None) -> None:
        """Keep nothing."""

    def turn_ended(self) -> None:
        """Keep nothing."""

    def caught_up(self) -> None:
        """Keep nothing."""

    def saved(self, name: str) -> None:
        """Keep nothing."""

    def unsent(self, unsent: Unsent) -> None:
        """Keep nothing."""

    def restart(self) -> None:
        """Keep nothing."""

    def close(self, *, remove: bool) -> None:
        """Keep nothing."""
