"""What a command does to files: whose content it shows, where it writes, and which names it only lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wisp_tui.approval.base import Level
from wisp_tui.approval.paths import PathBook
from wisp_tui.approval.rules import Rules
from wisp_tui.approval.script import Command, Known, Word
from wisp_tui.approval.seen import Seen
from wisp_tui.approval.verdict import Finding

_NETWORK = ("/dev/tcp/", "/dev/udp/", "/inet/", "/inet4/", "/inet6/")
"""What bash and awk take for connections."""
CONNECTS = Finding(Level.DANGEROUS, "opens a connection to another machine")
SHOWS_UNKNOWN = Finding(Level.MODERATE, "shows a file that is known only when it runs")
WRITES_UNKNOWN = Finding(Level.DANGEROUS, "where it writes is known only when it runs")


@dataclass(frozen=True, slots=True)
class FileJudge:
    """Judges what one command does to files, and adds it to what was seen of it."""

    rules: Rules
    book: PathBook
    seen: Seen

    def shows(self, word: Word) -> None:
        """Judge showing the content of what a word names."""
        match word.known:
            case Known.EXACT | Known.PATTERN if not self.seen.places and not word.home and word.text[:1] != "/":
                self.seen.add(SHOWS_UNKNOWN)
            case Known.EXACT:
                for path in self._paths(word):
                    self._shows_path(path)
            case Known.PATTERN:
                for place in self.seen.places or (self.book.root,):
                    if reason := self.book.pattern(word.text, place, home=word.home):
                        self.seen.add(Finding(Level.DANGEROUS, f"shows {word.source}: {reason}"))
            case Known.UNKNOWN:
                self._shows_unknown(word)

    def _shows_unknown(self, word: Word) -> None:
        for choice in word.choices:
            self.shows(choice)
        if not word.choices and not word.plain and not (word.inner and self.listing(word.inner)):
            self.seen.add(SHOWS_UNKNOWN)

    def _shows_path(self, path: str) -> None:
        if reason := self.book.credentials(path):
            self.seen.add(Finding(Level.DANGEROUS, f"shows {path}: {reason}"))
        elif path.startswith(_NETWORK):
            self.seen.add(CONNECTS)
        elif self.book.holder(path):
            self.seen.add(Finding(Level.DANGEROUS, f"shows what is below {path}, where credentials are kept"))

    def writes(self, word: Word) -> None:
        """Judge writing to what a word names, or removing it."""
        if word.choices and not word.text:
            for choice in word.choices:
                self.writes(choice)
            return
        if word.plain and word.source.startswith(">("):
            return
        if not word.exact or (not self.seen.places and not word.text.startswith("/") and not word.home):
            self.seen.add(WRITES_UNKNOWN)
            return
        for path in self._paths(word):
            if path.startswith(_NETWORK):
                self.seen.add(CONNECTS)
            elif finding := self.book.write(path):
                self.seen.add(finding)

    def is_given(self, word: Word) -> None:
        """Judge giving a program the name of a file: no matter what it does, not one of credentials."""
        if word.known is Known.UNKNOWN:
            return
        for text in _named_in(word.text):
            if not ("/" in text or text.startswith(".") or word.home):
                continue
            for place in self.seen.places or (self.book.root,):
                path = self.book.absolute(text, place, home=word.home or text.startswith("~/"))
                if reason := self.book.credentials(path):
                    self.seen.add(Finding(Level.DANGEROUS, f"is given {path}: {reason}"))

    def _paths(self, word: Word) -> list[str]:
        places = self.seen.places or (self.book.root,)
        return [self.book.absolute(word.text, place, home=word.home) for place in places]

    # Listings -------------------------------------------------------------------------------------------------------

    def listed(self, commands: Sequence[Command]) -> tuple[Word, ...]:
        """The word that stands for the names that commands list; none when that is not what they do."""
        return (Word("", "", Known.UNKNOWN, inner=tuple(commands)),) if self.listing(commands) else ()

    def listing(self, commands: Sequence[Command]) -> bool:
        """Whether commands print names of files in the directory, found by looking and not made up."""
        for at, command in enumerate(commands):
            if command.redirects or command.assignments or not command.words or len(command.upstream) != at:
                return False
            if not all(word.exact for word in command.words):
                return False
            texts = [word.text for word in command.words]
            if not (self.rules.filtering.fullmatch(" ".join(texts)) if at else self._lists(texts)):
                return False
        return bool(commands)

    def _lists(self, texts: Sequence[str]) -> bool:
        if self.rules.listing.fullmatch(" ".join(texts)) is None or len(self.seen.places) != 1:
            return False
        outside = any(
            text.startswith(("/", "~", "..")) or "/.." in text or "/." in text.removeprefix("./") for text in texts[1:]
        )
        place = str(self.seen.places[0])
        if outside or not self.book.inside(place) or self.book.holder(place):
            return False
        return not any(self._names_credentials(text) for text in texts[1:] if not text.startswith("-"))

    def _names_credentials(self, text: str) -> bool:
        """Whether what is looked for by name, or by a pattern, is a file of credentials."""
        place = self.seen.places[0]
        if any(mark in text for mark in "*?["):
            return self.book.pattern(text, place) is not None
        return self.book.credentials(self.book.absolute(text, place)) is not None


def _named_in(text: str) -> tuple[str, ...]:
    """The files that an argument may name: itself, or what an option or a setting gives, with or without an ``@``."""
    after = text.partition("=")[2].lstrip("@")
    if not text.startswith("-"):
        return tuple(filter(None, (text.lstrip("@"), after)))
    attached = "" if text.startswith("--") else text[2:].lstrip("@=")
    return tuple(filter(None, (after, attached)))
