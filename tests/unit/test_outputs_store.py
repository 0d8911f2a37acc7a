"""The output store: what is on disk, from when, for whom, and how it is read back."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

import pytest

from wisp_tui.outputs import MAX_BYTES, NoSuchOutput, OutputStore
from wisp_tui.outputs.spill import Part, shares
from wisp_tui.text.ids import CallId, SessionId
from wisp_tui.text.json import load_object

SESSION = SessionId("5e5510ab5e5510ab")
CALL = CallId("3f9a2c1b")


@pytest.fixture
def store(tmp_path: Path) -> OutputStore:
    return OutputStore(tmp_path / "output", SESSION)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(store: OutputStore) -> list[str]:
    return sorted(path.name for path in (store.directory / SESSION).iterdir())


def test_an_output_is_kept_with_its_record(store: OutputStore) -> None:
    data = b"one\ntwo\xff\nthree"
    kept = store.keep(CALL, data)
    assert kept is not None
    record = load_object((store.directory / SESSION / f"{CALL}.json").read_bytes())
    assert (store.directory / SESSION / CALL).read_bytes() == data
    assert (record["bytes"], record["lines"], record["cut"]) == (len(data), 3, False)
    assert record["sha256"] == hashlib.sha256(data).hexdigest()
    assert store.find(CALL) == kept


def test_files_are_private_from_creation_under_any_umask(store: OutputStore) -> None:
    before = os.umask(0)
    try:
        spill = store.spill(CALL)
        spill.part(None).write(b"secret")
        directory = store.directory / SESSION
        assert [mode(path) for path in (store.directory, directory, *directory.iterdir())] == [0o700, 0o700, 0o600]
        spill.commit()
        assert {mode(path) for path in directory.iterdir()} == {0o600}
    finally:
        os.umask(before)


def test_nothing_is_written_before_there_is_something_to_write(store: OutputStore) -> None:
    spill = store.spill(CALL)
    spill.part("stdout").write(b"")
    assert spill.commit() is None
    assert not store.directory.exists()


def test_an_output_is_on_disk_while_it_arrives_and_has_no_record_before_its_end(store: OutputStore) -> None:
    spill = store.spill(CALL)
    spill.part("stdout").write(b"so far\n")
    (part,) = (store.directory / SESSION).iterdir()
    assert part.read_bytes() == b"so far\n"
    with pytest.raises(NoSuchOutput):
        store.find(CALL)
    spill.commit()
    assert names(store) == [CALL, f"{CALL}.json"]


def test_what_is_discarded_leaves_nothing(store: OutputStore) -> None:
    spill = store.spill(CALL)
    spill.part("stdout").write(b"so far\n")
    spill.discard()
    assert names(store) == []


def test_both_streams_are_one_file_with_a_heading_between_them(store: OutputStore) -> None:
    spill = store.spill(CALL)
    out, err = spill.part("stdout"), spill.part("stderr")
    err.write(b"bad\n")
    out.write(b"a\nb")
    err.write(b"worse\n")
    kept = spill.commit()
    assert kept is not None
    assert kept.path.read_bytes() == b"a\nb\nstderr:\nbad\nworse\n"
    first, second = kept.sections
    assert (first.name, first.first_line, first.lines, first.first_byte, first.bytes) == ("stdout", 1, 2, 0, 3)
    assert (second.name, second.first_line, second.lines, second.first_byte) == ("stderr", 4, 2, 12)
    assert kept.path.read_bytes()[second.first_byte :] == b"bad\nworse\n"
    assert [line.text for line in store.lines(kept, second.first_line)] == ["bad", "worse"]
    assert (kept.lines, kept.of_lines, kept.cut) == (5, 5, False)


def test_one_stream_alone_is_stored_as_it_is(store: OutputStore) -> None:
    spill = store.spill(CALL)
    spill.part("stdout")
    spill.part("stderr").write(b"bad\n")
    kept = spill.commit()
    assert kept is not None
    assert kept.path.read_bytes() == b"bad\n"
    assert [section.name for section in kept.sections] == ["stderr"]


def test_an_output_past_16_mib_is_cut_at_a_lines_end_and_says_so(store: OutputStore) -> None:
    line = b"x" * 99 + b"\n"
    kept = store.keep(CALL, line * 200_000)
    assert kept is not None
    assert kept.cut
    assert MAX_BYTES - 100 < kept.bytes <= MAX_BYTES
    assert kept.bytes == kept.lines * 100
    assert (kept.of_bytes, kept.of_lines) == (20_000_000, 200_000)
    assert kept.sha256 == hashlib.sha256(line * kept.lines).hexdigest()


def test_a_cut_without_a_lines_end_is_between_characters(store: OutputStore) -> None:
    kept = store.keep(CALL, b"x" + "\u20ac".encode() * 6_000_000)
    assert kept is not None
    assert MAX_BYTES - 3 < kept.bytes <= MAX_BYTES
    kept.path.read_text("utf-8")


def test_a_flood_on_one_stream_leaves_the_other_its_place(store: OutputStore) -> None:
    spill = store.spill(CALL)
    out, err = spill.part("stdout"), spill.part("stderr")
    for _ in range(20):
        out.write(b"y\n" * 524_288)
        err.write(b"reason\n" * 149_796)
    kept = spill.commit()
    assert kept is not None
    assert kept.bytes <= MAX_BYTES
    assert min(section.bytes for section in kept.sections) > MAX_BYTES // 5 - 70_000
    assert [section.of_bytes for section in kept.sections] == [20 * 1_048_576, 20 * 7 * 149_796]


def test_the_share_of_a_stream_is_a_fifth_at_least_and_what_is_not_needed_goes_to_the_other() -> None:
    assert shares(100, (30, 40)) == (30, 40)
    assert shares(100, (1000, 1000)) == (50, 50)
    assert shares(100, (100_000, 1000)) == (80, 20)
    assert shares(100, (1000, 10)) == (90, 10)
    assert shares(100, (5, 1000)) == (5, 95)


def test_a_disk_that_fails_is_told_at_the_end_and_nothing_is_left_behind(
    store: OutputStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    spill = store.spill(CALL)
    part = spill.part("stdout")
    part.write(b"first\n")

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    part.write(b"second\n")
    assert isinstance(part, Part)
    assert (part.bytes, part.lines) == (13, 2)
    with pytest.raises(OSError, match="No space left"):
        spill.commit()
    assert names(store) == []


@pytest.mark.parametrize(
    "call", ["", "..", "../../aa", "3f9a2c1", "3F9A2C1B", "../3f9a2c", "3f9a2c1b/..", "3f9a2c1b\0", "3f9a2c1b\n"]
)
def test_an_id_that_is_none_never_becomes_a_path(store: OutputStore, call: str) -> None:
    store.keep(CALL, b"x")
    with pytest.raises(NoSuchOutput, match="eight hexadecimal digits"):
        store.find(call)
    with pytest.raises(NoSuchOutput):
        store.spill(CallId(call))


@pytest.mark.parametrize("session", ["", "..", ".", "a/b", "../x", "a\0", "a\n"])
def test_a_session_that_is_none_never_becomes_a_path(store: OutputStore, session: str) -> None:
    with pytest.raises(ValueError, match="session id"):
        OutputStore(store.directory, SessionId(session))
    if session:
        with pytest.raises(NoSuchOutput):
            store.find(CALL, SessionId(session))


def test_another_sessions_output_is_found_by_its_session(store: OutputStore) -> None:
    other = OutputStore(store.directory, SessionId("0a0a"))
    kept = other.keep(CALL, b"theirs")
    with pytest.raises(NoSuchOutput):
        store.find(CALL)
    assert store.find(CALL, SessionId("0a0a")) == kept


def test_a_record_that_does_not_fit_its_file_is_not_trusted(store: OutputStore) -> None:
    kept = store.keep(CALL, b"whole")
    assert kept is not None
    kept.path.write_bytes(b"who")
    with pytest.raises(NoSuchOutput, match="not what its record says"):
        store.find(CALL)
    kept.path.with_name(f"{CALL}.json").write_bytes(b'{"bytes":')
    with pytest.raises(NoSuchOutput):
        store.find(CALL)


def test_pages_follow_each_other_to_the_end(store: OutputStore) -> None:
    data = os.urandom(150_000)
    kept = store.keep(CALL, data)
    assert kept is not None
    pages, offset = [b""], 0
    while True:
        page = store.page(kept, offset)
        pages.append(page.data)
        assert len(page.data) <= 64 * 1024
        if page.next is None:
            break
        offset = page.next
    assert b"".join(pages) == data


def test_lines_are_read_by_their_number_and_clean(store: OutputStore) -> None:
    kept = store.keep(CALL, b"one\n\x1b[1mtwo\x1b[0m\r\n\n" + b"four\n" * 100_000 + b"last")
    assert kept is not None
    assert [(line.number, line.text) for line in store.lines(kept, 2, 4)] == [(2, "two"), (3, ""), (4, "four")]
    assert [line.text for line in store.lines(kept, kept.lines)] == ["last"]
    assert list(store.lines(kept, kept.lines + 1)) == []


def test_an_output_that_went_away_is_said_to_be_gone(store: OutputStore) -> None:
    kept = store.keep(CALL, b"x")
    assert kept is not None
    kept.path.unlink()
    with pytest.raises(NoSuchOutput, match="gone"):
        store.page(kept, 0)
    with pytest.raises(NoSuchOutput, match="no stored output"):
        store.find(CALL)
