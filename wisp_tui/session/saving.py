"""Saved conversations: written whole or not at all, read back as they were (spec "The store and the composer")."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from wisp_tui.config import Home
from wisp_tui.context.composer import Plan
from wisp_tui.context.record import EntryKind
from wisp_tui.context.sidecar import CannotResume, Progress, Saved, resume, say_nothing, write_links, write_transcript
from wisp_tui.facts import BadStored, FactLedger, Scope, read_ledger, read_summaries, write_ledger, write_summaries
from wisp_tui.session.conversation import Conversation
from wisp_tui.session.live import CutShort, LiveFolder
from wisp_tui.session.saved.files import BadName, Taken, alone, files_of
from wisp_tui.session.saved.heads import about, read_head
from wisp_tui.session.saved.listing import Order, SavedName, in_order, saved_names
from wisp_tui.session.saved.naming import called_now
from wisp_tui.text.json import Json, JsonObject
from wisp_tui.text.sizes import count

__all__ = [
    "BadName",
    "SavedName",
    "Shelf",
    "default_name",
    "go_on_from",
    "own_digest",
    "resumed_note",
    "saved_facts",
    "take_over",
]


_ROOM = 58
"""Characters of a name that leave room for a number after it."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """The saved conversations of one home: ``transcripts/NAME.json`` with ``NAME.store`` beside it.

    The two files change as one: the new links wait beside the old ones until the transcript they match is in place.
    """

    home: Home
    mends: bool = True
    """Whether reading one whose save was cut off finishes that save."""
    reading: Progress = say_nothing
    """Is told how far the reading of a long one has come."""

    def save(self, conversation: Conversation, name: str) -> Path:
        """Save a conversation under a name; return the transcript's path. Raises BadName, OSError.

        A name that another conversation is saved under is refused: nothing saved is replaced by anything but itself.
        """
        files = files_of(self.home, name)
        facts = conversation.facts
        more: dict[str, Json] = {}
        if facts is not None:
            more = {"facts": write_ledger(facts.book.thread), "summaries": write_summaries(facts.summaries)}
        links = write_links(
            conversation.record,
            sessions=[*conversation.carried_from, conversation.session],
            sha256=own_digest(conversation),
            more=more,
            kept=conversation.kept,
        )
        transcript = write_transcript(conversation.record, conversation.kept, about=about(conversation))
        with alone(self.home):
            if files.transcript.exists() and not _is_own(conversation, name, files.transcript):
                raise Taken(_taken(name))
            self.home.write(files.waiting, links)
            self.home.write(files.transcript, transcript)
            files.waiting.replace(files.links)
        conversation.saved_as.add(name)
        conversation.live.saved(name)
        return files.transcript

    def keep(self, conversation: Conversation, name: str) -> tuple[str, Path]:
        """Save a conversation that is left; return its name and the transcript's path. Raises BadName, OSError.

        Where another process has saved another one under its name meanwhile, or has gone on with this one, it gets the
        next name that is free: neither is lost.
        """
        free, number = name, 1
        while True:
            try:
                return free, self.save(conversation, free)
            except Taken:
                number += 1
                free = f"{name[:_ROOM]}-{number}"

    def check(self, name: str) -> None:
        """Raise BadName when nothing can be saved under a name: better before the conversation than at its end."""
        if files_of(self.home, name).transcript.exists():
            raise BadName(_taken(name))

    def load(self, name: str) -> Saved:
        """Read a conversation back, also by a name it had. Raises BadName when there is none, CannotResume, OSError."""
        name = called_now(self.home, name)
        files = files_of(self.home, name)
        if not files.transcript.exists():
            saved = ", ".join(item.name for item in self.list()[:8])
            raise BadName(f"no conversation is saved as {name!r}; saved are: {saved or 'none'}")
        try:
            return _read(name, files.transcript, files.links, self.reading)
        except CannotResume:
            if not self.mends:
                return _read(name, files.transcript, files.waiting, self.reading)
        with alone(self.home):  # a save, or a renaming, was cut off between its two files, or is just done
            if not files.waiting.exists():
                return _read(name, files.transcript, files.links, self.reading)
            found = _read(name, files.transcript, files.waiting, self.reading)
            files.waiting.replace(files.links)
            return found

    def recoverable(self) -> list[CutShort]:
        """List the conversations that were cut short, the latest first: what a list offers beside what is saved.

        Each goes on by its ``ident``, where a saved one goes on by its name.
        """
        return LiveFolder(self.home).cut_short()

    def offered(self) -> list[SavedName]:
        """List what can be gone on with, the latest first: what is saved, and by its id what was cut short.

        A saved conversation that was gone on with and then cut short is one line: going on takes its live copy.
        """
        saved = {item.name: item for item in self.list()}
        rows: list[SavedName] = []
        for cut in self.recoverable():
            name = called_now(self.home, cut.name) if cut.name is not None else ""
            item = saved.get(name)
            if item is None or not cut.goes_on_from(self.home, name):
                rows.append(cut.row)
            elif not item.copy:
                saved[name] = replace(item, head=replace(item.head, turns=cut.turns), cut_short=True, copy=cut.ident)
        return in_order([*saved.values(), *rows], Order.USED)

    def list(self) -> list[SavedName]:
        """List what is saved, the latest first. A file that cannot be read is listed as one that cannot be resumed."""
        return saved_names(self.home)


def resumed_note(conversation: Conversation) -> str | None:
    """Write what is said of a conversation that was resumed; None of one that began here."""
    if not conversation.carried_from:
        return None
    turns = count(sum(1 for entry in conversation.record if entry.kind is EntryKind.PROMPT), "turn")
    cut = conversation.cut_off
    if cut is None:
        return f"resumed {conversation.name}: {turns}"
    midway = ", the last one in its middle" if cut.midway else ""
    aside = f"; the end of its copy was damaged: all of it is kept in {cut.aside}" if cut.aside is not None else ""
    named = f" {conversation.name}," if conversation.name is not None else " what was"
    return f"resumed{named} cut short {cut.moment:%Y-%m-%d %H:%M}: {turns}{midway}{aside}"


def own_digest(conversation: Conversation) -> str:
    """Digest what the conversation's own entries compose to, without tools and blocks: the same after a resume."""
    return conversation.composer.compose(conversation.record, Plan(memory=conversation.memory)).sha256


def take_over(conversation: Conversation, saved: Saved) -> bool:
    """Go on from a saved conversation; say whether its context is composed exactly as the saving session's was."""
    conversation.record = saved.record
    conversation.carried_from = saved.sessions
    conversation.kept = saved.kept
    if conversation.facts is not None:
        with suppress(BadStored):
            conversation.facts.restore(
                saved_facts(saved),
                read_summaries(saved.more.get("summaries") or []),
            )
    return own_digest(conversation) == saved.sha256


def go_on_from(conversation: Conversation, name: str, saved: Saved) -> JsonObject:
    """Go on from a saved conversation under its name; return what the audit is to say of it."""
    same = take_over(conversation, saved)
    conversation.name = name
    conversation.saved_as.add(name)
    return {"resumed": name, "carriedFrom": list(conversation.carried_from), "sameContext": same}


def saved_facts(saved: Saved) -> FactLedger:
    """Read the facts that a saved conversation held itself. Raises BadStored."""
    return read_ledger(Scope.THREAD, _object(saved.more.get("facts")))


def default_name(moment: datetime) -> str:
    """Name a conversation by its time, where the person gave no name."""
    return f"{moment:%Y-%m-%d-%H%M%S}"


def _taken(name: str) -> str:
    return f"another conversation is saved as {name}; choose another name, or go on with that one: --resume {name}"


def _is_own(conversation: Conversation, name: str, transcript: Path) -> bool:
    """Say whether a file holds nothing that the conversation does not: it was written by it, or it went on from it."""
    if name not in conversation.saved_as:
        return False
    sessions = read_head(transcript).sessions
    return not sessions or sessions[-1] in {conversation.session, *conversation.carried_from}


def _read(name: str, transcript: Path, links: Path, progress: Progress) -> Saved:
    """Read a conversation from two files. Raises CannotResume, OSError."""
    return resume(name, transcript.read_bytes(), links.read_bytes() if links.exists() else None, progress)


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}
