"""The tools' work: a turn of a thread, a fact moved, a thread closed. What goes wrong is told in words."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from contextlib import closing
from dataclasses import dataclass

from mcp import types

from wisp_tui.audit import AuditUnavailable
from wisp_tui.events import Kind
from wisp_tui.facts import Fact, Scope, brief
from wisp_tui.mcp.asking import AskClient
from wisp_tui.mcp.calls import Call
from wisp_tui.mcp.progress import told
from wisp_tui.mcp.schema import MAX_TOKENS, BadSchema, NotOfShape, check_reply, check_schema
from wisp_tui.mcp.shapes import answer_shape, brief_fact, fact_uri
from wisp_tui.mcp.threads import NamedThread, Opening, ThreadFault, Threads
from wisp_tui.mcp.tools import BadArguments, CloseArguments, RespondArguments, ScopeArguments, read_arguments
from wisp_tui.models import Capability, ModelError, ModelUnavailable, Options
from wisp_tui.pending import Snapshot
from wisp_tui.session import Session
from wisp_tui.session.callers import ask_to_keep, fail_what_changed, move_by_caller, proposals, set_task
from wisp_tui.session.conversation import Conversation
from wisp_tui.session.receipt import Receipt
from wisp_tui.session.stating import NotDone
from wisp_tui.text.json import Json, JsonObject, load

FAULTS = (ThreadFault, BadArguments, BadSchema, NotOfShape, NotDone, ModelError, AuditUnavailable)
"""What a caller is told as a tool's error: it can be put right, or it is nobody's fault."""


class NoSuchTool(Exception):
    """A tool is called that is not there."""


@dataclass(slots=True)
class Caller:
    """Who calls, for one call, and how they may be asked: None where they cannot be."""

    call: Call
    ask: AskClient | None = None
    client: str | None = None
    """What it calls itself."""


@dataclass(slots=True)
class Tools:
    """The tools over one server's threads."""

    session: Session
    threads: Threads

    async def run(self, name: str, arguments: Mapping[str, object] | None, caller: Caller) -> types.CallToolResult:
        """Run a tool. Raises NoSuchTool; any other fault of the caller's is the result."""
        try:
            match name:
                case "respond":
                    return await self._respond(read_arguments(RespondArguments, arguments), caller)
                case "set_fact_scope":
                    return await self._set_scope(read_arguments(ScopeArguments, arguments), caller)
                case "close_thread":
                    return await self._close(read_arguments(CloseArguments, arguments))
                case _:
                    raise NoSuchTool(f"there is no tool {name!r:.80}")
        except FAULTS as error:
            return failed(str(error))

    # respond --------------------------------------------------------------------------------------------------------

    async def _respond(self, asked: RespondArguments, caller: Caller) -> types.CallToolResult:
        tools = None if asked.tools is None else tuple(asked.tools)
        if asked.shape is not None:
            check_schema(asked.shape)
            if tools is None and not self._is_open(asked.thread_id):
                tools = ()  # runtimes ignore tools in a request that carries a schema
        opening = Opening(asked.model, asked.instructions, tools)
        async with self.threads.using(asked.thread_id, opening, caller.client) as (named, created):
            answer = self._answer(named, asked, caller, created=created)
            return await self._recorded(named, "respond", asked, caller, answer)

    async def _answer(
        self, named: NamedThread, asked: RespondArguments, caller: Caller, *, created: bool
    ) -> types.CallToolResult:
        held = named.thread.conversation
        _check_model(held, asked.shape)
        task = set_task(held, asked.task) if asked.task is not None else ()
        receipt = await self._turn(named, asked, caller)
        if named.asker is not None:
            await fail_what_changed(held, self.session.waiting.store, named.asker)
        found = await asyncio.to_thread(self.session.waiting.store.snapshot)
        return self._result(named, receipt, task, asked.shape, created=created, proposed=self._proposed(named, found))

    def _is_open(self, name: str | None) -> bool:
        return name in {named.name for named in self.threads.open}

    async def _turn(self, named: NamedThread, asked: RespondArguments, caller: Caller) -> Receipt:
        """Run the turn, the person within reach of it as far as the client is."""
        receipt = Receipt(named.session)
        options = Options(schema=asked.shape, max_tokens=MAX_TOKENS if asked.shape is not None else None)
        if named.line is not None:
            named.line.ask_client = caller.ask
        try:
            with self.session.bus.subscribe() as events:
                async with told(self.session.bus, named.session, caller.call.tell):
                    await named.thread.submit(await _told(named, asked.prompt), options)
                for event in events.take():
                    receipt.see(event)
        finally:
            if named.line is not None:
                named.line.ask_client = None
        return receipt

    def _result(
        self,
        named: NamedThread,
        receipt: Receipt,
        task: tuple[Fact, ...],
        shape: JsonObject | None,
        *,
        created: bool,
        proposed: tuple[int, int],
    ) -> types.CallToolResult:
        ended = receipt.ended
        fault = None if ended is None or ended.outcome == "ok" else ended.message or "the turn was cancelled"
        output: Json = None
        if shape is not None and fault is None:
            try:
                output = read_output(receipt.last_reply, shape)
            except NotOfShape as error:
                fault = str(error)
        facts: dict[str, JsonObject] = {fact.id: brief(fact) for fact in task}
        facts |= {str(fact["id"]): fact for fact in (ended.facts if ended is not None else ())}
        content = answer_shape(
            named,
            receipt,
            facts.values(),
            created=created,
            proposed=proposed,
            inline=self.session.settings.mcp.inline_output_bytes,
            output=output,
        )
        said = receipt.text if fault is None else "\n\n".join(part for part in (fault, receipt.text) if part)
        return types.CallToolResult(
            content=[types.TextContent(text=said)], structured_content=content, is_error=fault is not None
        )

    def _proposed(self, named: NamedThread, found: Snapshot) -> tuple[int, int]:
        """Count the facts that wait for the person to keep them: of all threads, and of one."""
        counts = {
            each.name: len(proposals(each.thread.conversation, found, each.asker))
            for each in self.threads.open
            if each.asker is not None
        }
        return sum(counts.values()), counts.get(named.name, 0)

    # The others -----------------------------------------------------------------------------------------------------

    async def _set_scope(self, asked: ScopeArguments, caller: Caller) -> types.CallToolResult:
        named = self.threads.find_open(asked.thread_id)
        self.threads.touch(named)
        return await self._recorded(named, "set_fact_scope", asked, caller, self._moved(named, asked))

    async def _moved(self, named: NamedThread, asked: ScopeArguments) -> types.CallToolResult:
        held, scope = named.thread.conversation, Scope(asked.scope)
        if Scope.of(asked.fact_id) is Scope.PERMANENT:
            raise NotDone(f"{asked.fact_id} is a permanent fact: only the person moves it")
        if scope is not Scope.PERMANENT:
            fact = move_by_caller(held, asked.fact_id, scope)
            content: dict[str, Json] = {
                "thread_id": named.name,
                "from": asked.fact_id,
                "fact": brief_fact(named.name, fact),
            }
            return done(f"moved {asked.fact_id} to {scope} as {fact.id}", content)
        if named.asker is None:
            raise NotDone("the person cannot be asked")
        request = await ask_to_keep(held, self.session.waiting.store, named.asker, asked.fact_id)
        content = {
            "thread_id": named.name,
            "from": asked.fact_id,
            "state": "pending",
            "request": request.id,
            "fact": brief_fact(named.name, request.fact),
            "uri": fact_uri(named.name, asked.fact_id),
        }
        said = f"{asked.fact_id} waits for the person as request {request.id}: wisp facts keep {request.id}"
        return done(said, content)

    async def _close(self, asked: CloseArguments) -> types.CallToolResult:
        named = await self.threads.close(asked.thread_id)
        return done(f"closed {named.name}", {"thread_id": named.name, "state": named.state.value, "turns": named.turns})

    async def _recorded(
        self,
        named: NamedThread,
        tool: str,
        asked: RespondArguments | ScopeArguments,
        caller: Caller,
        work: Coroutine[None, None, types.CallToolResult],
    ) -> types.CallToolResult:
        """Do a call's work, the call audited before it and how it ended after it. Raises AuditUnavailable."""
        held = named.thread.conversation
        about: JsonObject = {"tool": tool, "thread": named.name, "client": caller.client}
        with closing(work):
            held.write(Kind.MCP_REQUEST, {**about, "arguments": _written(asked)}, turn=held.turn or None)
            try:
                result = await work
            except FAULTS as error:
                result = failed(str(error))
        held.write(Kind.MCP_RESULT, {**about, "error": result.is_error is True}, turn=held.turn or None)
        return result


async def _told(named: NamedThread, prompt: str) -> str:
    """Put before a prompt what the person has answered meanwhile."""
    parking = named.line.parking if named.line is not None else None
    return prompt if parking is None else await parking.told(prompt)


def read_output(reply: str, shape: JsonObject) -> Json:
    """Read a reply that was asked to have a shape. Raises NotOfShape."""
    try:
        value = load(reply)
    except ValueError as error:
        raise NotOfShape("the reply is not JSON: it may have been cut off at its limit") from error
    check_reply(value, shape)
    return value


def done(text: str, content: JsonObject) -> types.CallToolResult:
    """Make the result of a call that did what was asked."""
    return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=content)


def failed(text: str) -> types.CallToolResult:
    """Make the result of a call that could not be done; the text says why and what to do."""
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=True)


def _check_model(held: Conversation, shape: JsonObject | None) -> None:
    resolved = held.resolved
    if shape is not None and resolved is not None and Capability.SCHEMA not in resolved.capabilities:
        raise ModelUnavailable(f"{resolved.id} cannot be held to a schema", "leave it out, or start with another model")


def _written(asked: RespondArguments | ScopeArguments) -> JsonObject:
    """Write a call's arguments for the audit, which has the prompt as the turn's."""
    return asked.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"prompt"})
