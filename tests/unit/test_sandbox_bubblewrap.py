"""The Linux sandbox, run for real: what a command can read, write, reach and become inside it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from wisp_tui.config.settings import SandboxSettings
from wisp_tui.sandbox import Bubblewrap, NoSandbox, Reach, Refusal, explain, find_sandbox, reach_of
from wisp_tui.sandbox.choose import trial

SANDBOX = Bubblewrap()


def _fault() -> str | None:
    if sys.platform != "linux":
        return "bubblewrap is Linux's"
    return trial(SANDBOX, {"PATH": "/usr/bin:/bin"})


FAULT = _fault()
pytestmark = pytest.mark.skipif(FAULT is not None and not os.environ.get("CI"), reason=FAULT or "")
"""On a build machine the sandbox must work."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A home with a project and its caches, in a directory that stands for the rest of the machine."""
    for name in ("eve/harbour", "eve/.cache", "eve/.wisp", "eve/other", "temporary", "elsewhere", "added"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "elsewhere" / "file").write_text("there")
    (tmp_path / "eve" / ".wisp" / "approvals.json").write_text("{}")
    return tmp_path


def reach(place: Path, **settings: object) -> Reach:
    home = place / "eve"
    environment = {"HOME": str(home), "TMPDIR": str(place / "temporary")}
    made = reach_of(home / "harbour", SandboxSettings.model_validate(settings), home / ".wisp", environment)
    return replace(made, writable=tuple(path for path in made.writable if place in path.parents))


def run(place: Path, script: str, at: Reach | None = None, **more: str) -> subprocess.CompletedProcess[str]:
    directory = place / "eve" / "harbour"
    environment = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "HOME": str(place / "eve"), **more}
    wrapped = SANDBOX.wrap(("/bin/bash", "-c", script), directory, environment, at or reach(place))
    return subprocess.run(
        wrapped.argv, env=dict(wrapped.environment), capture_output=True, text=True, check=False, timeout=30
    )


@pytest.mark.parametrize("where", ["eve/harbour", "eve/.cache", "temporary"])
def test_a_command_writes_in_its_directory_the_cache_and_the_temporary_directory(place: Path, where: str) -> None:
    path = place / where / "new"
    assert run(place, f"echo hi > {path}").returncode == 0
    assert path.read_text() == "hi\n"


@pytest.mark.parametrize(
    "where", ["elsewhere/file", "elsewhere/new", "eve/new", "eve/other/new", "eve/.wisp/approvals.json"]
)
def test_a_command_writes_nowhere_else(place: Path, where: str) -> None:
    path = place / where
    before = path.read_text() if path.exists() else None
    ended = run(place, f"echo hi > {path}")
    assert ended.returncode != 0
    assert (path.read_text() if path.exists() else None) == before


def test_a_command_removes_and_renames_nothing_outside(place: Path) -> None:
    outside = place / "elsewhere"
    ended = run(place, f"rm -rf {outside}; mv {outside}/file x; ln -f {outside}/file y; chmod 777 {outside}/file")
    assert ended.returncode != 0
    assert (outside / "file").read_text() == "there"
    assert (outside / "file").stat().st_mode & 0o777 != 0o777


def test_no_directory_above_what_is_protected_is_moved_away(place: Path) -> None:
    work = place / "eve" / "harbour"
    home = work / "deep" / "down" / "home"
    home.mkdir(parents=True)
    made = reach_of(work, SandboxSettings(), home, {"HOME": str(place / "eve")})
    for above in ("deep", "deep/down", "deep/down/home"):
        assert run(place, f"mv {above} away", made).returncode != 0
    assert run(place, "echo hi > deep/down/beside", made).returncode == 0
    assert home.is_dir()


def test_a_link_out_of_the_directory_does_not_lead_out(place: Path) -> None:
    (place / "eve" / "harbour" / "out").symlink_to(place / "elsewhere")
    assert run(place, "echo hi > out/new").returncode != 0
    assert run(place, f"ln -s {place}/elsewhere made && echo hi > made/new").returncode != 0
    assert not (place / "elsewhere" / "new").exists()


def test_a_directory_reached_by_a_link_is_the_real_one(place: Path) -> None:
    (place / "link").symlink_to(place / "eve" / "harbour")
    made = reach_of(place / "link", SandboxSettings(), place / "eve" / ".wisp", {"HOME": str(place / "eve")})
    assert place / "eve" / "harbour" in made.writable
    wrapped = SANDBOX.wrap(("/bin/sh", "-c", "echo hi > new"), place / "link", {"PATH": "/bin"}, made)
    assert subprocess.run(wrapped.argv, env=dict(wrapped.environment), check=False, timeout=30).returncode == 0
    assert (place / "eve" / "harbour" / "new").exists()


def test_the_settings_add_where_a_command_may_write(place: Path) -> None:
    assert run(place, f"echo hi > {place}/added/new").returncode != 0
    assert (
        run(place, f"echo hi > {place}/added/new", reach(place, writablePaths=[str(place / "added")])).returncode == 0
    )
    assert reach(place, writablePaths=["~/other", "../other", "not-there"]).may_write(place / "eve" / "other" / "x")


def test_this_programs_own_home_is_never_written_even_where_it_is_inside(place: Path) -> None:
    own = place / "eve" / "harbour" / ".wisp"
    own.mkdir()
    made = reach_of(place / "eve" / "harbour", SandboxSettings(), own, {"HOME": str(place / "eve")})
    assert run(place, "echo hi > .wisp/approvals.json", made).returncode != 0
    assert not made.may_write(own / "approvals.json")
    assert run(place, "rm -rf .wisp; mv .wisp away", made).returncode != 0
    assert own.is_dir()


def test_a_command_reads_what_the_person_may(place: Path) -> None:
    assert run(place, f"cat {place}/elsewhere/file; ls / > /dev/null && cat /etc/hosts > /dev/null").stdout == "there"


def test_a_command_keeps_its_status_its_streams_and_its_environment(place: Path) -> None:
    ended = run(place, 'echo out; echo "$TIDE" >&2; exit 7', TIDE="high")
    assert (ended.returncode, ended.stdout, ended.stderr) == (7, "out\n", "high\n")


def test_devices_are_the_harmless_few(place: Path) -> None:
    assert run(place, "echo x > /dev/null && head -c 1 /dev/urandom | wc -c").stdout.strip() == "1"
    assert run(place, "ls /dev").stdout.split().count("sda") == 0


@pytest.mark.parametrize(
    "script",
    [
        "mount -o remount,rw /",
        "mount -o remount,bind,rw /",
        "umount -l /",
        "mount -t tmpfs none /etc",
        "unshare -rm mount -o remount,rw /",
        "nsenter -t 1 -m true",
        "chroot / true",
        "mknod disk b 8 0",
    ],
)
def test_no_command_undoes_the_walls(place: Path, script: str) -> None:
    outside = place / "elsewhere" / "new"
    assert run(place, script).returncode != 0
    run(place, f"{script}; echo hi > {outside}")
    assert not outside.exists()


def test_the_root_of_another_process_is_no_way_out(place: Path) -> None:
    outside = place / "elsewhere" / "new"
    assert run(place, f"echo hi > /proc/{os.getpid()}/root{outside}").returncode != 0
    assert run(place, f"echo hi > /proc/{os.getpid()}/cwd/../x-by-sandbox").returncode != 0
    assert not outside.exists()


def test_a_command_has_no_capabilities(place: Path) -> None:
    assert run(place, "grep CapEff /proc/self/status").stdout.split() == ["CapEff:", "0000000000000000"]


@contextmanager
def listening(address: str | tuple[str, int]) -> Generator[socket.socket]:
    """Take connections, and close each: at a path, or at an address of the loopback network."""
    family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
    with socket.socket(family) as server:
        server.bind(address)
        server.listen()

        def take() -> None:
            try:
                while True:
                    server.accept()[0].close()
            except OSError:
                return

        thread = threading.Thread(target=take)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()


def test_the_network_is_there_or_not_as_the_settings_say(place: Path) -> None:
    with listening(("127.0.0.1", 0)) as server:
        script = f"exec 3<>/dev/tcp/127.0.0.1/{server.getsockname()[1]}"
        assert run(place, script).returncode == 0
        assert run(place, script, reach(place, network=False)).returncode != 0


def test_the_tokens_that_let_clients_in_are_hidden(place: Path) -> None:
    tokens = place / "eve" / ".wisp" / "mcp"
    tokens.mkdir()
    (tokens / "9477.token").write_text("a secret")
    shown = run(place, f"cat {tokens}/* {tokens.parent}/approvals.json; rmdir {tokens}; mv {tokens} {place}/added")
    assert (shown.stdout, (tokens / "9477.token").read_text()) == ("{}", "a secret")


def test_the_sockets_of_other_programs_are_hidden(place: Path) -> None:
    path = place / "temporary" / "s"
    script = f"python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"{path}\")'"
    with listening(str(path)):
        at = reach(place)
        assert run(place, script, at).returncode == 0
        assert run(place, script, replace(at, hidden=(path,))).returncode != 0
        assert run(place, script, replace(at, hidden=(place / "temporary",))).returncode != 0


def test_what_leads_to_other_programs_is_not_in_the_environment(place: Path) -> None:
    assert run(place, "env", DISPLAY=":0", TMUX="x", DBUS_SESSION_BUS_ADDRESS="x").stdout.count("DISPLAY") == 0


def test_what_is_judged_to_read_writes_nothing_and_still_has_room_for_a_document(place: Path) -> None:
    """So that a line that was wrongly judged safe changes nothing."""
    targets = [place / where / "new" for where in ("eve/harbour", "eve/.cache", "temporary", "eve/.wisp")]
    script = "; ".join(f"echo hi > {target}" for target in targets)
    assert run(place, script, reach(place).reading).stderr.count("Read-only file system") == len(targets)
    assert not any(target.exists() for target in targets)
    text = "x" * 200_000
    ended = run(place, f"cat <<E\n$(yes | head -n 100000)\nE\nsort <<< b; echo {text[:9]} | sort", reach(place).reading)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.endswith("b\nxxxxxxxxx\n")


def test_what_a_command_leaves_running_stays_inside(place: Path) -> None:
    outside, directory = place / "elsewhere" / "new", place / "eve" / "harbour"
    for name in ("begin", "end"):
        os.mkfifo(directory / name)
    run(place, f"(cat begin; echo hi > {outside}; echo $? > end) > /dev/null 2>&1 &")
    (directory / "begin").write_text("go on")
    assert (directory / "end").read_text() == "1\n"
    assert not outside.exists()


def test_a_refused_write_is_explained(place: Path) -> None:
    at, directory = reach(place), place / "eve" / "harbour"
    outside = place / "elsewhere" / "new"
    ended = run(place, f"echo hi > {outside}")
    explained = explain(ended.stderr, ended.returncode, at, directory)
    assert explained is not None
    assert (explained.kind, explained.path) == (Refusal.REFUSED, outside)
    assert "sandbox.writablePaths" in explained.text


async def test_the_machines_sandbox_is_found_by_running_it() -> None:
    found = await find_sandbox(environment={"PATH": "/usr/bin:/bin"})
    assert (found.sandbox.name, found.sandbox.contains) == ("bubblewrap", True)


@pytest.mark.parametrize(
    ("program", "says"),
    [("not-there", "cannot be started"), ("false", "does not work here"), ("open", "does not work here")],
)
def test_a_sandbox_that_does_not_hold_is_none(tmp_path: Path, program: str, says: str) -> None:
    """``open`` runs the command without any walls."""
    opened = tmp_path / "open"
    opened.write_text('#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n')
    opened.chmod(0o755)
    path = {"not-there": tmp_path / "not-there", "false": Path("/bin/false"), "open": opened}[program]
    assert says in str(trial(Bubblewrap(str(path)), {"PATH": "/usr/bin:/bin"}))


async def test_a_sandbox_that_is_turned_off_or_unknown_is_none_and_says_why() -> None:
    off = await find_sandbox(enabled=False)
    unknown = await find_sandbox(platform="plan9")
    assert (off.sandbox, unknown.sandbox) == (NoSandbox(), NoSandbox())
    assert "sandbox.enabled" in off.why
    assert "plan9" in unknown.why
    assert NoSandbox().wrap(("ls",), Path("/"), {"A": "1"}, Reach(())).argv == ("ls",)
