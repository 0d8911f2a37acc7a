"""The index over all saved conversations: what it finds, what it follows, and what it survives."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from wisp_tui.context.record import Entry, EntryKind, OutputPart, ThreadRecord
from wisp_tui.outputs import OutputStore
from wisp_tui.recall import Past
from wisp_tui.recall import library as library_module
from wisp_tui.recall.index_file import NoIndex
from wisp_tui.recall.library import VERSION, Library, Volume
from wisp_tui.recall.passages import Passage
from wisp_tui.text.ids import CallId, EventId, SessionId, TurnNumber

CALL = CallId("3f9a2c1b")


@dataclass
class Kept:
    """Conversations as their files would have them, and how often each is read."""

    pasts: dict[str, Past] = field(default_factory=dict[str, Past])
    stamps: dict[str, str] = field(default_factory=dict[str, str])
    reads: list[str] = field(default_factory=list[str])

    def say(self, name: str, *texts: str) -> None:
        record = self.pasts.setdefault(name, Past(ThreadRecord())).record
        for text in texts:
            record.add(EntryKind.PROMPT, text, turn=TurnNumber(1), time=None)
        self.stamps[name] = f"{name} at {len(record)}"

    def volumes(self) -> list[Volume]:
        def reader(name: str) -> Past:
            self.reads.append(name)
            return self.pasts[name]

        return [Volume(name, self.stamps[name], lambda name=name: reader(name)) for name in self.pasts]


@pytest.fixture
def kept() -> Kept:
    made = Kept()
    made.say("harbour", "The codename is Heron.", "Herons fish.")
    made.say("parser", "The parser reads heron files.", "Nothing else.")
    return made


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "cache" / "search.db")


def found(library: Library, said: str) -> list[tuple[str, int, str]]:
    return [(hit.name, hit.entry, hit.excerpt) for hit in library.find(said, 10)]


def test_every_conversation_is_found_with_its_entry_line_and_marks(library: Library, kept: Kept) -> None:
    library.take_in(kept.volumes())
    (hit,) = library.find("codename heron", 10)
    assert (hit.name, hit.entry, hit.line, hit.address) == ("harbour", 1, 1, "entry 1")
    assert [hit.excerpt[first:last] for first, last in hit.marks] == ["codename", "Heron"]
    assert {hit.name for hit in library.find("heron", 10)} == {"harbour", "parser"}
    assert {hit.name for hit in library.find("heron", 10, ["parser"])} == {"parser"}
    assert found(library, "codena")[0][0] == "harbour"
    assert found(library, "what walrus parser")[0][0] == "parser"
    assert not found(library, "walrus")
    assert not found(library, "?!")


def test_only_what_is_new_is_taken_in_and_what_is_removed_or_renamed_is_followed(library: Library, kept: Kept) -> None:
    library.take_in(kept.volumes())
    kept.say("harbour", "An egret too.")
    kept.pasts["reader"], kept.stamps["reader"] = kept.pasts.pop("parser"), kept.stamps.pop("parser")
    kept.reads.clear()
    library.take_in(kept.volumes())
    assert kept.reads == ["harbour"]
    assert found(library, "egret") == [("harbour", 3, "An egret too.")]
    assert found(library, "files") == [("reader", 1, "The parser reads heron files.")]
    del kept.pasts["harbour"]
    library.take_in(kept.volumes())
    assert not found(library, "codename")
    assert found(library, "heron")
    library.close()
    assert b"codename" not in b"".join(path.read_bytes().lower() for path in library.path.parent.iterdir())


def test_another_conversation_under_a_name_takes_the_place_of_the_one_before(library: Library, kept: Kept) -> None:
    library.take_in(kept.volumes())
    kept.pasts["harbour"] = Past(ThreadRecord())
    kept.say("harbour", "A kestrel.", "Two.", "Three.")
    library.take_in(kept.volumes())
    assert found(library, "kestrel")
    assert not found(library, "codename")


def test_what_was_dropped_is_there_and_a_swept_output_is_not(library: Library, kept: Kept, tmp_path: Path) -> None:
    store = OutputStore(tmp_path / "output", SessionId("5e5510ab"))
    stored = store.keep(CALL, b"filler\n" * 300 + b"the linker failed\n")
    past = kept.pasts["harbour"] = Past(kept.pasts["harbour"].record, store)
    output = OutputPart(CALL, "run_command", ok=True, lines=301, bytes=9, reads_only=False, kept=True)
    past.record.add(EntryKind.OUTPUT, "filler", turn=TurnNumber(2), time=None, output=output)
    past.record.drop([entry.id for entry in past.record], by=EventId("0" * 16), turn=TurnNumber(2))
    kept.stamps["harbour"] = "dropped"
    library.take_in(kept.volumes())
    assert found(library, "codename")
    (hit,) = library.find("linker", 10)
    assert (hit.address, hit.line, hit.kind) == (f"output {CALL}", 301, EntryKind.OUTPUT)
    assert stored is not None
    stored.path.unlink()
    library.take_in(kept.volumes())
    assert not found(library, "linker")
    assert found(library, "filler")
    assert found(library, "codename")


def test_the_file_and_its_folder_are_private(library: Library, kept: Kept) -> None:
    before = os.umask(0)
    try:
        library.take_in(kept.volumes())
    finally:
        os.umask(before)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in library.path.parent.iterdir()}
    assert stat.S_IMODE(library.path.parent.stat().st_mode) == 0o700
    assert modes == {0o600}


@pytest.mark.parametrize("damage", ["garbage", "truncated", "other version", "empty", "gone"])
def test_a_file_that_is_damaged_or_of_another_version_is_made_again(library: Library, kept: Kept, damage: str) -> None:
    library.take_in(kept.volumes())
    library.close()
    match damage:
        case "garbage":
            library.path.write_bytes(b"not a database, whatever it is called " * 300)
        case "truncated":
            library.path.write_bytes(library.path.read_bytes()[:5000])
        case "other version":
            with sqlite3.connect(library.path) as db:
                db.execute(f"PRAGMA user_version = {VERSION + 1}")
            db.close()
        case "empty":
            library.path.write_bytes(b"")
        case _:
            library.path.unlink()
    for _ in range(2):
        try:
            library.take_in(kept.volumes())
        except NoIndex:
            continue
    assert found(library, "codename")


def test_a_file_that_another_process_made_anew_is_taken_up(library: Library, kept: Kept) -> None:
    library.take_in(kept.volumes())
    library.path.unlink()
    other = Library(library.path)
    other.take_in(kept.volumes())
    kept.say("harbour", "An egret too.")
    library.take_in(kept.volumes())
    assert found(other, "egret")
    assert found(library, "egret")


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path, kept: Kept) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(NoIndex, match="cannot be written"):
        Library(tmp_path / "file" / "search.db").take_in(kept.volumes())
    (tmp_path / "link.db").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(NoIndex, match="cannot be written"):
        Library(tmp_path / "link.db").take_in(kept.volumes())
    assert not (tmp_path / "elsewhere").exists()


def test_a_conversation_that_cannot_be_read_is_named_and_stops_nothing(library: Library, kept: Kept) -> None:
    def damaged() -> Past:
        raise ValueError("damaged")

    assert library.take_in([Volume("bad", "1", damaged), *kept.volumes()]) == ["bad"]
    assert library.names() == {"harbour", "parser"}


def test_several_take_in_at_once_and_search_meanwhile(library: Library, kept: Kept) -> None:
    faults: list[BaseException] = []

    def work() -> None:
        own = Library(library.path)
        try:
            for _ in range(5):
                own.take_in(kept.volumes())
                own.find("heron", 5)
        except BaseException as error:
            faults.append(error)
        finally:
            own.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(5):
        kept.say("parser", f"egret number {number}")
    for thread in threads:
        thread.join()
    assert not faults
    library.take_in(kept.volumes())
    assert len(library.find("egret", 20)) == 5
    assert len(library.find("codename", 20)) == 1


def test_a_conversation_that_was_saved_goes_on_under_its_name_and_is_not_taken_in_twice(
    library: Library, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.take_in(kept.volumes())
    kept.pasts["port"] = kept.pasts.pop("harbour")
    kept.say("port", "An egret too.")
    taken: list[int] = []
    passages = library_module.passages

    def counted(entry: Entry, past: Past) -> Iterator[Passage]:
        taken.append(entry.id)
        return passages(entry, past)

    monkeypatch.setattr(library_module, "passages", counted)
    library.take_in(kept.volumes())
    assert taken == [3]
    assert [hit.name for hit in library.find("codename", 5)] == ["port"]


def test_what_is_stopped_is_whole_as_it_was_and_goes_on_later(library: Library, kept: Kept) -> None:
    kept.say("long", *(f"egret {number}" for number in range(50)))
    asked = iter(range(1000))
    assert library.take_in(kept.volumes(), lambda: next(asked) > 20) == ["long"]
    assert library.names() == {"harbour", "parser"}
    assert library.take_in(kept.volumes()) == []
    assert len(library.find("egret", 99)) == 50
