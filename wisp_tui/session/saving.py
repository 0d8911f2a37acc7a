"""Saved conversations: written whole or not at all, read back as they were (spec "The store and the composer")."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from wisp_tui.config import Home
from wisp_tui.context.composer import Plan
from wisp_tui.context.record import EntryKind
from wisp_tui.context.sidecar import CannotResume, Saved, resume, write_links, write_transcript
from wisp_tui.facts import BadStored, FactLedger, Scope, read_ledger, read_summaries, write_ledger, write_summaries
from wisp_tui.session.conversation import Conversation
from wisp_tui.text.clean import clean_line
from wisp_tui.text.json import Json, JsonObject, load_object
from wisp_tui.text.sizes import count, shorten

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class BadName(Exception):
    """A conversation cannot be saved under this name, or none of this name is saved; the message says which."""


@dataclass(frozen=True, slots=True)
class SavedName:
    """A saved conversation as a list shows it. ``first`` is how its first prompt begins."""

    name: str
    saved: datetime
    turns: int
    first: str
    resumable: bool


@dataclass(frozen=True, slots=True)
class Shelf:
    """The saved conversations of one home: ``transcripts/NAME.json`` with ``NAME.store`` beside it.

    The two files change as one: the new links wait beside the old ones until the transcript they match is in place.
    """

    home: Home
    mends: bool = True
    """Whether reading one whose save was cut off finishes that save."""

    def save(self, conversation: Conversation, name: str) -> Path:
        """Save a conversation under a name; return the transcript's path. Raises BadName, OSError.

        A name that another conversation is saved under is refused: nothing saved is replaced by anything but itself.
        """
        transcript, store, waiting = self._paths(name)
        if name not in conversation.saved_as and transcript.exists():
            raise BadName(_taken(name))
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
        self.home.write(waiting, links)
        self.home.write(transcript, write_transcript(conversation.record, conversation.kept))
        waiting.replace(store)
        conversation.saved_as.add(name)
        return transcript

    def check(self, name: str) -> None:
        """Raise BadName when nothing can be saved under a name: better before the conversation than at its end."""
        if self._paths(name)[0].exists():
            raise BadName(_taken(name))

    def load(self, name: str) -> Saved:
        """Read a conversation back. Raises BadName when none is saved under the name, CannotResume, OSError."""
        transcript, store, waiting = self._paths(name)
        if not transcript.exists():
            saved = ", ".join(item.name for item in self.list()[:8])
            raise BadName(f"no conversation is saved as {name!r}; saved are: {saved or 'none'}")
        data = transcript.read_bytes()
        links = store.read_bytes() if store.exists() else None
        try:
            return resume(name, data, links)
        except CannotResume:
            if not waiting.exists():
                raise
        found = resume(name, data, waiting.read_bytes())  # the save was cut off between its two files
        if self.mends:
            waiting.replace(store)
        return found

    def list(self) -> list[SavedName]:
        """List what is saved, the latest first. A file that cannot be read is listed as one that cannot be resumed."""
        found = [self._listed(path) for path in self.home.transcripts.glob("*.json") if _NAME.fullmatch(path.stem)]
        return sorted(found, key=lambda item: item.saved, reverse=True)

    def _listed(self, path: Path) -> SavedName:
        saved = datetime.fromtimestamp(path.stat().st_mtime, UTC).astimezone()
        prompts: list[str] = []
        with suppress(OSError, ValueError):
            entries = load_object(path.read_bytes()).get("entries")
            prompts = [text for item in entries if (text := _prompt(item))] if isinstance(entries, list) else []
        first = shorten(clean_line(prompts[0]), 80) if prompts else ""
        return SavedName(path.stem, saved, len(prompts), first, path.with_suffix(".store").exists())

    def _paths(self, name: str) -> tuple[Path, Path, Path]:
        if not _NAME.fullmatch(name):
            raise BadName(
                f"{name!r:.80} is no name for a conversation: up to 64 letters, digits, dots, dashes and underscores"
            )
        folder = self.home.transcripts
        return folder / f"{name}.json", folder / f"{name}.store", folder / f".{name}.store.new"


def resumed_note(conversation: Conversation) -> str | None:
    """Write what is said of a conversation that was resumed; None of one that began here."""
    if not conversation.carried_from:
        return None
    turns = sum(1 for entry in conversation.record if entry.kind is EntryKind.PROMPT)
    return f"resumed {conversation.name}: {count(turns, 'turn')}"


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


def saved_facts(saved: Saved) -> FactLedger:
    """Read the facts that a saved conversation held itself. Raises BadStored."""
    return read_ledger(Scope.THREAD, _object(saved.more.get("facts")))


def default_name(moment: datetime) -> str:
    """Name a conversation by its time, where the person gave no name."""
    return f"{moment:%Y-%m-%d-%H%M%S}"


def _taken(name: str) -> str:
    return f"another conversation is saved as {name}; choose another name, or go on with that one: --resume {name}"


def _prompt(item: Json) -> str | None:
    if isinstance(item, dict) and item.get("kind") == EntryKind.PROMPT and isinstance(text := item.get("text"), str):
        return text
    return None


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}
