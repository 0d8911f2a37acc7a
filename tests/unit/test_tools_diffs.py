"""The diff a person reads before they approve an edit: everything that changes is in it."""

from __future__ import annotations

import difflib

from hypothesis import given
from hypothesis import strategies as st

from wisp_tui.tools import diffs
from wisp_tui.tools.diffs import NO_NEWLINE, counted, unified

OLD = b"".join(b"line %d\n" % number for number in range(1, 21))
FEW = st.lists(st.sampled_from([b"a\n", b"b\n", b"}\n", b"\n"]), max_size=12).map(b"".join)


def test_a_change_is_shown_with_its_numbers_in_the_file_and_three_lines_around() -> None:
    new = OLD.replace(b"line 10\n", b"line ten\n")
    assert unified(OLD, new).split("\n") == [
        "@@ -7,7 +7,7 @@",
        " line 7",
        " line 8",
        " line 9",
        "-line 10",
        "+line ten",
        " line 11",
        " line 12",
        " line 13",
    ]
    assert counted(unified(OLD, new)) == (1, 1)


def patched(old: bytes, diff: str) -> bytes:
    """Apply a diff, which must fit where it says."""
    lines, made, at = old.decode().split("\n")[:-1], list[str](), 0
    for line in diff.split("\n") if diff else []:
        if line.startswith("@@"):
            first, size = (int(part) for part in f"{line.split()[1][1:]},1".split(",")[:2])
            start = first - 1 if size else first
            made += lines[at:start]
            at = start
        elif line.startswith("+"):
            made.append(line[1:])
        else:
            assert lines[at] == line[1:]
            made += [line[1:]] if line.startswith(" ") else []
            at += 1
    return "".join(f"{line}\n" for line in [*made, *lines[at:]]).encode()


@given(FEW, FEW)
def test_applying_it_gives_the_new_version(old: bytes, new: bytes) -> None:
    assert patched(old, unified(old, new)) == new


def test_it_agrees_with_the_library_on_a_whole_file() -> None:
    new = OLD.replace(b"line 3\n", b"").replace(b"line 17\n", b"line 17\nand more\n")
    whole = list(difflib.unified_diff(OLD.decode().splitlines(), new.decode().splitlines(), lineterm=""))[2:]
    assert unified(OLD, new).split("\n") == whole


def test_bytes_that_are_no_text_and_endings_that_differ_are_seen() -> None:
    assert unified(b"caf\xe9\n", b"caf\n") == "@@ -1 +1 @@\n-caf\\xe9\n+caf"
    assert unified(b"a\r\nb\r\n", b"a\r\nc\r\n") == "@@ -1,2 +1,2 @@\n a\n-b\n+c"
    assert unified(b"a\r\n", b"a\n") == "@@ -1 +1 @@\n-a\r\n+a"
    assert unified(b"a\n", b"a") == f"@@ -1 +1 @@\n-a\n+a\n{NO_NEWLINE}"


def test_two_long_versions_with_nothing_in_common_are_shown_without_comparing() -> None:
    old = b"".join(b"old %d\n" % number for number in range(2000))
    new = b"".join(b"new %d\n" % number for number in range(2000))
    assert diffs.COMPARED < 2000 * 2000
    assert counted(unified(old, new)) == (2000, 2000)
