"""Standing approvals: kept privately, whole or not at all, by several processes at once; listed, revoked, cleared."""

from __future__ import annotations

import json
import multiprocessing
import stat
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

from tests.fakes.judging import HARBOUR, only_part
from wisp_tui.approval.base import Answer
from wisp_tui.approval.patterns import BadPattern, Pattern
from wisp_tui.approval.store import LIFETIME, ApprovalStore, Coverage
from wisp_tui.config import Home

NOW = datetime(2026, 3, 1, tzinfo=UTC)
PUSH = only_part("git push origin main")
MAKE = only_part("make build")


@pytest.fixture
def store(wisp_home: Path) -> ApprovalStore:
    ids = (f"a{number}" for number in count(1))
    return ApprovalStore(Home(wisp_home), now=lambda: NOW, new_id=lambda: next(ids))


def at(store: ApprovalStore, now: datetime) -> ApprovalStore:
    return ApprovalStore(Home(store.path.parent), now=lambda: now)


def test_a_store_that_is_not_there_holds_nothing(store: ApprovalStore) -> None:
    assert store.list().approvals == ()
    assert store.list().fault is None
    assert (store.revoke("a1"), store.clear()) == (None, 0)


def test_an_approval_is_listed_with_what_it_covers_and_until_when(store: ApprovalStore) -> None:
    store.grant(PUSH, Answer.ALWAYS)
    store.grant(MAKE, Answer.PROJECT)
    assert [
        (one.id, str(one.coverage.pattern), one.coverage.directory, one.expires) for one in store.list().approvals
    ] == [("a1", "git push *", None, NOW + LIFETIME), ("a2", "make build *", str(HARBOUR), NOW + LIFETIME)]


def test_the_file_is_private_and_in_the_home(store: ApprovalStore) -> None:
    store.grant(PUSH, Answer.ALWAYS)
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600
    assert {stat.S_IMODE(path.stat().st_mode) for path in store.path.parent.iterdir()} == {0o600}
    assert stat.S_IMODE(store.path.parent.stat().st_mode) == 0o700


def test_granting_again_renews_and_does_not_repeat(store: ApprovalStore) -> None:
    store.grant(PUSH, Answer.ALWAYS)
    later = at(store, NOW + timedelta(days=10))
    later.grant(PUSH, Answer.ALWAYS)
    assert [one.expires for one in later.list().approvals] == [NOW + timedelta(days=40)]


def test_an_approval_is_revoked_by_its_id(store: ApprovalStore) -> None:
    store.grant(PUSH, Answer.ALWAYS)
    store.grant(MAKE, Answer.PROJECT)
    revoked = store.revoke("a1")
    assert revoked is not None
    assert str(revoked.coverage.pattern) == "git push *"
    assert store.covering(PUSH) is None
    assert store.covering(MAKE) is not None


def test_clearing_takes_all_back(store: ApprovalStore) -> None:
    store.grant(PUSH, Answer.ALWAYS)
    store.grant(MAKE, Answer.PROJECT)
    assert store.clear() == 2
    assert store.list().approvals == ()


def test_what_has_expired_or_lies_ahead_covers_nothing_and_is_counted(store: ApprovalStore) -> None:
    store.grant(PUSH, Answer.ALWAYS)
    for now in (NOW + LIFETIME, NOW - timedelta(seconds=1)):
        listing = at(store, now).list()
        assert (listing.approvals, listing.expired) == ((), 1)
        assert at(store, now).covering(PUSH) is None


@pytest.mark.parametrize("line", ["rm -rf build", "make > log", "make $X"])
def test_what_is_dangerous_or_more_than_its_words_is_not_kept(store: ApprovalStore, line: str) -> None:
    with pytest.raises(ValueError, match="not approved beyond the session"):
        store.grant(only_part(line), Answer.PROJECT)


def test_what_runs_the_directorys_own_programs_is_not_kept_for_anywhere(store: ApprovalStore) -> None:
    with pytest.raises(ValueError, match="not approved beyond the session"):
        store.grant(MAKE, Answer.ALWAYS)


def test_an_approval_for_anywhere_covers_nothing_that_runs_the_directorys_own_programs() -> None:
    """Such a record may be written by hand, or a program may be found in the directory since it was granted."""
    pattern = Pattern.read("make build *")
    assert not Coverage(pattern, None).covers(MAKE)
    assert Coverage(pattern, str(HARBOUR)).covers(MAKE)


def test_records_of_another_shape_are_kept_counted_and_never_in_force(store: ApprovalStore) -> None:
    store.grant(PUSH, Answer.ALWAYS)
    held = json.loads(store.path.read_text())
    strange = [
        {"id": "b1", "kind": "later"},
        {**held["approvals"][0], "id": "b2", "pattern": "git 'push"},
        {**held["approvals"][0], "id": "b3", "expires": "soon"},
        {**held["approvals"][0], "id": "b4", "expires": "2099-01-01T00:00:00"},
        {key: value for key, value in held["approvals"][0].items() if key != "directory"},
    ]
    store.path.write_text(json.dumps({**held, "version": 9, "approvals": [*held["approvals"], *strange]}))
    listing = store.list()
    assert ([one.id for one in listing.approvals], listing.strange) == (["a1"], len(strange))
    store.grant(MAKE, Answer.PROJECT)
    assert [record for record in json.loads(store.path.read_text())["approvals"] if record in strange] == strange


@pytest.mark.parametrize("text", ["", "{", "[]", '{"approvals": 1}', "null"])
def test_a_file_that_is_no_list_of_approvals_is_not_used_and_says_so(store: ApprovalStore, text: str) -> None:
    store.path.parent.mkdir(mode=0o700)
    store.path.write_text(text)
    store.path.chmod(0o600)
    listing = store.list()
    assert listing.approvals == ()
    assert str(store.path) in str(listing.fault)
    store.grant(PUSH, Answer.ALWAYS)
    assert len(store.list().approvals) == 1
    assert [path.read_text() for path in store.path.parent.glob("approvals.unused-*.json")] == [text]


def test_a_file_that_others_may_write_is_not_used(store: ApprovalStore) -> None:
    store.grant(PUSH, Answer.ALWAYS)
    store.path.chmod(0o620)
    assert store.list().approvals == ()
    assert store.covering(PUSH) is None
    assert "others" in str(store.list().fault)


def _grant(root: Path, number: int) -> None:
    store = ApprovalStore(Home(root))
    for each in range(5):
        store.grant(only_part(f"tool-{number}-{each} x"), Answer.ALWAYS)


def test_processes_that_grant_at_once_lose_none(wisp_home: Path) -> None:
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=_grant, args=(wisp_home, number)) for number in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert len(ApprovalStore(Home(wisp_home)).list().approvals) == 20


# Patterns ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pattern",
    [
        Pattern(("git", "push"), more=True),
        Pattern(("echo", "*")),
        Pattern(("echo", "a b", "", "'", "*"), more=True),
        Pattern(("echo", "a *")),
        Pattern(("printf", "a\nb")),
    ],
)
def test_a_pattern_reads_as_it_is_written(pattern: Pattern) -> None:
    assert Pattern.read(str(pattern)) == pattern


@pytest.mark.parametrize("text", ["", " ", " *", "git 'push"])
def test_what_is_no_pattern_says_why(text: str) -> None:
    with pytest.raises(BadPattern, match="is no pattern"):
        Pattern.read(text)


def test_a_pattern_covers_what_it_shows_and_no_more() -> None:
    exact, wide = Pattern.read("git push"), Pattern.read("git push *")
    assert (exact.covers(["git", "push"]), exact.covers(["git", "push", "x"])) == (True, False)
    assert (wide.covers(["git", "push"]), wide.covers(["git", "push", "x"])) == (True, True)
    assert (wide.covers(["git"]), wide.covers(["git", "pushy"]), wide.covers(["git", "pull"])) == (False,) * 3
