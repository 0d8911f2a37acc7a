"""The shared store: written by the person's act alone, whole or not at all, by any number of processes."""

from __future__ import annotations

import ast
import asyncio
import os
import stat
import subprocess
import sys
from contextlib import aclosing
from pathlib import Path

import pytest

from tests.fakes.facts import ACT, KINDS, PLACE, lines, moment, stated
from wisp_tui.config import Home
from wisp_tui.facts import Changed, FactBook, FactLedger, Scope, read_statement, state
from wisp_tui.keeping import PermanentFacts, StoreError
from wisp_tui.keeping.locking import Busy, locked

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.prepare()
    return home


@pytest.fixture
def store(home: Home) -> PermanentFacts:
    return PermanentFacts(home)


def stating(text: str):
    def edit(ledger: FactLedger) -> Changed:
        return state(ACT, FactBook(permanent=ledger), read_statement(text, KINDS, PLACE), moment())

    return edit


def held(store: PermanentFacts) -> list[str]:
    return lines(FactBook(permanent=store.load()))


def test_a_home_without_the_file_has_no_facts(store: PermanentFacts) -> None:
    assert store.load() == FactLedger(Scope.PERMANENT)


def test_what_is_stated_is_in_the_file_and_the_file_is_private(store: PermanentFacts) -> None:
    store.change(ACT, stating("preference editor = vim"))
    assert held(store) == ["p1 person preference editor = vim"]
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600
    assert store.path.read_bytes().endswith(b"\n")


def test_a_change_is_made_on_what_is_there_now_not_on_what_was_read_before(home: Home) -> None:
    first, second = PermanentFacts(home), PermanentFacts(home)
    first.load()
    second.change(ACT, stating("preference editor = vim"))
    first.change(ACT, stating("preference shell = fish"))
    assert held(second) == ["p1 person preference editor = vim", "p2 person preference shell = fish"]


def test_what_changes_nothing_is_not_written(store: PermanentFacts) -> None:
    store.change(ACT, stating("preference editor = vim"))
    before = store.path.stat()
    store.change(ACT, stating("preference editor = vim"))
    assert store.path.stat().st_ino == before.st_ino


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"facts": 4}', b'{"facts": [4]}', b"\xff"])
def test_a_file_that_cannot_be_read_is_said_and_never_replaced(store: PermanentFacts, content: bytes) -> None:
    store.path.write_bytes(content)
    with pytest.raises(StoreError, match="cannot be read"):
        store.load()
    with pytest.raises(StoreError):
        store.change(ACT, stating("preference editor = vim"))
    assert store.path.read_bytes() == content


def test_an_edit_that_fails_changes_nothing(store: PermanentFacts) -> None:
    def edit(ledger: FactLedger) -> Changed:
        raise KeyError(ledger.scope)

    with pytest.raises(KeyError):
        store.change(ACT, edit)
    assert not store.path.exists()


def test_a_home_that_cannot_be_written_is_said(home: Home, store: PermanentFacts) -> None:
    (home.root / ".facts.lock").mkdir()
    with pytest.raises(StoreError, match="the fact was not kept"):
        store.change(ACT, stating("preference editor = vim"))


def test_a_lock_held_by_another_is_waited_for_and_then_said(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with locked(path), pytest.raises(Busy, match="another process has held"), locked(path, wait=0.02):
        pass
    with locked(path, wait=0.0):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


WRITER = """
import sys
from pathlib import Path
from tests.fakes.facts import ACT, KINDS, PLACE, moment
from wisp_tui.config import Home
from wisp_tui.facts import FactBook, read_statement, state
from wisp_tui.keeping import PermanentFacts

store = PermanentFacts(Home(Path(sys.argv[1])))
for number in range(10):
    said = read_statement(f"preference {sys.argv[2]} {number} = yes", KINDS, PLACE)
    store.change(ACT, lambda ledger: state(ACT, FactBook(permanent=ledger), said, moment()))
"""


def test_processes_that_write_at_once_lose_nothing(home: Home, store: PermanentFacts) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(home.root), name], env=environment, cwd=ROOT)
        for name in ("a", "b")
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    ledger = store.load()
    assert len(ledger) == 20
    assert list(ledger.facts) == [f"p{number}" for number in range(1, 21)]


async def test_a_change_from_elsewhere_is_seen(home: Home, store: PermanentFacts) -> None:
    async with asyncio.timeout(10), aclosing(store.watch()) as changes:
        assert await anext(changes) == FactLedger(Scope.PERMANENT)
        await asyncio.to_thread(PermanentFacts(home).change, ACT, stating("preference editor = vim"))
        seen = await anext(changes)
        assert isinstance(seen, FactLedger)
        assert [fact.value for fact in seen.current.values()] == ["vim"]


async def test_a_file_broken_from_elsewhere_is_seen_as_the_fault_it_is_and_once(store: PermanentFacts) -> None:
    async with asyncio.timeout(10), aclosing(store.watch()) as changes:
        await anext(changes)
        store.path.write_bytes(b"{")
        assert isinstance(await anext(changes), StoreError)
        store.path.unlink()
        await asyncio.to_thread(store.change, ACT, stating("preference editor = vim"))
        seen = [await anext(changes)]
        while not isinstance(seen[-1], FactLedger) or not seen[-1].current:
            seen.append(await anext(changes))
        assert not any(isinstance(one, StoreError) for one in seen)


async def test_watching_ends_when_it_is_told_to(store: PermanentFacts) -> None:
    stop = asyncio.Event()
    async with asyncio.timeout(10):
        async for _ in store.watch(stop):
            stop.set()


FACES = ("app", "cli", "session/person")
"""Where a person acts: the faces, and the slash commands they run."""


@pytest.fixture(scope="module")
def program() -> list[tuple[str, ast.AST]]:
    """Return every node of the program's source, with its module's path."""
    package = ROOT / "wisp_tui"
    return [
        (str(path.relative_to(package)), node)
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.Call | ast.Constant)
    ]


def test_only_faces_and_what_is_typed_make_a_persons_act(program: list[tuple[str, ast.AST]]) -> None:
    makers = {
        path
        for path, node in program
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute)
        if (node.func.id if isinstance(node.func, ast.Name) else node.func.attr) == "PersonAct"
    }
    assert [maker for maker in makers if not maker.startswith(FACES)] == []


def test_facts_json_is_named_by_the_shared_store_alone(program: list[tuple[str, ast.AST]]) -> None:
    named = [path for path, node in program if isinstance(node, ast.Constant) and node.value == "facts.json"]
    assert named == ["keeping/permanent.py"]


def test_a_stated_fact_of_another_kind_is_not_written(store: PermanentFacts) -> None:
    store.change(ACT, stating("task = one"))
    assert not store.path.exists()
    assert stated(FactBook(), "task = one").book.thread.current
