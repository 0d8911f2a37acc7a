"""What commands may reach, and whether a failure was the sandbox's doing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from wisp_tui.config.cache import cache_folder
from wisp_tui.config.settings import SandboxSettings
from wisp_tui.sandbox import Changes, Reach, Refusal, explain, reach_of


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name in (".cache", ".wisp", ".ssh", "harbour", "outside"):
        (tmp_path / name).mkdir()
    (tmp_path / ".bashrc").touch()
    return tmp_path


def made(home: Path, directory: Path, **settings: object) -> Reach:
    environment = {"HOME": str(home)}
    return reach_of(directory, SandboxSettings.model_validate(settings), home / ".wisp", environment)


def test_a_command_may_write_its_directory_and_the_caches_that_are_there(home: Path) -> None:
    at = made(home, home / "harbour")
    assert {home / "harbour", home / ".cache"} <= set(at.writable)
    assert home not in at.writable
    assert at.wide is None


def test_what_is_not_there_is_left_out(home: Path) -> None:
    at = made(home, home / "harbour", writablePaths=["/not/there"])
    assert all(path.exists() for path in (*at.writable, *at.protected, *at.hidden))


@pytest.mark.parametrize("above", [".", ".."])
def test_a_directory_that_holds_the_home_says_so_and_keeps_what_starts_programs(home: Path, above: str) -> None:
    at = made(home, home / above)
    assert at.wide is not None
    assert {home / ".wisp", home / ".ssh", home / ".bashrc"} <= set(at.protected)
    assert not at.may_write(home / ".ssh" / "authorized_keys")
    assert at.may_write(home / "harbour" / "x")


def test_paths_are_compared_part_by_part_and_with_their_links_followed(home: Path) -> None:
    (home / "harbour-evil").mkdir()
    (home / "harbour" / "out").symlink_to(home / "outside")
    at = Reach(writable=(home / "harbour",))
    assert at.may_write(home / "harbour" / "new" / "x")
    assert not at.may_write(home / "harbour-evil" / "x")
    assert not at.may_write(home / "harbour" / "out" / "x")
    assert not at.may_write(home / "harbour" / ".." / "outside" / "x")


def test_a_socket_that_the_settings_let_write_is_not_hidden(home: Path) -> None:
    runtime = home / "runtime"
    runtime.mkdir()
    environment = {"HOME": str(home), "XDG_RUNTIME_DIR": str(runtime)}
    hidden = reach_of(home / "harbour", SandboxSettings(), home / ".wisp", environment).hidden
    let = SandboxSettings(writable_paths=(str(runtime),))
    assert runtime in hidden
    assert runtime not in reach_of(home / "harbour", let, home / ".wisp", environment).hidden


def test_what_starts_programs_later_is_protected_from_what_was_not_let_change_it(home: Path) -> None:
    work = home / "harbour"
    for name in (".git/hooks", ".vscode"):
        (work / name).mkdir(parents=True)
    (work / ".git" / "config").touch()
    places = [work / ".git" / "hooks" / "pre-commit", work / ".vscode" / "tasks.json", work / ".git" / "config"]
    at = made(home, work)
    may = {changes: [at.keeping(changes).may_write(path) for path in places] for changes in Changes}
    assert may[Changes.FILES] == [False, False, False]
    assert may[Changes.GIT] == [False, False, True]
    assert may[Changes.ANYTHING] == [True, True, True]
    assert at.keeping(Changes.FILES).may_write(work / ".git" / "index")
    let = made(home, work, writablePaths=[".vscode"])
    assert let.keeping(Changes.FILES).may_write(work / ".vscode" / "tasks.json")


def test_the_sockets_that_variables_name_and_those_of_terminals_are_hidden(home: Path) -> None:
    for name in ("bus", "tmux", "docker.sock"):
        (home / name).touch()
    (home / ".screen").mkdir()
    environment = {
        "HOME": str(home),
        "DBUS_SESSION_BUS_ADDRESS": f"unix:path={home}/bus,guid=1",
        "TMUX": f"{home}/tmux,1,0",
        "DOCKER_HOST": f"unix://{home}/docker.sock",
        "KITTY_LISTEN_ON": "unix:@kitty",
    }
    hidden = reach_of(home / "harbour", SandboxSettings(), home / ".wisp", environment).hidden
    assert {home / name for name in ("bus", "tmux", "docker.sock", ".screen")} <= set(hidden)


@pytest.mark.parametrize(
    ("stderr", "kind"),
    [
        ("bash: line 1: {outside}/x: Read-only file system", Refusal.REFUSED),
        ("touch: cannot touch '{outside}/x': Read-only file system", Refusal.REFUSED),
        ("sh: ../outside/x: Operation not permitted", Refusal.REFUSED),
        ("error: could not write ../outside/x: Permission denied", Refusal.REFUSED),
        ("OSError: [Errno 30] Read-only file system: '{outside}/deep/x'", Refusal.REFUSED),
        ("sudo: effective uid is not 0, is /usr/bin/sudo on a nosuid file system?", Refusal.REFUSED),
        ("cat: {inside}/x: Permission denied", Refusal.NOT_THE_SANDBOX),
        ("touch: cannot touch 'x': Permission denied", Refusal.NOT_THE_SANDBOX),
        ("cp: cannot create regular file: Read-only file system", Refusal.GUESS),
        ("mount: permission denied", Refusal.GUESS),
    ],
)
def test_a_failure_is_explained_as_surely_as_its_words_allow(home: Path, stderr: str, kind: Refusal) -> None:
    directory = home / "harbour"
    text = stderr.format(outside=home / "outside", inside=directory)
    explained = explain(f"building\n{text}\nmake: *** [x] Error 1\n", 2, Reach((directory,)), directory)
    assert explained is not None
    assert explained.kind is kind


def test_what_could_not_be_written_without_the_sandbox_is_not_its_doing(home: Path) -> None:
    explained = explain("tee: /proc/version: Permission denied", 1, Reach((home,)), home)
    assert explained is not None
    assert explained.kind in {Refusal.NOT_THE_SANDBOX, Refusal.REFUSED}


@pytest.mark.parametrize("text", ["", "Error: no such file", "make: *** Error 1", "Permission is a word"])
def test_a_failure_that_points_to_nothing_is_not_explained(home: Path, text: str) -> None:
    assert explain(text, 1, Reach((home,)), home) is None


def test_a_success_is_not_explained(home: Path) -> None:
    assert explain(f"{home}/outside: Read-only file system", 0, Reach(()), home) is None


@pytest.mark.parametrize(
    "text", ["curl: (6) Could not resolve host: x", "ssh: Network is unreachable", "getaddrinfo failed"]
)
def test_a_failure_to_connect_without_network_is_a_guess(home: Path, text: str) -> None:
    without = explain(text, 6, Reach((), network=False), home)
    assert without is not None
    assert (without.kind, "sandbox.network" in without.text) == (Refusal.GUESS, True)
    assert explain(text, 6, Reach(()), home) is None


@pytest.mark.parametrize(
    "named",
    ["~nobody-of-this-name/x", "/loop/a/x", "/" + "x/" * 3000, "/" + "x" * 300, "/a\0b", "\ud800", "/a\nb", "//", "~"],
    ids=["nobody", "loop", "deep", "long", "nul", "surrogate", "lines", "slashes", "home"],
)
def test_no_path_that_a_command_prints_is_a_fault(home: Path, named: str) -> None:
    (home / "loop").mkdir()
    (home / "loop" / "a").symlink_to(home / "loop" / "a")
    named = named.replace("/loop", str(home / "loop"))
    for text in (f"cat: '{named}': Permission denied", f"{named}: Read-only file system"):
        explained = explain(text, 1, Reach((home,)), home / "harbour")
        assert explained is not None


@pytest.mark.skipif(os.getuid() == 0, reason="root may look everywhere")
def test_what_may_not_be_looked_at_is_no_fault(home: Path) -> None:
    (home / "outside").chmod(0)
    hidden = home / "outside" / "x"
    assert reach_of(
        home / "harbour", SandboxSettings(writable_paths=(str(hidden),)), home / ".wisp", {"HOME": str(home)}
    )
    explained = explain(f"cat: {hidden}: Permission denied", 1, Reach((home / "harbour",)), home / "harbour")
    assert explained is not None
    assert explained.kind is Refusal.NOT_THE_SANDBOX


def test_the_index_over_all_conversations_is_no_cache_that_commands_may_write(tmp_path: Path) -> None:
    folder = cache_folder()
    folder.mkdir(parents=True)
    environment = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(folder.parent)}
    reach = reach_of(tmp_path, SandboxSettings(), tmp_path / "home", environment)
    assert folder.parent in reach.writable
    assert folder in reach.protected
