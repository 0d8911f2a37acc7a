"""The home: private from creation, repaired with a word, its files replaced whole."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Generator
from pathlib import Path

import pytest

from wisp_tui.config import Home, HomeError


@pytest.fixture(params=[0o022, 0o077, 0o000])
def _any_umask(request: pytest.FixtureRequest) -> Generator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_home_is_the_one_named_else_the_one_of_the_person(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/people/ada")
    assert Home.find({"WISP_HOME": "/elsewhere"}).root == Path("/elsewhere")
    assert Home.find({"WISP_HOME": "~/w"}).root == Path("/people/ada/w")
    assert Home.find({}).root == Path("/people/ada/.wisp")
    assert Home.find({"WISP_HOME": ""}).root == Path("/people/ada/.wisp")


def test_a_relative_home_is_made_absolute() -> None:
    assert Home.find({"WISP_HOME": "w"}).root == Path.cwd() / "w"


def test_a_tilde_of_nobody_is_an_error_in_words() -> None:
    with pytest.raises(HomeError, match="set WISP_HOME"):
        Home.find({"WISP_HOME": "~nobody-of-that-name/x"})


def test_finding_the_home_creates_nothing(tmp_path: Path) -> None:
    Home.find({"WISP_HOME": str(tmp_path / "home")})
    assert not (tmp_path / "home").exists()


@pytest.mark.usefixtures("_any_umask")
def test_everything_is_private_from_creation_whatever_the_umask(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    assert home.prepare() == ()
    home.write(home.config, b"{}")
    home.write(home.transcripts / "deep" / "x.json", b"{}")
    modes = {path: mode(path) for path in (home.root, *home.root.rglob("*"))}
    assert all(found == (0o700 if path.is_dir() else 0o600) for path, found in modes.items())


def test_a_home_that_others_can_read_is_repaired_and_each_repair_said(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.prepare()
    home.config.write_bytes(b"{}")
    home.config.chmod(0o644)
    home.root.chmod(0o755)
    home.logs.chmod(0o750)
    (home.logs / "audit.jsonl").touch(0o644)
    (home.logs / "audit.jsonl").chmod(0o644)
    repaired = home.prepare()
    assert [sentence.partition(" was ")[0] for sentence in repaired] == [
        str(home.root),
        str(home.logs),
        str(home.config),
        str(home.logs / "audit.jsonl"),
    ]
    assert repaired[0] == f"{home.root} was readable by others (0755); it is 0700 now"
    assert (mode(home.root), mode(home.logs), mode(home.config)) == (0o700, 0o700, 0o600)
    assert home.prepare() == ()


def test_a_home_that_its_owner_cannot_write_is_repaired_without_a_word(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.prepare()
    home.logs.chmod(0o500)
    assert home.prepare() == ()
    assert mode(home.logs) == 0o700


@pytest.mark.parametrize("name", ["home", "home/logs"])
def test_a_file_where_a_directory_should_be_is_an_error_in_words(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).touch()
    with pytest.raises(HomeError, match=r"home cannot be used: .*; set WISP_HOME to a directory you can write"):
        Home(tmp_path / "home").prepare()


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.write(home.config, b"old")
    home.write(home.config, b"new")
    assert home.config.read_bytes() == b"new"
    assert [path.name for path in tmp_path.iterdir()] == ["config.json"]


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_content_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    home = Home(tmp_path)
    home.write(home.config, b"old")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os if failing == "fsync" else Path, failing, full)
    with pytest.raises(OSError, match="No space"):
        home.write(home.config, b"new")
    assert home.config.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["config.json"]
