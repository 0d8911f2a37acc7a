"""Pulling any GGUF file of a hub: found, chosen, resumed, proven; whole under its name or not there."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import signal
import stat
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.fakes.hub import COMMIT, TOKEN, FakeHub, Stored, gguf
from wisp_tui import entry
from wisp_tui.config.home import Home
from wisp_tui.models.embedded import find_file
from wisp_tui.models.gguf import gguf_files
from wisp_tui.models.hub import HubFile, HubPlan, SeveralFiles, plan_of
from wisp_tui.models.hub_address import read_wish
from wisp_tui.models.hub_pull import pull_file
from wisp_tui.models.pull import Pulled, PullError, PullProgress, PullStep

DATA = gguf()
NAME = "Tiny-Q4_K_M.gguf"


class Usage(NamedTuple):
    """What a disk holds, in bytes."""

    total: int
    used: int
    free: int


def hub(data: bytes = DATA, /, **more: Stored) -> FakeHub:
    return FakeHub(**{NAME: Stored.proven(data)}, **more)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home that does not exist yet."""
    return Home(tmp_path / "home")


def listed(home: Home) -> list[str]:
    return sorted(path.name for path in home.models.iterdir()) if home.models.exists() else []


def quiet(_: PullProgress) -> None:
    """Take progress that nobody watches."""


async def planned(server: FakeHub, asked: str = "acme/tiny", token: str = "") -> HubPlan:
    return await plan_of(read_wish(asked, server.url), token)


async def pulled(server: FakeHub, home: Home, asked: str = "acme/tiny") -> Pulled:
    return await pull_file(await planned(server, asked), home, quiet)


async def fault(server: FakeHub, home: Home, asked: str = "acme/tiny") -> str:
    with pytest.raises(PullError) as caught:
        await pulled(server, home, asked)
    return str(caught.value)


async def test_the_only_file_is_pulled_whole_private_and_used_by_its_name(home: Home) -> None:
    told: list[PullProgress] = []
    async with hub() as server:
        plan = await planned(server)
        assert (plan.licence, plan.size, plan.sha256) == ("apache-2.0", len(DATA), hashlib.sha256(DATA).hexdigest())
        found = await pull_file(plan, home, told.append)
        assert found == Pulled(home.models / NAME)
        assert server.asked[1].path == f"/acme/tiny/resolve/{COMMIT}/{NAME}", "of the commit the sizes were told of"
        assert (await pulled(server, home)).was_there
        assert len(server.fetched) == 1
    assert found.path.read_bytes() == DATA
    assert stat.S_IMODE(found.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.models.stat().st_mode) == 0o700
    assert listed(home) == [NAME]
    assert [file.name for file in gguf_files(home)] == ["Tiny-Q4_K_M"]
    assert find_file(home, "tiny-q4_k_m") == found.path
    assert told[-1] == PullProgress(PullStep.CHECKING, len(DATA), len(DATA))
    fetched = [step.done for step in told if step.step is PullStep.FETCHING]
    assert fetched == sorted(fetched)
    assert fetched[-1] == len(DATA)


@pytest.mark.parametrize(
    "asked",
    [
        "acme/tiny:sub/Tiny-Q8_0.gguf",
        "acme/tiny:Tiny-Q8_0.gguf",
        "acme/tiny:tiny-q8_0",
        "acme/tiny:Q8_0",
        "URL/acme/tiny:Q8_0",
        "URL/acme/tiny/resolve/main/sub/Tiny-Q8_0.gguf?download=true",
        "URL/acme/tiny/blob/main/sub/Tiny-Q8_0.gguf",
    ],
)
async def test_one_of_several_is_named_by_its_path_its_name_its_end_or_its_address(home: Home, asked: str) -> None:
    async with hub(**{"sub/Tiny-Q8_0__gguf": Stored.proven(gguf(9_000))}) as server:
        assert (await pulled(server, home, asked.replace("URL", server.url))).path.name == "Tiny-Q8_0.gguf"


async def test_several_files_are_listed_the_smallest_first_and_parts_are_none(home: Home) -> None:
    parts = {f"Big-0000{number}-of-00002__gguf": Stored.proven(gguf(50)) for number in (1, 2)}
    more = {"Tiny-Q8_0__gguf": Stored.proven(gguf(9_000)), "mmproj-Tiny__gguf": Stored.proven(gguf(60)), **parts}
    async with hub(**more) as server:
        with pytest.raises(SeveralFiles) as several:
            await planned(server)
        names = [several.value.asked(file) for file in several.value.files]
        assert names == ["acme/tiny:Tiny-Q8_0.gguf", "acme/tiny:Tiny-Q4_K_M.gguf"]
        with pytest.raises(SeveralFiles) as several:
            await planned(server, f"{server.url}/acme/tiny/tree/main")
        assert several.value.asked(several.value.files[0]) == f"{server.url}/acme/tiny/resolve/main/Tiny-Q8_0.gguf"
        assert "one of 2 parts" in await fault(server, home, "acme/tiny:Big-00001-of-00002")
        assert "has no GGUF file 'Q2_K'" in await fault(server, home, "acme/tiny:Q2_K")


async def test_a_download_that_breaks_or_is_left_is_gone_on_with(home: Home) -> None:
    async with hub() as server:
        server.stop_at = 100_000
        assert "pull again to go on from there" in await fault(server, home)
        (part,) = [path for path in home.models.iterdir() if path.suffix == ".part"]
        assert stat.S_IMODE(part.stat().st_mode) == 0o600
        size = part.stat().st_size
        server.stop_at, server.hangs = size + 50_000, True
        left = asyncio.create_task(pulled(server, home))
        await server.silent.wait()
        left.cancel()
        with pytest.raises(asyncio.CancelledError):
            await left
        assert server.fetched[1].headers["range"] == f"bytes={size}-"
        assert server.fetched[1].headers["if-range"] == '"one"'
        assert gguf_files(home) == ()
        assert (await pulled(server, home)).path.read_bytes() == DATA
    assert listed(home) == [NAME]


@pytest.mark.parametrize(("etag", "ranges"), [('"two"', True), ('"one"', False), ('W/"one"', True)])
async def test_a_server_with_another_version_or_no_ranges_is_asked_for_all_of_it(
    home: Home, etag: str, *, ranges: bool
) -> None:
    async with hub() as server:
        server.stop_at = 100_000
        await fault(server, home)
        server.etag, server.ranges = etag, ranges
        assert (await pulled(server, home)).path.read_bytes() == DATA


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (DATA[:-1] + b"x", "its SHA-256 is not the one the hub announced"),
        (b"<html>" + DATA[6:], "it is no GGUF file"),
        (DATA + b"x", "larger than"),
    ],
)
async def test_what_is_not_the_file_never_gets_its_name_and_is_not_kept(home: Home, data: bytes, words: str) -> None:
    async with hub() as server:
        plan = await planned(server)
        server.files[NAME].data = data
        with pytest.raises(PullError, match=words):
            await pull_file(plan, home, quiet)
        assert gguf_files(home) == ()
        assert all(path.stat().st_size < 100 for path in home.models.iterdir())


async def test_a_file_without_a_checksum_is_held_to_its_size_and_kind(home: Home) -> None:
    async with FakeHub(**{NAME: Stored(DATA)}) as server:
        assert (await planned(server)).sha256 == ""
        assert (await pulled(server, home)).path.read_bytes() == DATA
        assert (await pulled(server, home)).was_there
        plan = await plan_of(read_wish(f"{server.store_url}/cdn/{NAME}", server.url))
        assert (plan.size, plan.sha256, plan.name) == (len(DATA), "", "Tiny-Q4_K_M")
        assert (await pull_file(plan, Home(home.root / "other"), quiet)).path.read_bytes() == DATA


async def test_another_file_of_the_name_is_left_alone(home: Home) -> None:
    home.models.mkdir(parents=True)
    (home.models / NAME).write_bytes(b"GGUF mine")
    async with hub() as server:
        assert "is another file" in await fault(server, home)
    assert (home.models / NAME).read_bytes() == b"GGUF mine"
    (home.models / NAME).unlink()
    (home.models / NAME).symlink_to("/nowhere/at/all")
    async with hub() as server:
        assert "is another file" in await fault(server, home)


@pytest.mark.parametrize(
    "path", ["../../x.gguf", "a/../x.gguf", "-x.gguf", ".x.gguf", "a\nb.gguf", "a\\b.gguf", ".gguf"]
)
async def test_a_name_that_is_none_is_refused(home: Home, path: str) -> None:
    async with FakeHub() as server:
        server.files[path] = Stored.proven(DATA)
        assert "is no name that wisp stores a file under" in await fault(server, home)
        assert server.fetched == []
    with pytest.raises(PullError):
        assert HubFile(path, 1).name
    assert listed(home) == []


@pytest.mark.parametrize(
    ("begin", "status", "words"),
    [
        ("/api", 401, "is not given to everyone"),
        ("/api", 403, "put your token into HF_TOKEN"),
        ("/api", 404, "acme/tiny at http://127.0.0.1:PORT is not there"),
        ("/api", 429, "too many requests"),
        ("/api", 503, "the hub fails (status 503); pull again later"),
        ("/acme", 404, "is not there"),
        ("/acme", 403, "is not given to everyone"),
        ("/acme", 500, "the hub fails (status 500)"),
    ],
)
async def test_what_a_hub_refuses_is_said(home: Home, begin: str, status: int, words: str) -> None:
    async with hub() as server:
        server.fails[begin] = status
        said = await fault(server, home)
        assert words.replace("PORT", server.url.rpartition(":")[2]) in said
    assert gguf_files(home) == ()


async def test_a_hub_that_is_none_or_away_is_said(home: Home) -> None:
    async with hub() as server:
        for answer in (b"<html>", b"[]", b'{"siblings": 7}', b'{"siblings": [7, {"rfilename": "a.gguf"}]}'):
            server.answer = answer
            assert "no hub of models" in (said := await fault(server, home)) or "has no GGUF file" in said
        server.loops = True
        assert "it redirects without end" in await fault(server, home)
    assert "cannot be reached (ConnectError)" in await fault(server, home)


async def test_a_token_is_sent_to_the_hub_and_not_to_where_its_files_are(home: Home) -> None:
    async with hub() as server:
        server.gated = True
        with pytest.raises(PullError, match="is not given to everyone"):
            await pull_file(await planned(server), home, quiet)
        plan = await planned(server, token=TOKEN)
        assert TOKEN not in repr(plan)
        await pull_file(plan, home, quiet)
        assert all("authorization" not in request.headers for request in server.fetched)


@pytest.mark.parametrize(
    "asked",
    [
        *("/x", "a/", "a/b/c", "../..", "a/..", "a b/c", "ftp://x/a/b", "file:///etc/passwd", "http:///a/b"),
        *("http://x", "http://x/a", "http://x/a/b/c", "http://x:99999/a/b", "http://x/a/..%2f..", "http://[x/a/b"),
        "a/b\x1b[2J",
    ],
)
def test_what_names_no_model_is_refused(asked: str) -> None:
    with pytest.raises(PullError) as caught:
        read_wish(asked, "http://hub.example")
    assert "\x1b" not in str(caught.value)


async def test_without_a_hub_it_is_said_how_one_is_named() -> None:
    with pytest.raises(PullError, match=r"give the whole address .* or set models\.hub, or HF_ENDPOINT"):
        read_wish("acme/tiny", "")


async def test_a_disk_without_room_is_said_before_anything_is_fetched(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def usage(path: Path) -> Usage:
        assert path == home.models
        return Usage(1 << 30, (1 << 30) - 1000, 1000)

    monkeypatch.setattr(shutil, "disk_usage", usage)
    async with hub() as server:
        assert "1,000 bytes are free" in await fault(server, home)
        assert server.fetched == []


@contextmanager
def served(server: FakeHub) -> Generator[FakeHub]:
    """Run a hub in a thread of its own: the command takes signals, which only the main one does."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result()
        yield server
        asyncio.run_coroutine_threadsafe(server.__aexit__(None, None, None), loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def test_the_command_asks_lists_pulls_and_says_what_was_proven(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], wisp_home: Path
) -> None:
    def wisp(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["wisp", "models", "pull", *arguments])
        code = entry.wisp()
        out, err = capsys.readouterr()
        return code, out, err

    with served(hub(**{"Tiny-Q8_0__gguf": Stored(gguf(9_000))})) as server:
        code, _, err = wisp("acme/tiny")
        assert (code, "give the whole address" in err) == (1, True)
        monkeypatch.setenv("HF_ENDPOINT", f"{server.url}/")
        code, out, err = wisp("acme/tiny", "--yes")
        assert (code, "name one of them" in err) == (64, True)
        assert out.splitlines() == ["acme/tiny:Tiny-Q8_0.gguf\t8.8 KiB", "acme/tiny:Tiny-Q4_K_M.gguf\t195 KiB"]
        code, _, err = wisp("acme/tiny:Q8_0")
        assert (code, "licence   apache-2.0" in err, "checksum  none is announced" in err) == (64, True, True)
        assert not wisp_home.exists()
        code, out, _ = wisp("acme/tiny:Q8_0", "--yes")
        assert (code, "no checksum was announced" in out) == (0, True)
        code, out, err = wisp("acme/tiny:Q4_K_M", "--yes")
        assert (code, "its checksum is right" in out, "embedded:Tiny-Q4_K_M" in out) == (0, True, True)
        assert err.splitlines()[0] == f"asking {server.url}"
        (wisp_home / "models" / NAME).unlink()
        server.stop_at = 100_000
        code, _, err = wisp("acme/tiny:Q4_K_M", "--yes")
        assert (code, "the download stopped at" in err) == (1, True)
        server.stop_at, server.hangs = 150_000, True
        server.when_silent = lambda: os.kill(os.getpid(), signal.SIGINT)
        code, _, err = wisp("acme/tiny:Q4_K_M", "--yes")
        assert (code, "`wisp models pull acme/tiny:Q4_K_M` goes on from there" in err) == (130, True)
