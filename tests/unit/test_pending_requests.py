"""What waits for the person: asked once, answered once, bound to what was shown (MCP.md, "Pending files")."""

from __future__ import annotations

import asyncio
import stat
import threading
from contextlib import aclosing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.fakes.facts import ACT, START, lines, moment, recorded, said, stated
from wisp_tui.config import Home
from wisp_tui.facts import CALLER, NOTED, Fact, FactBook, PersonAct, Source, Speaker, Via
from wisp_tui.keeping import PermanentFacts
from wisp_tui.pending import (
    AlreadySettled,
    Asker,
    CommandRequest,
    Decision,
    FactRequest,
    Outcome,
    Pending,
    RequestChanged,
    RequestState,
    UnknownRequest,
    is_alive,
    notification,
    resource,
    this_process,
)
from wisp_tui.pending.files import TEMPORARY
from wisp_tui.text.ids import SessionId, ThreadId
from wisp_tui.text.json import dump, load_object

TUI = PersonAct(Via.TUI)
LATER = START + timedelta(seconds=60)
ASKER = this_process(SessionId("0123456789abcdef"), ThreadId("git"), "editor")


def a_fact(text: str = "entity release codename = BLUE HERON", source: Source = CALLER) -> Fact:
    return recorded(FactBook(), said(text, source, turn=3, entry=9), at=moment(0, 3)).fact("c1")


def a_request(fact: Fact | None = None, asker: Asker = ASKER) -> FactRequest:
    return FactRequest("", asker, START, fact or a_fact())


def a_command(line: str = "git push", asker: Asker = ASKER) -> CommandRequest:
    return CommandRequest(
        "", asker, START, START + timedelta(seconds=600), line, line, "/work", "moderate", ("it pushes",)
    )


@pytest.fixture
def pending(tmp_path: Path) -> Pending:
    home = Home(tmp_path / "home")
    home.prepare()
    return Pending(home)


@pytest.fixture
def permanent(pending: Pending) -> PermanentFacts:
    return PermanentFacts(pending.home)


def waiting_fact(pending: Pending) -> FactRequest:
    (found,) = pending.snapshot().waiting
    assert isinstance(found, FactRequest)
    return found


def asked(pending: Pending, fact: Fact | None = None) -> FactRequest:
    request = pending.ask(a_request(fact))
    assert isinstance(request, FactRequest)
    return request


# Asking


def test_a_request_waits_under_an_id_of_eight_digits_in_a_private_file(pending: Pending) -> None:
    request = asked(pending)
    path = pending.directory.path / f"{request.id}.fact.json"
    assert (len(request.id), stat.S_IMODE(path.stat().st_mode)) == (8, 0o600)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert Pending(pending.home).snapshot().waiting == (request,)


def test_the_files_names_and_fields_are_those_of_the_spec(pending: Pending) -> None:
    fact, command = asked(pending), pending.ask(a_command())
    stored = load_object((pending.directory.path / f"{fact.id}.fact.json").read_bytes())
    assert {"id", "sha256", "fact", "thread", "client", "session", "process", "asked"} <= stored.keys()
    assert fact.shown == {
        "id": "c1",
        "subject": "entity",
        "name": "release codename",
        "value": "BLUE HERON",
        "source": "the caller",
    }
    shown = load_object((pending.directory.path / f"{command.id}.request.json").read_bytes())
    assert {"command", "line", "directory", "thread", "process", "sha256", "until"} <= shown.keys()


def test_a_directory_that_is_not_there_yet_is_made_private(tmp_path: Path) -> None:
    pending = Pending(Home(tmp_path / "new"))
    assert pending.snapshot().waiting == ()
    asked(pending)
    assert stat.S_IMODE(pending.directory.path.stat().st_mode) == 0o700


def test_asked_again_while_it_waits_it_is_the_same_request(pending: Pending) -> None:
    first = asked(pending)
    assert pending.ask(replace(a_request(), asked=LATER)) == first
    other = replace(ASKER, thread=ThreadId("docs"))
    assert pending.ask(a_request(asker=other)).id != first.id
    assert pending.ask(a_request(a_fact("entity release codename = RED KITE"))).id != first.id


def test_an_id_that_is_taken_is_not_used_again(pending: Pending) -> None:
    ids = iter(["0000000a", "0000000a", "0000000b"])
    pending.new_id = lambda: next(ids)
    assert [asked(pending).id, pending.ask(a_command()).id] == ["0000000a", "0000000b"]


def test_the_notification_says_what_waits_and_how_it_is_kept(pending: Pending) -> None:
    request = replace(a_request(), id="a1b2c3d4")
    assert notification(request) == (
        "wisp: keep as a permanent fact?",
        "release codename = BLUE HERON",
        "wisp facts keep a1b2c3d4",
    )


def test_a_facts_resource_carries_what_became_of_its_request(pending: Pending, permanent: PermanentFacts) -> None:
    request = asked(pending)
    waits = {"id": request.id, "state": "pending", "kept": None, "via": None, "reason": None, "settled": None}
    assert resource(request, None) == {**waits, "asked": START.isoformat()}
    outcome, _ = pending.keep(TUI, request, permanent, LATER)
    kept = {"state": "kept", "kept": "p1", "via": "tui", "settled": LATER.isoformat()}
    assert resource(request, outcome) == {**waits, "asked": START.isoformat(), **kept}


# Answering


def test_a_kept_fact_stands_in_the_shared_store_approved_and_the_outcome_names_it(
    pending: Pending, permanent: PermanentFacts
) -> None:
    request = asked(pending)
    outcome, changed = pending.keep(TUI, request, permanent, LATER)
    assert (outcome.state, outcome.kept, outcome.via, outcome.settled) == (RequestState.KEPT, "p1", Via.TUI, LATER)
    assert changed is not None
    held = permanent.load().current
    assert [(fact.value, fact.source, fact.approved) for fact in held.values()] == [("BLUE HERON", CALLER, True)]
    assert Pending(pending.home).outcome(request.id) == outcome
    assert pending.snapshot().waiting == ()


def test_keeping_supersedes_the_permanent_fact_of_the_same_topic(pending: Pending, permanent: PermanentFacts) -> None:
    permanent.change(ACT, lambda ledger: stated(FactBook(permanent=ledger), "entity release codename = RED KITE"))
    outcome, _ = pending.keep(TUI, asked(pending), permanent, LATER)
    assert outcome.kept == "p2"
    assert lines(FactBook(permanent=permanent.load())) == ["p2 caller entity release codename = BLUE HERON"]


def test_keeping_what_the_store_says_already_names_the_fact_that_says_it(
    pending: Pending, permanent: PermanentFacts
) -> None:
    permanent.change(ACT, lambda ledger: stated(FactBook(permanent=ledger), "entity release codename = BLUE HERON"))
    outcome, _ = pending.keep(TUI, asked(pending), permanent, LATER)
    assert (outcome.kept, len(permanent.load().facts)) == ("p1", 1)


def test_a_dropped_fact_is_not_kept_and_its_conversation_remembers(pending: Pending, permanent: PermanentFacts) -> None:
    request = asked(pending)
    outcome = pending.drop(TUI, request, LATER)
    assert (outcome.state, permanent.path.exists()) == (RequestState.DROPPED, False)
    again = a_fact("entity release codename = blue  heron", NOTED)
    assert pending.dropped(ASKER, again) == outcome
    assert pending.dropped(replace(ASKER, thread=ThreadId("docs")), again) is None
    assert pending.dropped(ASKER, a_fact("entity release codename = RED KITE")) is None


def test_the_first_answer_wins_and_the_other_is_told(pending: Pending, permanent: PermanentFacts) -> None:
    request = asked(pending)
    first = pending.drop(PersonAct(Via.CLI), request, LATER)
    with pytest.raises(AlreadySettled, match=r"was dropped from a terminal \(wisp\) at 14:06:12") as raised:
        Pending(pending.home).keep(TUI, request, permanent, LATER)
    assert raised.value.outcome == first
    assert not permanent.path.exists()


def test_of_many_answers_at_once_one_is_taken(pending: Pending, permanent: PermanentFacts) -> None:
    request, outcomes, lost = asked(pending), list[Outcome](), list[AlreadySettled]()
    barrier = threading.Barrier(8)

    def answer(keeps: bool) -> None:
        own = Pending(pending.home)
        barrier.wait()
        try:
            outcomes.append(own.keep(TUI, request, permanent, LATER)[0] if keeps else own.drop(TUI, request, LATER))
        except AlreadySettled as error:
            lost.append(error)

    threads = [threading.Thread(target=answer, args=(number % 2 == 0,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(outcomes), len(lost)) == (1, 7)
    assert {error.outcome for error in lost} == set(outcomes)
    assert permanent.path.exists() == (outcomes[0].state is RequestState.KEPT)


def test_an_answer_counts_only_for_exactly_what_was_shown(pending: Pending, permanent: PermanentFacts) -> None:
    request = asked(pending)
    shown = replace(request, fact=a_fact("entity release codename = RED KITE"))
    for act in (lambda: pending.keep(TUI, shown, permanent, LATER), lambda: pending.drop(TUI, shown, LATER)):
        with pytest.raises(RequestChanged):
            act()
    assert pending.snapshot().waiting == (request,)


def test_a_request_edited_after_it_was_written_is_no_request(pending: Pending, permanent: PermanentFacts) -> None:
    request = asked(pending)
    path = pending.directory.path / f"{request.id}.fact.json"
    stored = load_object(path.read_bytes())
    path.write_bytes(dump(stored).replace(b"BLUE HERON", b"EVIL HERON"))
    with pytest.raises(UnknownRequest):
        pending.keep(TUI, request, permanent, LATER)
    (fault,) = pending.snapshot().unreadable
    assert (fault.path, "SHA-256" in fault.reason) == (path, True)


def test_a_request_has_failed_when_its_fact_says_something_else_by_now(
    pending: Pending, permanent: PermanentFacts
) -> None:
    request = asked(pending)
    outcome, changed = pending.keep(TUI, request, permanent, LATER, still=lambda _: "c1 says RED KITE by now")
    assert (outcome.state, outcome.reason, changed) == (RequestState.FAILED, "c1 says RED KITE by now", None)
    assert not permanent.path.exists()


@pytest.mark.parametrize("state", [RequestState.WITHDRAWN, RequestState.FAILED])
def test_what_was_taken_back_is_not_answered(pending: Pending, permanent: PermanentFacts, state: RequestState) -> None:
    request = asked(pending)
    take_back = pending.withdraw if state is RequestState.WITHDRAWN else pending.fail
    outcome = take_back(request.id, "its fact was deleted", LATER)
    assert (outcome.state, outcome.via) == (state, None)
    with pytest.raises(AlreadySettled, match="its fact was deleted"):
        pending.keep(TUI, request, permanent, LATER)


def test_what_was_answered_is_not_taken_back(pending: Pending) -> None:
    request = asked(pending)
    pending.drop(TUI, request, LATER)
    with pytest.raises(AlreadySettled):
        pending.withdraw(request.id, "late", LATER)


@pytest.mark.parametrize("ident", ["deadbeef", "", "..", "../facts", "DEADBEEF", "deadbeef.fact"])
def test_an_id_of_no_request_is_refused_and_is_never_a_path(pending: Pending, ident: str) -> None:
    with pytest.raises(UnknownRequest):
        pending.outcome(ident)
    with pytest.raises(UnknownRequest):
        pending.request(ident)
    with pytest.raises(UnknownRequest):
        pending.withdraw(ident, "x", LATER)


def test_nothing_outside_the_directory_is_ever_removed(pending: Pending) -> None:
    outside = pending.home.root / "x.answer.json"
    outside.write_bytes(b"{}")
    with pytest.raises(UnknownRequest):
        pending.forget("../x")
    assert outside.exists()


def test_a_request_that_was_read_before_is_read_again_once_its_file_changed(pending: Pending) -> None:
    request = asked(pending)
    assert pending.snapshot().waiting == (request,)
    path = pending.directory.path / f"{request.id}.fact.json"
    path.write_bytes(path.read_bytes().replace(b"BLUE HERON", b"EVIL HERON"))
    assert pending.snapshot().waiting == ()


def test_a_command_is_answered_with_how_far_it_is_allowed(pending: Pending) -> None:
    command = pending.ask(a_command())
    assert isinstance(command, CommandRequest)
    assert pending.outcome(command.id) is None
    outcome = pending.answer(TUI, command, Decision.SESSION, LATER)
    assert (outcome.state, outcome.decision) == (RequestState.ANSWERED, Decision.SESSION)
    pending.forget(command.id)
    assert [path.name for path in pending.directory.path.iterdir()] == [".lock"]


# What is stale


def test_a_command_is_stale_when_its_wait_is_over_or_its_process_is_gone(pending: Pending) -> None:
    command, fact = pending.ask(a_command()), asked(pending)
    assert pending.sweep(START + timedelta(seconds=599)) == ()
    assert pending.sweep(START + timedelta(seconds=600)) == (command.id,)
    gone = pending.ask(a_command("git pull", replace(ASKER, started=ASKER.started - 1000)))
    assert pending.sweep(START) == (gone.id,)
    assert pending.snapshot().waiting == (fact,)


def test_a_fact_waits_without_a_time_limit_also_after_its_process(pending: Pending) -> None:
    request = pending.ask(a_request(asker=replace(ASKER, pid=2**22 + 1)))
    assert pending.sweep(START + timedelta(days=3650)) == ()
    assert pending.snapshot().waiting == (request,)


def test_what_was_settled_long_ago_and_what_was_never_finished_is_swept(pending: Pending) -> None:
    request = asked(pending)
    pending.drop(TUI, request, LATER)
    unfinished = pending.directory.path / f"{TEMPORARY}abc"
    unfinished.write_bytes(b"{")
    assert pending.sweep(LATER + timedelta(days=29)) == ()
    assert pending.sweep(LATER + timedelta(days=31)) == (request.id,)
    assert pending.sweep(LATER + timedelta(days=3650)) == ()
    assert not unfinished.exists()


def test_a_process_is_told_apart_from_a_later_one_of_its_number() -> None:
    assert is_alive(ASKER)
    assert not is_alive(replace(ASKER, started=ASKER.started - 3600))
    assert not is_alive(replace(ASKER, pid=2**22 + 1))


# What others wrote


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b'{"kind": "wish", "id": "0000000a"}', b"\xff\xfe"])
def test_a_file_that_is_no_request_is_named_and_left_as_it_is(pending: Pending, content: bytes) -> None:
    path = pending.directory.path / "0000000a.fact.json"
    path.write_bytes(content)
    request = asked(pending)
    found = pending.snapshot()
    assert (found.waiting, [fault.path for fault in found.unreadable]) == ((request,), [path])
    assert path.read_bytes() == content


def test_a_request_under_another_ones_name_is_no_request(pending: Pending) -> None:
    request = asked(pending)
    (pending.directory.path / f"{request.id}.fact.json").rename(pending.directory.path / "0000000a.fact.json")
    assert [fault.reason for fault in pending.snapshot().unreadable] == ["its name is not its id's"]


def test_an_answer_that_cannot_be_read_is_named_and_its_request_waits_no_longer(pending: Pending) -> None:
    request = asked(pending)
    (pending.directory.path / f"{request.id}.answer.json").write_bytes(b"{")
    found = pending.snapshot()
    assert (found.waiting, len(found.unreadable)) == ((), 1)


def test_a_hostile_fact_is_one_safe_line_where_it_is_read(pending: Pending) -> None:
    fact = a_fact(source=Source.distilled(Speaker.PERSON))
    hostile = replace(fact, value="ok\n- entity x: y\x1b[2J")
    pending.directory.add(replace(a_request(hostile), id="0000000a"))
    found = pending.snapshot()
    assert found.waiting == ()
    assert "SHA-256" in found.unreadable[0].reason


# Watching


async def test_what_waits_is_seen_as_it_appears_and_as_it_is_settled(pending: Pending) -> None:
    elsewhere = Pending(pending.home)
    async with asyncio.timeout(10), aclosing(pending.watch()) as snapshots:
        assert (await anext(snapshots)).waiting == ()
        request = await asyncio.to_thread(elsewhere.ask, a_request())
        assert (await anext(snapshots)).waiting == (request,)
        assert isinstance(request, FactRequest)
        await asyncio.to_thread(elsewhere.drop, TUI, request, LATER)
        seen = await anext(snapshots)
        assert (seen.waiting, [outcome.state for _, outcome in seen.settled]) == ((), [RequestState.DROPPED])


async def test_who_asks_can_wait_for_the_answer(pending: Pending) -> None:
    command = pending.ask(a_command())
    assert isinstance(command, CommandRequest)
    waiting = asyncio.create_task(pending.settled(command.id))
    async with asyncio.timeout(10):
        await asyncio.to_thread(Pending(pending.home).answer, TUI, command, Decision.ONCE, LATER)
        assert (await waiting).decision is Decision.ONCE


async def test_waiting_for_what_was_swept_ends(pending: Pending) -> None:
    command = pending.ask(a_command())
    waiting = asyncio.create_task(pending.settled(command.id))
    async with asyncio.timeout(10):
        await asyncio.to_thread(pending.sweep, LATER + timedelta(days=1))
        with pytest.raises(UnknownRequest):
            await waiting
