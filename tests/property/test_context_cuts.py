from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from wisp_tui.context.cuts import LEAST_WORDS, apply_cuts, find_cuts, marker
from wisp_tui.context.record import Entry, EntryKind, Origin, OutputPart
from wisp_tui.context.runs import Runs
from wisp_tui.text.ids import CallId, EntryId, TurnNumber

WORDS = st.sampled_from(["harbour", "plan", "|", "a", "b", "```", "-", "|-|", "1\t", "漢字", "👍", "é"])
LINES = st.lists(WORDS, max_size=9).map(" ".join)
TEXTS = st.lists(LINES, max_size=14)
TOOLS = st.sampled_from(["read_file", "run_command"])


def output(lines: Sequence[str], tool: str, ident: int) -> Entry:
    part = OutputPart(CallId("3f9a2c1b"), tool, ok=True, lines=1, bytes=1, reads_only=True)
    return Entry(EntryId(ident), EntryKind.OUTPUT, Origin.TURN, TurnNumber(1), "\n".join(lines), None, output=part)


@st.composite
def replies(draw: st.DrawFn) -> tuple[str, list[Entry]]:
    """Draw outputs, and a reply put together from pieces of them and lines of its own."""
    outputs = [output(draw(TEXTS), draw(TOOLS), ident) for ident in range(7, 7 + draw(st.integers(1, 3)))]
    pieces: list[str] = []
    for _ in range(draw(st.integers(0, 6))):
        lines = draw(st.sampled_from(outputs)).text.split("\n")
        start = draw(st.integers(0, len(lines)))
        pieces += draw(st.one_of(st.just(lines[start : start + draw(st.integers(0, 9))]), TEXTS))
        pieces += draw(st.sampled_from([[], [""], ["```"], ["my own words"]]))
    return "\n".join(pieces), outputs


def words(text: str) -> list[str]:
    """The words of a text without any formatting: bars, line numbers, rows of dashes."""
    kept = [line for line in text.split("\n") if set(line) - set(" |-:\t")]
    bare = [
        line.split("\t", 1)[1] if line.split("\t", 1)[0].strip().isdecimal() and "\t" in line else line for line in kept
    ]
    return " ".join(bare).replace("|", " ").split()


@given(replies())
def test_what_stays_is_untouched_and_what_goes_is_in_the_output(drawn: tuple[str, list[Entry]]) -> None:
    reply, outputs = drawn
    cuts = find_cuts(reply, outputs)
    data = reply.encode()
    kept, at = b"", 0
    for cut in cuts:
        assert at <= cut.start < cut.end <= len(data)
        gone = data[cut.start : cut.end].decode()
        assert cut.words >= LEAST_WORDS
        source = next(entry for entry in outputs if entry.id == cut.output)
        if "|" not in gone:
            assert set(words(gone)) <= set(words(source.text)) | {"1"}
        kept += data[at : cut.start] + marker(cut).encode()
        at = cut.end
    sent = apply_cuts(reply, cuts)
    assert sent == (kept + data[at:]).decode()
    assert len(sent.encode()) <= len(data)


@given(replies())
def test_finding_cuts_again_gives_the_same(drawn: tuple[str, list[Entry]]) -> None:
    reply, outputs = drawn
    assert find_cuts(reply, outputs) == find_cuts(reply, outputs)


@given(
    st.lists(st.lists(st.sampled_from("abc"), max_size=5), max_size=8), st.lists(st.sampled_from("abcd"), max_size=40)
)
def test_a_run_is_found_exactly_where_a_search_finds_it(runs: list[list[str]], lines: list[str]) -> None:
    text = "".join(lines)
    assert Runs(runs).within(lines) == [bool(run) and "".join(run) in text for run in runs]


@given(st.lists(st.text(alphabet="abcdé \t", min_size=1, max_size=60).filter(str.strip), min_size=1, max_size=12))
def test_a_copy_of_enough_words_is_always_cut(lines: list[str]) -> None:
    text = "\n".join(lines)
    count = len(text.split())
    cuts = find_cuts(text, [output(lines, "run_command", 7)])
    long_enough = count >= LEAST_WORDS and len(text.encode()) > 60
    assert bool(cuts) or not long_enough
    assert not cuts or count >= LEAST_WORDS
