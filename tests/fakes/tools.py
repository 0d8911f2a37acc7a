"""What a tool is given, for tests: a real gate and store in a temporary directory, and an ear for what is recorded."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.fakes.walls import walls
from wisp_tui.approval import Answer, ApprovalRequest, Gate
from wisp_tui.config import Home, Settings
from wisp_tui.events import AuditEvent
from wisp_tui.outputs import OutputStore, ToolBudget
from wisp_tui.recall import Past
from wisp_tui.sandbox import Walls
from wisp_tui.text.ids import CallId, EventId, SessionId, TurnNumber
from wisp_tui.text.json import Json, JsonObject
from wisp_tui.tools import Arguments, Tool, ToolContext, ToolOutput
from wisp_tui.tools.registry import built_in

TOOLS = built_in(Settings(), Home(Path("/nobody/.wisp")))
"""Every tool, of a home that is not there."""
SESSION = SessionId("5e5510ab5e5510ab")
CALL = CallId("3f9a2c1b")
TURN = TurnNumber(1)


@dataclass
class Ear:
    """Hears what a tool records."""

    events: list[tuple[str, JsonObject]] = field(default_factory=list[tuple[str, JsonObject]])

    def __call__(
        self, kind: str, details: JsonObject, *, turn: TurnNumber | None = None, call: CallId | None = None
    ) -> AuditEvent:
        self.events.append((kind, details))
        return AuditEvent(EventId("0" * 16), "", "", 0, SESSION, turn, call, kind, details)

    def of(self, kind: str) -> list[JsonObject]:
        return [details for heard, details in self.events if heard == kind]


@dataclass
class Answers:
    """A person who answers every request alike."""

    answer: Answer = Answer.ONCE
    asked: list[ApprovalRequest] = field(default_factory=list[ApprovalRequest])

    async def ask(self, request: ApprovalRequest) -> tuple[Answer, str]:
        self.asked.append(request)
        return self.answer, "a test"


@dataclass
class Bench:
    """A conversation's surroundings, from which a tool is called."""

    directory: Path
    budget: ToolBudget = field(default_factory=ToolBudget)
    memory: bool = True
    audited: bool = True
    person: Answers = field(default_factory=Answers)
    ear: Ear = field(default_factory=Ear)
    progress: Callable[[str, int], None] = lambda text, size: None
    walls: Walls = field(default_factory=walls)
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    past: Past | None = None

    @property
    def store(self) -> OutputStore:
        return OutputStore(self.directory / "home" / "output", SESSION)

    def context(self) -> ToolContext:
        return ToolContext(
            session=SESSION,
            turn=TURN,
            call=CALL,
            directory=self.directory,
            environment=self.environment,
            budget=self.budget,
            store=self.store if self.audited else None,
            gate=Gate(self.person, self.ear),
            walls=self.walls,
            record=self.ear,
            progress=self.progress,
            memory=self.memory,
            past=self.past,
        )

    async def call(self, tool: Tool, **arguments: Json) -> ToolOutput:
        return await tool.run(Arguments(arguments), self.context())

    def stored(self) -> bytes:
        store = self.store
        return store.page(store.find(CALL), 0, 1 << 30).data
