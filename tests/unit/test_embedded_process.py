"""How the embedded runtime's child is started and ended, with a stand-in for the library it loads."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import psutil
import pytest

from wisp_tui.config.home import Home
from wisp_tui.config.settings import Settings
from wisp_tui.models.base import ModelUnavailable
from wisp_tui.models.embedded import EmbeddedModel
from wisp_tui.models.embedded_process import Launch, start_child
from wisp_tui.text.ids import ModelId

PARAMETERS = """
class CommonParams:
    class model: path = ""
    class cpuparams: n_threads = 0
    class cpuparams_batch: n_threads = 0
    class sampling: penalty_repeat = 1.0
"""
DEAF = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"


class Library:
    """A stand-in for ``xllamacpp``: a module with its name, found first on the child's path."""

    def __init__(self, folder: Path, server: str) -> None:
        """``server`` is the body of what starts the server."""
        self.folder = folder
        self.pipe = folder / "started"
        folder.mkdir()
        os.mkfifo(self.pipe)
        told = f"    open({str(self.pipe)!r}, 'w').write(' '.join(map(str, vars(parameters).items())))\n"
        body = "".join(f"    {line}\n" for line in server.splitlines())
        (folder / "xllamacpp.py").write_text(f"{PARAMETERS}\ndef Server(parameters):\n{told}{body}")

    @property
    def environment(self) -> dict[str, str]:
        """The environment in which a child loads it."""
        return {"PYTHONPATH": str(self.folder)}

    async def started(self) -> str:
        """Wait until the child starts its server; answer the parameters it set."""
        said = os.open(self.pipe, os.O_RDWR | os.O_NONBLOCK)  # both ends: a child that died before is not waited for
        loop, ready = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(said, ready.set)
        try:
            async with asyncio.timeout(20):
                await ready.wait()
            return os.read(said, 4096).decode()
        finally:
            loop.remove_reader(said)
            os.close(said)


HANGS = f"{DEAF}while True: signal.pause()"
SERVES = f"{DEAF}return type('Server', (), {{'listening_address': 'http://127.0.0.1:9'}})()"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with a model's file in it."""
    made = Home(tmp_path / "home")
    made.prepare()
    (made.models / "mine.gguf").write_bytes(b"GGUF")
    return made


def launch(home: Home) -> Launch:
    return Launch(home.models / "mine.gguf", 1024, 1)


def running() -> list[psutil.Process]:
    """Answer the children of the embedded runtime that still run."""
    return [child for child in psutil.Process().children() if any("embedded_child" in word for word in child.cmdline())]


async def test_the_server_is_set_up_for_one_conversation_and_nobody_else(home: Home, tmp_path: Path) -> None:
    library = Library(tmp_path / "library", SERVES)
    starting = asyncio.create_task(start_child(launch(home), library.environment))
    parameters = await library.started()
    child = await starting
    await child.end()
    assert f"('api_keys', ['{child.key}'])" in parameters
    assert len(child.key) > 40
    for name, value in (
        ("n_parallel", 1),
        ("n_ctx", 1024),
        ("ctx_shift", False),
        ("cache_ram_mib", 256),
        ("n_cache_reuse", 64),
        ("n_batch", 256),
        ("hostnames", ["127.0.0.1"]),
        ("endpoint_slots", False),
    ):
        assert f"({name!r}, {value!r})" in parameters
    assert "('cors_origins', '*')" not in parameters


async def test_a_child_has_its_own_session_and_its_key_among_no_arguments(home: Home, tmp_path: Path) -> None:
    library = Library(tmp_path / "library", SERVES)
    starting = asyncio.create_task(start_child(launch(home), library.environment))
    await library.started()
    child = await starting
    try:
        assert os.getsid(child.pid) == child.pid
        assert child.key not in " ".join(psutil.Process(child.pid).cmdline())
    finally:
        await child.end()


async def test_a_child_that_ignores_everything_is_ended_within_two_seconds(home: Home, tmp_path: Path) -> None:
    library = Library(tmp_path / "library", f"{SERVES.replace('return', 'x =')}\nprint(x, flush=True)\nreturn x")
    starting = asyncio.create_task(start_child(launch(home), library.environment))
    await library.started()
    child = await starting
    os.kill(child.pid, 19)  # stopped, it sees neither its input end nor TERM
    async with asyncio.timeout(2):
        await child.end()
    assert running() == []


async def test_a_child_that_is_never_ready_is_given_up_and_ended(home: Home, tmp_path: Path) -> None:
    library = Library(tmp_path / "library", HANGS)
    started = asyncio.create_task(library.started())
    with pytest.raises(ModelUnavailable, match=r"was not ready after 1\.5 s"):
        await start_child(launch(home), library.environment, 1.5)
    await started
    assert running() == []


async def test_closing_a_model_that_is_starting_ends_it_and_tells_who_waits(home: Home, tmp_path: Path) -> None:
    library = Library(tmp_path / "library", HANGS)
    model = EmbeddedModel(ModelId("embedded:mine"), home, Settings(), library.environment)
    waiting = [asyncio.create_task(model.resolve()) for _ in range(2)]
    await library.started()
    async with asyncio.timeout(2):
        await model.close()
    for task in waiting:
        with pytest.raises(ModelUnavailable, match="was ended while it started"):
            await task
    assert running() == []


async def test_leaving_a_start_does_not_end_it_for_others_and_closing_does(home: Home, tmp_path: Path) -> None:
    library = Library(tmp_path / "library", HANGS)
    model = EmbeddedModel(ModelId("embedded:mine"), home, Settings(), library.environment)
    waiting = asyncio.create_task(model.resolve())
    await library.started()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert len(running()) == 1
    await model.close()
    assert running() == []


async def test_a_start_that_failed_is_tried_again_by_the_next_request(home: Home, tmp_path: Path) -> None:
    library = Library(tmp_path / "library", "raise RuntimeError('no')")
    model = EmbeddedModel(ModelId("embedded:mine"), home, Settings(), library.environment)
    for _ in range(2):
        started = asyncio.create_task(library.started())
        with pytest.raises(ModelUnavailable, match=r"cannot be loaded \(no\)"):
            await model.resolve()
        await started
    await model.close()


@pytest.mark.parametrize(("environment", "threads", "used"), [({"CI": "1"}, None, 1), ({"CI": "1"}, 3, 3), ({}, 2, 2)])
async def test_a_build_machine_uses_one_thread_unless_told(
    home: Home, tmp_path: Path, environment: dict[str, str], threads: int | None, used: int
) -> None:
    library = Library(tmp_path / "library", "raise RuntimeError(str(parameters.cpuparams.n_threads))")
    settings = Settings.model_validate({"embedded": {"threads": threads}})
    model = EmbeddedModel(ModelId("embedded:mine"), home, settings, {**environment, **library.environment})
    started = asyncio.create_task(library.started())
    with pytest.raises(ModelUnavailable, match=rf"cannot be loaded \({used}\)"):
        await model.resolve()
    await started
