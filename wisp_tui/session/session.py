"""The session of one process: its home, settings, log and bus, and the conversations it opens."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

from wisp_tui import __version__
from wisp_tui.approval import Gate, GateRules, Level, gate_rules
from wisp_tui.audit import AuditLog, AuditUnavailable
from wisp_tui.config import Home, HomeError, Settings, load_settings
from wisp_tui.context.composer import Composer
from wisp_tui.context.record import EntryKind, Origin
from wisp_tui.events import Bus, Kind
from wisp_tui.facts import Place
from wisp_tui.keeping import PermanentFacts
from wisp_tui.models.choose import Choice, choose
from wisp_tui.outputs import OutputStore, ToolBudget
from wisp_tui.outputs.sweep import sweep
from wisp_tui.pending import Pending
from wisp_tui.recall import Past
from wisp_tui.sandbox import Find, SharedSandbox, Walls, find_sandbox, reach_of
from wisp_tui.session.contexts import SaveContexts
from wisp_tui.session.conversation import Clock, Conversation
from wisp_tui.session.desk import ApprovalDesk, StandingAnswer
from wisp_tui.session.distilling import FactDistiller
from wisp_tui.session.facts import SharedFacts, keeper_for, shipped_kinds
from wisp_tui.session.indexing import Indexing
from wisp_tui.session.instructions import instructions
from wisp_tui.session.live import LiveFolder
from wisp_tui.session.livecopy import LiveCopy
from wisp_tui.session.recovery import begin, find
from wisp_tui.session.remembering import past_of
from wisp_tui.session.saving import BadName, Shelf
from wisp_tui.session.status import git_root
from wisp_tui.session.thread import Thread, ThreadOptions
from wisp_tui.session.waiting import Waiting
from wisp_tui.text.ids import SessionId, TurnNumber
from wisp_tui.text.json import Json, JsonObject
from wisp_tui.text.reasons import reason
from wisp_tui.text.tokens import estimate_tokens
from wisp_tui.tools.memory import NAME as MEMORY
from wisp_tui.tools.memory import Memory
from wisp_tui.tools.registry import available, chosen
from wisp_tui.tools.runner import QUIET

Chooser = Callable[[Home, Settings, Mapping[str, str], str | None], Awaitable[Choice]]
"""Chooses a conversation's model; ``models.choose.choose`` but in tests."""

SYSTEM_CLOCK = Clock(now=lambda: datetime.now().astimezone(), elapsed=time.monotonic)


class Session:
    """What every conversation of one process shares. Open it once, close it at the end."""

    def __init__(
        self,
        home: Home,
        settings: Settings,
        environment: Mapping[str, str],
        directory: Path,
        *,
        choose: Chooser = choose,
        find: Find | None = None,
        clock: Clock = SYSTEM_CLOCK,
        repaired: tuple[str, ...] = (),
    ) -> None:
        self.home = home
        self.settings = settings
        self.environment = environment
        self.directory = directory
        self.clock = clock
        self._chooser = choose
        self.repaired = repaired
        """What was wrong with the home's permissions and was put right, a sentence each."""
        self.bus = Bus()
        self.audit = AuditLog(
            home.logs,
            self.bus,
            version=__version__,
            max_bytes=settings.audit.max_bytes,
            keep=settings.audit.keep,
            enabled=settings.audit.enabled,
        )
        self.threads: list[Thread] = []
        self._sandbox = SharedSandbox(
            find or partial(find_sandbox, enabled=settings.sandbox.enabled, environment=environment)
        )
        self.shelf = Shelf(home)
        self.facts = SharedFacts(PermanentFacts(home), self.bus)
        """The facts that all conversations of this process see."""
        self.waiting = Waiting(Pending(home), self.facts, clock.now)
        """What waits for the person in this home."""
        self._indexing = Indexing(home, self._copied)

    @classmethod
    def open(cls, environment: Mapping[str, str], directory: Path | None = None) -> Session:
        """Open the process's session from its environment. Raises HomeError, ConfigError."""
        home = Home.find(environment)
        repaired = home.prepare()
        settings = load_settings(home.config)
        return cls(home, settings, environment, directory or _working_directory(), repaired=repaired)

    def new_thread(self, options: ThreadOptions) -> Thread:
        """Open a conversation. Its model is chosen when it is first needed, or by ``Thread.ready``.

        With ``options.resume`` it goes on from a saved one, or from one that was cut short. Raises BadName when nothing
        is saved under it, or nothing can be saved under ``options.save``, CannotResume, NotRecovered, UnknownTool for a
        tool that does not exist, ConfigError for a ``commandPolicy`` that cannot be read, AuditUnavailable when the log
        cannot be written.
        """
        session = SessionId(secrets.token_hex(8))
        directory = (options.directory or self.directory).resolve()
        desk = ApprovalDesk(session, self.bus, float(self.settings.approval.timeout_seconds))
        tools = chosen(
            available(self.settings, self.home),
            options.tools,
            self.settings.tools.disabled,
            memory=self.settings.context.memory,
        )
        gate = Gate(options.asker or desk, partial(self.audit.write, session), self._rules(directory, options))
        conversation = Conversation(
            session=session,
            directory=directory,
            settings=self.settings,
            environment=self.environment,
            bus=self.bus,
            audit=self.audit,
            clock=self.clock,
            composer=Composer(estimate_tokens),
            budget=ToolBudget(),
            store=OutputStore(self.home.output, session) if self.settings.audit.enabled else None,
            tools=tools,
            gate=gate,
            walls=Walls(
                self._sandbox,
                lambda: reach_of(directory, self.settings.sandbox, self.home.root, self.environment),
            ),
            memory=MEMORY in tools,
            standing=options.asker if isinstance(options.asker, StandingAnswer) else None,
            waiting=self.waiting,
        )
        desk.asking = conversation.asking
        if self.settings.audit.enabled:
            conversation.saver = SaveContexts(self.home)
        if self.settings.facts.enabled:
            self._keep_facts(conversation)
        if self.settings.assessment.enabled:
            self._assess(conversation)
        if self.settings.context.recall:
            _recall(conversation)
        self._begin(conversation, options)
        thread = Thread(conversation, desk, self._choose, options.model, self.shelf, after=self._indexing.soon)
        self.threads.append(thread)
        return thread

    def _rules(self, directory: Path, options: ThreadOptions) -> GateRules:
        """What a conversation's gate decides by. Until a sandbox was found, none is counted on."""
        environment = {**self.environment, **QUIET}
        rules = gate_rules(self.settings, self.home, environment, directory, sandboxed=False)
        return replace(rules, threshold=Level.DANGEROUS) if options.unsafe else rules

    def _begin(self, conversation: Conversation, options: ThreadOptions) -> None:
        """Record the start: over the instructions alone, or over a saved conversation."""
        if options.save is not None and options.save != options.resume:
            self.shelf.check(options.save)
        details: dict[str, Json] = {
            "directory": str(conversation.directory),
            "tools": list(conversation.tools),
            "repaired": list(self.repaired),
            "outputSweep": self._swept(conversation.session),
        }
        if options.resume is not None:
            shelf = replace(self.shelf, reading=options.reading)
            begin(conversation, find(shelf, options.resume), options.resume, self.shelf, details)
        else:
            started = conversation.write(Kind.SESSION_START, details)
            conversation.record.add(
                EntryKind.INSTRUCTIONS,
                instructions(
                    self.settings,
                    options.instructions,
                    tools=bool(conversation.tools),
                    memory=conversation.memory,
                ),
                turn=TurnNumber(0),
                time=self.clock.now(),
                sources=(started.id,),
                origin=Origin.CARRIED,
            )
        conversation.name = options.save or conversation.name
        if options.autosave and self.settings.sessions.autosave and not isinstance(conversation.live, LiveCopy):
            conversation.live = LiveCopy(conversation, LiveFolder(self.home))

    def _swept(self, session: SessionId) -> JsonObject | None:
        """Remove old outputs, a little, with the first conversation of the process."""
        if self.threads or not self.settings.audit.enabled:
            return None
        return sweep(
            self.home.output,
            days=self.settings.context.output_days,
            current=session,
            now=self.clock.now().timestamp(),
            elapsed=self.clock.elapsed,
        ).details

    async def close(self, *, cut_short: bool = False) -> tuple[str, ...]:
        """Close every conversation, saving those that have a name, then the log; return what is to be said of it.

        A live copy goes with its conversation, unless that could not be saved, or has no name and was ``cut_short``: by
        something else than its person.
        """
        await asyncio.gather(*(thread.close() for thread in self.threads))
        await self._indexing.close()
        said: list[str] = []
        for thread in self.threads:
            line, saved = self._save(thread)
            said += [line] if line is not None else []
            thread.conversation.live.close(remove=saved or (line is None and not cut_short))
        await self.waiting.close()
        await self.facts.close()
        for thread in self.threads:
            if not _ended(thread):
                break  # published as a fault already; nothing more can be recorded
        self.threads.clear()
        self.audit.close()
        return tuple(said)

    async def end(self, thread: Thread) -> None:
        """Close one conversation, and go on with the others. What it recorded stays; it is not saved."""
        await thread.close()
        thread.conversation.live.close(remove=True)
        if thread in self.threads:
            self.threads.remove(thread)
            _ended(thread)

    def _save(self, thread: Thread) -> tuple[str | None, bool]:
        """Save a conversation under its name; return what is to be said of it, None when it has none, and whether."""
        name = thread.conversation.name
        if name is None:
            return None, False
        saved = True
        try:
            kept, path = self.shelf.keep(thread.conversation, name)
            said = f"saved as {kept}: {path}"
        except (OSError, BadName) as error:
            said, saved = f"the conversation was not saved as {name}: {reason(error)}", False
        thread.conversation.note(said)
        return said, saved

    def _keep_facts(self, conversation: Conversation) -> None:
        if not self.threads:
            self.facts.load()
        place = Place(str(conversation.directory), self.environment.get("HOME"), git_root)
        keeper = keeper_for(conversation, self.facts, shipped_kinds(self.settings), place)
        conversation.facts = keeper
        conversation.block_source = keeper.blocks
        conversation.distiller = FactDistiller(keeper)

    def _assess(self, conversation: Conversation) -> None:
        from wisp_tui.session.assessing import Assessor

        assessor = Assessor(conversation, conversation.block_source)
        conversation.assessor, conversation.block_source = assessor, assessor.blocks

    def _copied(self) -> dict[str, Past]:
        """Give what the conversations hold that have a live copy, by its id."""
        held = (thread.conversation for thread in self.threads)
        return {one.live.ident: past_of(one) for one in held if one.live.ident is not None}

    async def _choose(self, model: str | None) -> Choice:
        return await self._chooser(self.home, self.settings, self.environment, model)


def _recall(conversation: Conversation) -> None:
    """Have a conversation with memory recall unasked."""
    from wisp_tui.session.recalling import Recaller

    memory = conversation.tools.get(MEMORY)
    if isinstance(memory, Memory):
        recaller = Recaller(conversation, conversation.block_source, memory.index)
        conversation.recaller, conversation.block_source = recaller, recaller.blocks


def _ended(thread: Thread) -> bool:
    """Record that a conversation ended; False when that cannot be recorded."""
    try:
        thread.conversation.write(Kind.SESSION_END, {"turns": thread.conversation.turn})
    except AuditUnavailable:
        return False
    return True


def _working_directory() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise HomeError("the working directory is gone; change to one that is there") from error
