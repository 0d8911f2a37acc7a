"""Models in GGUF files, run by llama.cpp in a child process of ours (spec: runtimes)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path

from wisp_tui.config.home import Home
from wisp_tui.config.settings import Settings
from wisp_tui.models.base import Chunk, ModelError, ModelUnavailable, Request, Resolved
from wisp_tui.models.chat_completions import ChatCompletionsModel
from wisp_tui.models.chat_servers import Server, ServerKind
from wisp_tui.models.embedded_process import Child, Launch, start_child
from wisp_tui.models.gguf import gguf_files, trained_window
from wisp_tui.models.pullable import PULLABLE
from wisp_tui.text.ids import ModelId

_REMARK = (
    "{name} is very small: it runs anywhere, but it chats poorly, makes things up and uses tools badly. Better: any "
    "model of Ollama (`ollama pull granite4.1:8b`), Apple's on-device model, or a larger GGUF file put in {models}"
)
_END_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class _Running:
    child: Child
    model: ChatCompletionsModel


class EmbeddedModel:
    """A GGUF file of the home, served by a child process. Implements ``Model``.

    The child is started by the first ``resolve`` or request, and again by the next request after it ended.
    """

    def __init__(
        self,
        id: ModelId,
        home: Home,
        settings: Settings,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        """Make it without I/O. ``environment`` is the child's, and says whether this is a build machine (``CI``)."""
        self._id = id
        self._name = id.partition(":")[2]
        self._home = home
        self._settings = settings.embedded
        self._environment = environment
        self._running: asyncio.Task[_Running] | None = None
        self._resolved: Resolved | None = None

    @property
    def id(self) -> ModelId:
        """The model's full name."""
        return self._id

    async def resolve(self) -> Resolved:
        """Start the runtime and ask it for its window and what it can do. Raises ModelUnavailable."""
        if self._resolved is None:
            running = await self._serving()
            try:
                answer = await running.model.resolve()
            except ModelUnavailable as error:
                raise await self._explained(error, running) from error
            file = await asyncio.to_thread(find_file, self._home, self._name)
            trained = await asyncio.to_thread(trained_window, file)
            source = _source(answer.window, self._settings.context_length, trained)
            self._resolved = replace(answer, window_source=source, remark=_remark(self._home, file))
        return self._resolved

    async def stream(self, request: Request) -> AsyncGenerator[Chunk]:
        """Run a request; see ``Model.stream``. Raises ModelError when the child ended while it worked."""
        running = await self._serving()
        try:
            async with aclosing(running.model.stream(request)) as chunks:
                async for chunk in chunks:
                    yield chunk
        except ModelUnavailable as error:
            raise await self._explained(error, running) from error

    async def count(self, request: Request) -> int | None:
        """Count a request's tokens exactly."""
        running = await self._serving()
        try:
            return await running.model.count(request)
        except ModelUnavailable as error:
            raise await self._explained(error, running) from error

    async def close(self) -> None:
        """End the child, within two seconds, also one that is still starting."""
        running, self._running = self._running, None
        if running is None:
            return
        running.cancel()
        (ended,) = await asyncio.gather(running, return_exceptions=True)
        if isinstance(ended, _Running):
            await ended.model.close()
            await ended.child.end()

    async def _serving(self) -> _Running:
        """Answer the running child, started where there is none; all who wait for it wait for the same one."""
        if self._running is not None and self._running.done() and await _is_over(self._running):
            await self.close()
        starting = self._running = self._running or asyncio.create_task(self._start())
        await asyncio.wait((starting,))
        if starting.cancelled():
            raise ModelUnavailable("the embedded runtime was ended while it started", "ask again to start it")
        return starting.result()

    async def _start(self) -> _Running:
        file = await asyncio.to_thread(find_file, self._home, self._name)
        launch = Launch(file, self._settings.context_length, self._threads())
        child = await start_child(launch, self._environment)
        server = Server(ServerKind.LLAMACPP, f"{child.address}/v1", child.key, "the embedded runtime")
        return _Running(child, ChatCompletionsModel(self._id, server, self._name))

    async def _explained(self, error: ModelUnavailable, running: _Running) -> ModelError:
        """Say that the child ended, where that is why the request failed."""
        ending = await running.child.ended(_END_SECONDS)
        if ending is None:
            return error
        return ModelError(f"the embedded runtime ended while it worked ({ending}); the next request starts it again")

    def _threads(self) -> int:
        """Take the threads of the settings, else one on a build machine, else the machine's cores less one."""
        return self._settings.threads or (1 if self._environment.get("CI") else max((os.cpu_count() or 2) - 1, 1))


async def _is_over(started: asyncio.Task[_Running]) -> bool:
    """Whether a start failed, or the child it started has ended since."""
    return started.exception() is not None or await started.result().child.ended(0) is not None


def find_file(home: Home, name: str) -> Path:
    """Find the GGUF file a name after ``embedded:`` stands for, in any case, with or without its ending.

    Raises ModelUnavailable when the home has none, with what to do.
    """
    plan = PULLABLE.get(name.casefold())
    wanted = (plan.file if plan else name).casefold().removesuffix(".gguf")
    files = gguf_files(home)
    found = [file.path for file in files if file.name.casefold() == wanted]
    if found:
        exact = [path for path in found if path.stem == name.removesuffix(".gguf")]
        return (exact or found)[0]
    if plan is not None:
        raise ModelUnavailable(f"the model {name} is not here yet", f"`wisp models pull {plan.name}` fetches it")
    here = ", ".join(file.name for file in files[:8])
    raise ModelUnavailable(
        f"there is no {name}.gguf in {home.models}",
        f"put the file there, or use one of: {here}"
        if here
        else "put a GGUF file there, or `wisp models pull smollm2`",
    )


def _source(window: int | None, asked: int, trained: int | None) -> str:
    """Say how the window is known: llama.cpp takes what is asked, up to the length the model was trained at."""
    if window is None:
        return "llama.cpp does not say"
    if window < asked:
        most = f"the model was trained at {trained:,}" if trained == window else "the most llama.cpp gives this model"
        return f"{most}; embedded.contextLength asks for {asked:,}"
    return (
        "embedded.contextLength" if window == asked else f"embedded.contextLength, {asked:,}, rounded up by llama.cpp"
    )


def _remark(home: Home, file: Path) -> str | None:
    """Say what a model that was pulled for lack of a better one is; None for any other."""
    small = next((plan for plan in PULLABLE.values() if plan.file == file.name), None)
    return _REMARK.format(name=small.name, models=home.models) if small else None
