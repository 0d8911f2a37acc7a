"""Saving what the pager shows, and the program that shows it instead."""

from __future__ import annotations

import asyncio
import os
import stat
from pathlib import Path

import pytest

from tests.fakes.pager import BytesSource
from wisp_tui.app.pager.outside import DEFAULT, NoPager, pager_command, show
from wisp_tui.app.pager.saving import WouldReplace, path_of, save
from wisp_tui.app.pager.source import PAGE, FileSource, TextSource

DATA = os.urandom(PAGE * 2 + 99)


def test_all_bytes_are_saved_as_they_are_for_the_owner_alone(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        assert save(BytesSource(DATA), tmp_path / "saved") == len(DATA)
    finally:
        os.umask(old)
    assert (tmp_path / "saved").read_bytes() == DATA
    assert stat.S_IMODE((tmp_path / "saved").stat().st_mode) == 0o600


def test_a_file_that_is_there_is_not_replaced_unasked(tmp_path: Path) -> None:
    target = tmp_path / "saved"
    target.write_bytes(b"precious")
    with pytest.raises(WouldReplace, match="saved"):
        save(BytesSource(DATA), target)
    assert target.read_bytes() == b"precious"
    save(BytesSource(DATA), target, replace=True)
    assert target.read_bytes() == DATA
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [target]


def test_a_link_is_not_followed_and_replacing_it_leaves_what_it_names(tmp_path: Path) -> None:
    (tmp_path / "outside").write_bytes(b"precious")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "outside")
    with pytest.raises(WouldReplace):
        save(BytesSource(DATA), link)
    save(BytesSource(DATA), link, replace=True)
    assert (tmp_path / "outside").read_bytes() == b"precious"
    assert link.read_bytes() == DATA


def test_what_cannot_be_read_whole_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "output"
    path.write_bytes(DATA)
    source = FileSource(path)
    os.truncate(path, 5)
    with pytest.raises(OSError, match="shorter"):
        save(source, tmp_path / "saved")
    (tmp_path / "kept").write_bytes(b"precious")
    with pytest.raises(OSError, match="shorter"):
        save(source, tmp_path / "kept", replace=True)
    assert sorted(found.name for found in tmp_path.iterdir()) == ["kept", "output"]
    assert (tmp_path / "kept").read_bytes() == b"precious"


def test_a_file_that_is_closed_meanwhile_is_not_saved_in_part(tmp_path: Path) -> None:
    (tmp_path / "output").write_bytes(DATA)
    source = FileSource(tmp_path / "output")
    source.close()
    with pytest.raises(OSError, match="closed"):
        save(source, tmp_path / "saved")
    assert not (tmp_path / "saved").exists()


def test_a_path_is_read_as_a_person_writes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    assert path_of(" out.txt ", tmp_path) == tmp_path / "out.txt"
    assert path_of("~/a b.txt", tmp_path) == tmp_path / "me" / "a b.txt"
    assert path_of("/x/y", tmp_path) == Path("/x/y")
    for text in ("", "  ", ".", "new/", str(tmp_path), "~nobody-of-that-name/x"):
        with pytest.raises(ValueError, match=r"\w"):
            path_of(text, tmp_path)


def test_the_pager_is_read_as_words_and_never_by_a_shell(tmp_path: Path) -> None:
    program = tmp_path / "my pager"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert pager_command({"PAGER": f"'{program}' -x '$(touch y); z'"}) == (str(program), "-x", "$(touch y); z")


def test_without_one_it_is_less(tmp_path: Path) -> None:
    (tmp_path / "less").write_text("#!/bin/sh\n")
    (tmp_path / "less").chmod(0o755)
    for environment in ({}, {"PAGER": " "}):
        assert pager_command({**environment, "PATH": str(tmp_path)}) == DEFAULT == ("less", "-R")


def test_a_pager_that_is_not_there_is_named(tmp_path: Path) -> None:
    for wanted in ("no-such-pager -R", "", "'unended"):
        with pytest.raises(NoPager, match=r"no-such-pager|less|PAGER"):
            pager_command({"PAGER": wanted, "PATH": str(tmp_path)})


async def test_a_file_is_shown_by_its_name_and_a_text_on_standard_input(tmp_path: Path) -> None:
    program = tmp_path / "pager"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$LESS" "$@" > "$OUT"; [ $# -gt 1 ] || cat >> "$OUT"; exit 3\n')
    program.chmod(0o755)
    out = tmp_path / "out"
    environment = {"PATH": "/usr/bin:/bin", "OUT": str(out)}
    (tmp_path / "output").write_bytes(b"bytes")
    async with asyncio.timeout(20):
        assert await show((str(program), "-x"), FileSource(tmp_path / "output"), environment) == 3
        assert out.read_text() == f"-R\n-x\n{tmp_path / 'output'}\n"
        assert await show((str(program),), TextSource("naïve"), {**environment, "LESS": "-X"}) == 3
        assert out.read_text() == "-X\nnaïve"
