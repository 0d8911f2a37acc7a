"""Facts read from a turn's tool calls and their output, without a model (spec "Extracted every turn").

Each tool has one reader. An output that does not match the shape its reader knows gives no fact, so there are few, and
they are right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from wisp_tui.facts.branches import branch_in
from wisp_tui.facts.fact import Assertion
from wisp_tui.facts.identity import FROM_CHAT, PERSON, TYPED_COMMAND, Source, Topic
from wisp_tui.facts.kinds import ANSWER, Kinds
from wisp_tui.facts.normalisers import Place, command
from wisp_tui.facts.values import stored_value
from wisp_tui.text import frames
from wisp_tui.text.ids import EntryId, EventId, TurnNumber
from wisp_tui.text.json import Json, JsonObject
from wisp_tui.text.sizes import count, shorten

MAX_FACTS = 12
"""Facts a turn gives at most."""
QUESTION_CHARACTERS = 80
TEST_COMMANDS = (
    "swift test",
    "swift build",
    "cargo test",
    "cargo build",
    "npm test",
    "npm run test",
    "pytest",
    "python -m pytest",
    "uv run pytest",
    "tox",
    "nox",
    "go test",
    "make test",
    "make check",
    "scripts/check",
)
"""Commands whose exit status is a fact; ``facts.testCommands`` replaces them."""


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call and its result. ``output`` is as the model was shown it; ``bytes`` counts the whole of it.

    ``entry`` and ``event`` are those of the output. ``typed`` is true for a command the person typed after ``!``.
    """

    tool: str
    arguments: JsonObject
    output: str
    ok: bool
    turn: TurnNumber
    exit_status: int | None = None
    bytes: int = 0
    entry: EntryId | None = None
    event: EventId | None = None
    typed: bool = False

    def argument(self, name: str) -> str:
        """Return a text argument, empty when there is none."""
        value: Json = self.arguments.get(name)
        return value if isinstance(value, str) else ""

    @property
    def content(self) -> tuple[str, ...]:
        """The output's lines without the frames that the tool put around them."""
        return tuple(line.text for line in frames.content(self.output).lines)


@dataclass(frozen=True, slots=True)
class Found:
    """What a reader found, before it is an assertion. ``source`` is None for the tool itself."""

    subject: str
    name: str
    value: str
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class Extractor:
    """Reads facts from tool uses. ``place`` is where the conversation's paths start."""

    kinds: Kinds
    place: Place = field(default_factory=Place)
    test_commands: Sequence[str] = TEST_COMMANDS

    def facts(self, uses: Iterable[ToolUse]) -> tuple[Assertion, ...]:
        """Return what a turn's calls say: the latest of each topic, at most 12, outcomes before what was looked at."""
        found: dict[Topic, Assertion] = {}
        for use in uses:
            for item in self._read(use):
                assertion = self._assertion(use, item)
                found.pop(assertion.topic, None)
                found[assertion.topic] = assertion
        return _the_best(tuple(found.values()))

    def starting(self, directory: str, branch: str | None) -> tuple[Assertion, ...]:
        """Return what a conversation records of itself when it starts: its directory and its git branch."""
        items = [Found("workdir", "", directory, FROM_CHAT)]
        items += [Found("branch", "", branch, FROM_CHAT)] if branch else []
        return tuple(
            Assertion(kind.topic(item.name, self.place), stored_value(item.value), kind.temporal, FROM_CHAT)
            for item in items
            if (kind := self.kinds.find(item.subject)) is not None
        )

    def _read(self, use: ToolUse) -> Iterator[Found]:
        if use.tool == "run_command":
            yield from self._command(use)
        elif (reader := _READERS.get(use.tool)) is not None:
            yield from reader(use)

    def _assertion(self, use: ToolUse, found: Found) -> Assertion:
        kind = self.kinds.kind(found.subject)
        return Assertion(
            topic=kind.topic(found.name, self.place),
            value=stored_value(found.value),
            temporal=kind.temporal,
            source=found.source or (TYPED_COMMAND if use.typed else Source.of_tool(use.tool)),
            entries=(use.entry,) if use.entry is not None else (),
            events=(use.event,) if use.event is not None else (),
            turns=(use.turn, use.turn),
        )

    def _command(self, use: ToolUse) -> Iterator[Found]:
        """Read a command that ran: where, and how a test command ended, or which branch git named."""
        if use.exit_status is None:
            return
        if use.argument("directory"):
            yield Found("workdir", "", self.place.absolute(use.argument("directory")))
        line = use.argument("command")
        name = command(line, self.place)
        if self._is_test(name) and _status_is_its_own(line) and not _timed_out(use):
            outcome = "passed" if use.exit_status == 0 else "failed"
            yield Found("tests", name, f"{outcome} (exit status {use.exit_status})")
        if use.exit_status == 0 and (branch := branch_in(name, use.content)) is not None:
            yield Found("branch", "", branch)

    def _is_test(self, name: str) -> bool:
        return not _COMPOUND.search(name) and any(
            name == known or name.startswith(f"{known} ") for known in self.test_commands
        )


_COMPOUND = re.compile(r"[;|&<>`\n]|\$\(")
_PIPED = re.compile(r"\|&?\s*(?:tail|head)\b")
_PIPEFAIL = re.compile(r"\bset\s+-o\s+pipefail\b")


def _status_is_its_own(line: str) -> bool:
    """Say whether a line's exit status is its test command's: behind a pipe it is not, unless ``pipefail`` is set."""
    return not _PIPED.search(line) or _PIPEFAIL.search(line) is not None


def _timed_out(use: ToolUse) -> bool:
    return any(frames.frame(line) is frames.Frame.TIMED_OUT for line in use.output.split("\n")[-8:])


_NUMBERED = re.compile(r"\s*(\d+)\t")


def _read_file(use: ToolUse) -> Iterator[Found]:
    """Read a page of a file: the lines it has, whether the file ends there, its bytes."""
    if not use.ok or not use.argument("path"):
        return
    numbers = [int(found[1]) for line in use.content if (found := _NUMBERED.match(line))]
    ended = use.output.rstrip().endswith(frames.END_OF_FILE)
    if not numbers and not ended:
        return
    if not numbers:
        lines = "no lines read"
    elif numbers[0] == 1:
        lines = f"{count(numbers[-1], 'line')} read"
    else:
        lines = f"lines {numbers[0]:,} to {numbers[-1]:,} read"
    yield Found("file", use.argument("path"), f"{lines}, {_ENDS[ended]}, {count(use.bytes, 'byte')}")


_ENDS = {True: "to the end", False: "not to the end"}


def _edit_file(use: ToolUse) -> Iterator[Found]:
    """Read an edit: what the tool said changed, or that it failed."""
    said = next((line for line in use.content if line.strip()), "")
    if not use.argument("path") or not said:
        return
    yield Found("file", use.argument("path"), said if use.ok else f"edit failed: {said.removeprefix('error: ')}")


_PORT = re.compile(r"(?:[-*] )?(port \d{1,5}): (.+)")
_TOPIC = re.compile(r"([a-z][a-z ]{0,30}):(?: (.+))?")


def _system_info(use: ToolUse) -> Iterator[Found]:
    """Read the machine's state: a line ``port N: …`` for each listening port, and ``topic: …`` for each other topic.

    A topic's line may be the one below it.
    """
    if not use.ok:
        return
    open_topic: str | None = None
    for line in use.content:
        if (port := _PORT.fullmatch(line.strip())) is not None:
            open_topic = None
            yield Found("service", port[1], port[2])
        elif (topic := _TOPIC.fullmatch(line)) is not None:
            open_topic = topic[1] if topic[2] is None else None
            if topic[2] is not None:
                yield Found("machine", topic[1], topic[2])
        elif open_topic is not None and line.strip():
            if open_topic != "ports":
                yield Found("machine", open_topic, line.strip())
            open_topic = None


def _ask(use: ToolUse) -> Iterator[Found]:
    """Read the person's answer to the model's question, which is their word."""
    question, answer = use.argument("question"), " ".join(use.content)
    if use.ok and question and answer.strip():
        yield Found(ANSWER, shorten(" ".join(question.split()), QUESTION_CHARACTERS), answer, PERSON)


_READERS: Mapping[str, Callable[[ToolUse], Iterator[Found]]] = MappingProxyType(
    {"read_file": _read_file, "edit_file": _edit_file, "system_info": _system_info, "ask": _ask}
)
_LOOKED_AT = frozenset({"file", "service", "machine"})


def _the_best(found: Sequence[Assertion]) -> tuple[Assertion, ...]:
    """Keep at most 12, in their order: outcomes, places and answers first, then the latest of what was looked at."""
    ranked = sorted(
        range(len(found)), key=lambda place: (found[place].topic.subject not in _LOOKED_AT, place), reverse=True
    )
    return tuple(found[place] for place in sorted(ranked[:MAX_FACTS]))
