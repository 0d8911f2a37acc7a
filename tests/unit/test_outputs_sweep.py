"""The sweep of old outputs: by age, a little at a time, and nothing but what wisp wrote."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from wisp_tui.outputs import OutputStore
from wisp_tui.outputs.sweep import Swept, measure, sweep
from wisp_tui.text.ids import CallId, SessionId

DAY = 86_400
NOW = 1_000_000_000.0
"""Long ago, so that whatever the sweep itself changes counts as used after it."""
OWN = SessionId("00000000000000aa")


def touched(path: Path, days: float) -> None:
    os.utime(path, (NOW - days * DAY, NOW - days * DAY), follow_symlinks=False)


def aged(path: Path, days: float) -> None:
    for one in (*path.iterdir(), path):
        touched(one, days)


def session(root: Path, name: str, days: float, calls: tuple[str, ...] = ("3f9a2c1b",)) -> Path:
    store = OutputStore(root, SessionId(name))
    for call in calls:
        store.keep(CallId(call), b"x" * 10)
    aged(root / name, days)
    return root / name


def swept(root: Path, days: int = 30, elapsed: Callable[[], float] = lambda: 0.0) -> Swept:
    return sweep(root, days=days, current=OWN, now=NOW, elapsed=elapsed)


def test_what_was_not_used_for_the_set_days_is_removed_and_counted(tmp_path: Path) -> None:
    old, young = session(tmp_path, "old", 31), session(tmp_path, "young", 29)
    size = sum(path.stat().st_size for path in old.iterdir())
    assert swept(tmp_path) == Swept(sessions=1, files=2, bytes=size)
    assert not old.exists()
    assert len(list(young.iterdir())) == 2


def test_the_last_use_is_the_newest_change_of_the_directory_or_a_file(tmp_path: Path) -> None:
    used = session(tmp_path, "used", 31)
    touched(used / "3f9a2c1b", 1)
    changed = session(tmp_path, "changed", 31)
    touched(changed, 1)
    assert swept(tmp_path) == Swept()


def test_zero_days_keep_everything(tmp_path: Path) -> None:
    session(tmp_path, "old", 5000)
    assert swept(tmp_path, days=0) == Swept()


def test_the_current_session_is_never_touched(tmp_path: Path) -> None:
    own = session(tmp_path, OWN, 500)
    assert swept(tmp_path) == Swept()
    assert own.exists()


def test_sixteen_sessions_at_most_the_longest_unused_first(tmp_path: Path) -> None:
    for number in range(20):
        session(tmp_path, f"s{number:02d}", 100 + number)
    first = swept(tmp_path)
    assert (first.sessions, first.more) == (16, True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s00", "s01", "s02", "s03"]
    assert (second := swept(tmp_path)).sessions == 4
    assert not second.more


def test_a_sweep_stops_after_a_tenth_of_a_second_and_the_next_goes_on_with_the_session(tmp_path: Path) -> None:
    old = session(tmp_path, "old", 31, calls=("00000001", "00000002", "00000003"))
    clock = count()
    first = swept(tmp_path, elapsed=lambda: next(clock) * 0.03)
    assert first.more
    assert 0 < first.files < 6
    assert old.exists()
    second = swept(tmp_path)
    assert (second.sessions, second.files + first.files) == (1, 6)
    assert not old.exists()


@pytest.mark.parametrize("name", ["notes.txt", "deadbeef", "deadbeef.json", "3f9a2c1b.bak", ".hidden"])
def test_a_file_that_wisp_did_not_write_stays_with_its_directory(tmp_path: Path, name: str) -> None:
    old = session(tmp_path, "old", 31)
    (old / name).write_text("mine")
    aged(old, 31)
    assert swept(tmp_path).files == 2
    assert [path.name for path in old.iterdir()] == [name]


def test_what_is_no_sessions_directory_stays(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    kept = session(elsewhere, "linked", 31)
    root = tmp_path / "output"
    root.mkdir()
    (root / "link").symlink_to(kept, target_is_directory=True)
    (root / "file").write_text("mine")
    (root / "mine").mkdir()
    (root / "mine" / "3f9a2c1b").write_text("mine")
    os.utime(root / "file", (0, 0))
    aged(root / "mine", 500)
    assert swept(root) == Swept()
    assert sorted(path.name for path in root.iterdir()) == ["file", "link", "mine"]
    assert len(list(kept.iterdir())) == 2


def test_a_link_in_a_sessions_directory_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("mine")
    root = tmp_path / "output"
    old = session(root, "old", 31)
    (old / ".3f9a2c1b.0.part").symlink_to(target)
    aged(old, 31)
    swept(root)
    assert target.read_text() == "mine"
    assert (old / ".3f9a2c1b.0.part").is_symlink()


def test_what_a_killed_process_left_unfinished_is_swept_too(tmp_path: Path) -> None:
    OutputStore(tmp_path, SessionId("old")).spill(CallId("3f9a2c1b")).part("stdout").write(b"so far")
    aged(tmp_path / "old", 31)
    assert swept(tmp_path).files == 1
    assert not (tmp_path / "old").exists()


def test_a_session_that_cannot_be_removed_is_said_and_the_others_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session(tmp_path, "locked", 40)
    session(tmp_path, "old", 31)
    unlink = Path.unlink

    def locked(path: Path, missing_ok: bool = False) -> None:
        if path.parent.name == "locked":
            raise PermissionError(13, "Permission denied")
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", locked)
    result = swept(tmp_path)
    assert result.sessions == 1
    assert result.faults == (f"{tmp_path / 'locked'} cannot be removed: Permission denied",)


def test_a_store_that_is_not_there_is_swept_in_no_time(tmp_path: Path) -> None:
    assert swept(tmp_path / "nothing") == Swept()
    assert measure(tmp_path / "nothing", days=30, now=NOW).bytes == 0


def test_the_measure_says_what_there_is_and_what_is_due(tmp_path: Path) -> None:
    old, young = session(tmp_path, "old", 31), session(tmp_path, "young", 2)
    sizes = [sum(path.stat().st_size for path in one.iterdir()) for one in (old, young)]
    size = measure(tmp_path, days=30, now=NOW)
    assert (size.sessions, size.files, size.bytes) == (2, 4, sum(sizes))
    assert (size.due_sessions, size.due_bytes) == (1, sizes[0])
    assert measure(tmp_path, days=0, now=NOW).due_sessions == 0


def test_what_was_swept_is_written_for_the_audit(tmp_path: Path) -> None:
    session(tmp_path, "old", 31)
    details = swept(tmp_path).details
    assert (details["sessions"], details["files"], details["more"], details["faults"]) == (1, 2, False, [])
