"""A long conversation on the real embedded runtime, for its test and its bench."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from wisp_tui.audit import read_events
from wisp_tui.config import Home, Settings
from wisp_tui.events import AuditEvent, Kind
from wisp_tui.models import Capability, Chunk, Finished, Model, Options, Request, Resolved, Role, ToolCall
from wisp_tui.models.choose import Choice
from wisp_tui.models.embedded import EmbeddedModel
from wisp_tui.session import Session, ThreadOptions
from wisp_tui.text.ids import ModelId
from wisp_tui.text.json import dump

WORDS = (
    "The harbour sync copies each changed file to the other folder and records its digest.",
    "A conflict is written to the log with both digests, 3f9a2c and 81bd07, and neither copy is removed.",
    "def digest(path: Path) -> str: return hashlib.sha256(path.read_bytes()).hexdigest()",
    '{"folder": "/srv/harbour", "every": 300, "keep": 12, "dryRun": false}',
)


@dataclass
class WithCalls:
    """The real model, which calls no tools, with a call of ``read_file`` put before each of its replies.

    What the model is sent, counts and answers is real; only the decision to read the file is scripted.
    """

    inner: EmbeddedModel
    paths: list[str]
    requests: list[Request] = field(default_factory=list[Request])

    @property
    def id(self) -> ModelId:
        return self.inner.id

    async def resolve(self) -> Resolved:
        found = await self.inner.resolve()
        return replace(found, capabilities=found.capabilities | {Capability.TOOLS})

    async def stream(self, request: Request) -> AsyncGenerator[Chunk]:
        if request.messages[-1].role is not Role.TOOL and request.tools:
            yield ToolCall("w0", "read_file", dump({"path": self.paths.pop(0)}).decode())
            yield Finished("tool_calls")
            return
        self.requests.append(request)
        async for chunk in self.inner.stream(replace(request, tools=())):
            yield chunk

    async def count(self, request: Request) -> int | None:
        return await self.inner.count(replace(request, tools=()))

    async def close(self) -> None:
        await self.inner.close()


def session_on(home: Home, work: Path, model: Model, settings: Settings) -> Session:
    async def choose(
        home: Home, settings: Settings, environment: Mapping[str, str], named: str | None = None
    ) -> Choice:
        del home, settings, environment, named
        return Choice(model, "the test's")

    return Session(home, settings, {"PATH": "/usr/bin:/bin"}, work, choose=choose)


async def read_pages(folder: Path, weights: Path, *, window: int, turns: int, lines: int) -> list[AuditEvent]:
    """Talk for so many turns, a page of so many lines read in each; return what was audited."""
    home = Home(folder / "home")
    home.prepare()
    (home.models / weights.name).symlink_to(weights)
    work = folder / "work"
    work.mkdir()
    for place in range(turns):
        text = "".join(f"{place}.{line} {WORDS[(place + line) % 4]}\n" for line in range(lines))
        (work / f"page{place}.md").write_text(text)
    settings = Settings.model_validate(
        {"embedded": {"contextLength": window, "threads": 1}, "facts": {"distil": False, "summary": False}}
    )
    pages = [f"page{place}.md" for place in range(turns)]
    model = WithCalls(EmbeddedModel(ModelId("embedded:smollm2"), home, settings), pages)
    session = session_on(home, work, model, settings)
    thread = session.new_thread(ThreadOptions(tools=("read_file",)))
    brief = Options(max_tokens=8, greedy=True)
    for turn in range(turns):
        ended = await thread.submit(f"Read page {turn} and say one thing of it.", brief)
        assert ended.outcome == "ok", ended.message
    await session.close()
    return list(read_events(home.logs))


async def talk_of_boats(folder: Path, weights: Path, *, window: int) -> list[AuditEvent]:
    """Tell of one boat after another until the context has condensed; return what was audited."""
    home = Home(folder / "home")
    home.prepare()
    (home.models / weights.name).symlink_to(weights)
    work = folder / "work"
    work.mkdir()
    settings = Settings.model_validate({"embedded": {"contextLength": window, "threads": 1}})
    session = session_on(home, work, EmbeddedModel(ModelId("embedded:smollm2"), home, settings), settings)
    thread = session.new_thread(ThreadOptions(tools=()))
    brief = Options(max_tokens=4, greedy=True)
    boat = 0
    words = "It sailed at dawn from the northern quay with a crew of three and came back the day after. " * 2
    while not thread.conversation.condensations:
        boat += 1
        ended = await thread.submit(
            f"Boat {boat} is called Heron {boat} and carries {boat * 7} tons of salt. {words}", brief
        )
        assert ended.outcome == "ok", ended.message
    await session.close()
    return list(read_events(home.logs))


def number(event: AuditEvent, *names: str) -> int:
    value: object = event.details
    for name in names:
        assert isinstance(value, Mapping)
        value = value[name]
    assert isinstance(value, int)
    return value


def replies(events: list[AuditEvent]) -> list[AuditEvent]:
    """Return the responses that the real model gave."""
    return [event for event in events if event.kind == Kind.RESPONSE and number(event, "calls") == 0]


def condensations(events: list[AuditEvent]) -> list[AuditEvent]:
    """Return the condensations."""
    return [event for event in events if event.kind == Kind.CONTEXT_CONDENSATION]


def reused(events: list[AuditEvent]) -> float:
    """Return the share of the prompt tokens that the runtime had read already."""
    said = replies(events)
    return sum(number(event, "usage", "cached") for event in said) / sum(
        number(event, "usage", "input") for event in said
    )
