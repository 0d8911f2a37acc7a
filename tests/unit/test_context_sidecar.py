from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import cast

import pytest

from tests.fakes.talks import START, Called, Talk, Turned
from wisp_tui.context.composer import Composer
from wisp_tui.context.record import Cut, EntryKind, Origin, ThreadRecord
from wisp_tui.context.sidecar import CannotResume, Saved, resume, write_links, write_transcript
from wisp_tui.text.ids import EntryId, EventId, SessionId, TurnNumber
from wisp_tui.text.tokens import estimate_tokens

LONG = "\n".join(f"{number}\tline {number} of a file that is long enough" for number in range(1, 60))
File = dict[str, object]
Rows = list[File]


@pytest.fixture
def talk() -> Talk:
    """A conversation with a command, a cut, a reference and a dropped turn."""
    talk = Talk()
    talk.take(Turned("First."))
    talk.take(Turned("Second.", commands=("$ make\nok",), calls=((Called(output=LONG),),), copies=True))
    talk.take(Turned("Third.", calls=((Called("run_command", "{}", output="no", ok=False, status=2),),)))
    talk.record.drop([EntryId(2), EntryId(3)], by=EventId("00000000000000aa"), turn=TurnNumber(3))
    return talk


def files(talk: Talk) -> tuple[File, File]:
    links = write_links(talk.record, sessions=[SessionId("s1")], sha256="abc", more={"facts": {"c1": "x"}})
    return json.loads(write_transcript(talk.record)), json.loads(links)


def read(transcript: File, links: File | None) -> Saved:
    stored = json.dumps(links).encode() if links is not None else None
    return resume("x", json.dumps(transcript).encode(), stored)


def rows(file: File) -> Rows:
    return cast("Rows", file["entries"])


def test_the_transcript_holds_the_active_entries_and_the_links_all_of_them(talk: Talk) -> None:
    transcript, links = files(talk)
    assert [row["position"] for row in rows(links)] == list(range(1, len(talk.record) + 1))
    assert len(rows(transcript)) == len(talk.record.active) == len(talk.record) - 2
    assert [row["id"] for row in rows(transcript)] == [row["id"] for row in rows(links) if row["active"]]


def test_every_field_of_the_links_is_written_and_absent_when_unknown(talk: Talk) -> None:
    links = {row["position"]: row for row in rows(files(talk)[1])}
    dropped, command, output, reply, late = links[2], links[4], links[7], links[8], links[11]
    assert dropped == {
        "id": dropped["id"],
        "position": 2,
        "kind": "prompt",
        "origin": "turn",
        "turn": 1,
        "active": False,
        "sources": ["0000000000000002"],
        "droppedBy": "00000000000000aa",
        "droppedAt": 3,
        "time": "2026-10-09T14:05:14+02:00",
        "entry": {"kind": "prompt", "text": "First."},
    }
    assert set(command) == {"id", "position", "kind", "origin", "turn", "active", "sources", "time"}
    assert output["referencedAt"] == 3
    assert [set(cut) for cut in cast("Rows", reply["cuts"])] == [{"segment", "start", "end", "output", "tool", "words"}]
    assert "referencedAt" not in late


def test_a_resumed_record_says_what_happened_before_its_first_turn(talk: Talk) -> None:
    record = read(*files(talk)).record
    assert [entry.text for entry in record] == [entry.text for entry in talk.record]
    assert {entry.origin for entry in record} == {Origin.RESUMED}
    assert {entry.added for entry in record} == {0}
    dropped, output, reply = (record.state(EntryId(place)) for place in (2, 7, 8))
    assert (dropped.dropped_by, dropped.dropped_at, dropped.active) == ("00000000000000aa", 0, False)
    assert (output.referenced_at, output.active) == (0, True)
    assert reply.cuts == talk.record.state(EntryId(8)).cuts != ()
    assert record.entry(EntryId(10)).call == talk.record.entry(EntryId(10)).call
    assert record.entry(EntryId(11)).output == talk.record.entry(EntryId(11)).output
    assert record.entry(EntryId(2)).time == datetime.fromisoformat("2026-10-09T14:05:14+02:00")
    assert record.entry(EntryId(2)).sources == ("0000000000000002",)


def test_a_carried_entry_stays_carried() -> None:
    record = ThreadRecord()
    record.add(EntryKind.INSTRUCTIONS, "Be brief.", turn=TurnNumber(0), time=START, origin=Origin.CARRIED)
    record.add(EntryKind.PROMPT, "Hello.", turn=TurnNumber(1), time=None)
    saved = resume("x", write_transcript(record), write_links(record, sessions=[], sha256=None))
    assert [entry.origin for entry in saved.record] == [Origin.CARRIED, Origin.RESUMED]


def test_what_others_keep_in_the_links_comes_back(talk: Talk) -> None:
    saved = read(*files(talk))
    assert saved.more == {"facts": {"c1": "x"}}
    assert (saved.sessions, saved.sha256) == (("s1",), "abc")


def test_the_next_request_is_the_one_the_saving_session_would_have_sent(talk: Talk) -> None:
    plan = talk.plan(None)
    saved = read(*files(talk))
    assert (
        Composer(estimate_tokens).compose(saved.record, plan).sha256 == talk.composer.compose(talk.record, plan).sha256
    )


def test_a_cut_reply_of_a_resumed_record_is_sent_cut() -> None:
    record = ThreadRecord()
    reply = record.add(EntryKind.REPLY, "Here: all of it.", turn=TurnNumber(1), time=None)
    record.cut(reply.id, [Cut(6, 16, EntryId(9), "read_file", 24)])
    saved = resume("x", write_transcript(record), write_links(record, sessions=[], sha256=None))
    assert saved.record.state(reply.id).cuts == record.state(reply.id).cuts


def swapped(entries: Rows) -> None:
    entries[0], entries[1] = entries[1], entries[0]


BREAKS: list[Callable[[File, File], object]] = [
    lambda _, links: links.update(version=2),
    lambda _, links: links.pop("version"),
    lambda _, links: links.pop("entries"),
    lambda _, links: links.update(entries={}),
    lambda _, links: rows(links).pop(),
    lambda _, links: rows(links)[1].update(active=True),
    lambda _, links: rows(links)[1].pop("entry"),
    lambda _, links: rows(links)[3].pop("origin"),
    lambda _, links: rows(links)[3].update(turn="one"),
    lambda _, links: rows(links)[3].update(time="yesterday"),
    lambda transcript, _: transcript.pop("entries"),
    lambda transcript, _: rows(transcript).pop(),
    lambda transcript, _: rows(transcript)[0].update(id="1-000000000000"),
    lambda transcript, _: rows(transcript)[1].update(kind="reply"),
    lambda transcript, _: swapped(rows(transcript)),
    lambda transcript, _: rows(transcript).append(dict(rows(transcript)[0])),
]
"""Changes to a transcript and its links that make them no pair."""


@pytest.mark.parametrize("change", BREAKS)
def test_files_that_do_not_decode_or_do_not_match_cannot_be_resumed(
    talk: Talk, change: Callable[[File, File], object]
) -> None:
    transcript, links = files(talk)
    change(transcript, links)
    with pytest.raises(CannotResume):
        read(transcript, links)


@pytest.mark.parametrize("links", [None, b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe"])
def test_a_transcript_without_links_that_decode_cannot_be_resumed(talk: Talk, links: bytes | None) -> None:
    with pytest.raises(CannotResume) as caught:
        resume("x", write_transcript(talk.record), links)
    assert str(caught.value) == (
        "transcript 'x' was saved by an older wisp and cannot be resumed; start a new conversation"
    )


def test_another_conversations_transcript_does_not_match(talk: Talk) -> None:
    other = Talk()
    for prompt in ("First!", "Second!", "Third!"):
        other.take(Turned(prompt))
    with pytest.raises(CannotResume):
        read(files(other)[0], files(talk)[1])


def test_fields_of_a_later_version_are_kept_and_written_again(talk: Talk) -> None:
    transcript, links = files(talk)
    transcript["mood"] = "calm"
    links["budget"] = {"spent": 3}
    rows(links)[1]["pinned"] = True
    rows(transcript)[0]["voice"] = ["low"]
    cast("File", rows(links)[1]["entry"])["draft"] = "x"
    saved = read(transcript, links)
    again = json.loads(write_transcript(saved.record, saved.kept))
    stored = json.loads(write_links(saved.record, sessions=[], sha256=None, kept=saved.kept))
    assert again["mood"] == "calm"
    assert rows(again)[0]["voice"] == ["low"]
    assert stored["budget"] == {"spent": 3}
    assert rows(stored)[1]["pinned"] is True
    assert cast("File", rows(stored)[1]["entry"])["draft"] == "x"


def test_an_entry_of_an_unknown_kind_is_kept_told_as_text_and_written_again(talk: Talk) -> None:
    transcript, links = files(talk)
    place = len(rows(links)) - 1
    rows(links)[place]["kind"] = rows(transcript)[-1]["kind"] = "picture"
    saved = read(transcript, links)
    entry = saved.record.entry(EntryId(place + 1))
    assert entry.kind is EntryKind.UNKNOWN
    assert Composer(estimate_tokens).compose(saved.record, talk.plan(None)).parts[-2].text == entry.text
    again, stored = (
        write_transcript(saved.record, saved.kept),
        write_links(saved.record, sessions=[], sha256=None, kept=saved.kept),
    )
    assert rows(json.loads(again))[-1]["kind"] == "picture"
    assert rows(json.loads(stored))[-1]["kind"] == "picture"
    assert list(resume("x", again, stored).record) == list(saved.record)
