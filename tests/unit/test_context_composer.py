from __future__ import annotations

import pytest

from wisp_tui.context.composer import Block, Blocks, Composer, Composition, Plan
from wisp_tui.context.fill import headroom, look
from wisp_tui.context.parts import Form, Layer, PartKind
from wisp_tui.context.record import CallPart, Cut, EntryKind, OutputPart, ThreadRecord
from wisp_tui.models import Message, Role, ToolDefinition
from wisp_tui.text.ids import CallId, EntryId, EventId, TurnNumber
from wisp_tui.text.tokens import estimate_tokens

READ = ToolDefinition("read_file", "Read a file.", {"type": "object", "properties": {}})
LONG = "\n".join(f"{number}\tline {number} of a file that is long" for number in range(1, 60))


class Made:
    """A record in the making."""

    def __init__(self) -> None:
        self.record = ThreadRecord()
        self.composer = Composer(estimate_tokens)
        self.turn = TurnNumber(0)
        self.add(EntryKind.INSTRUCTIONS, "Be brief.")

    def add(self, kind: EntryKind, text: str, **parts: object) -> EntryId:
        call, output, stopped = parts.get("call"), parts.get("output"), parts.get("stopped")
        return self.record.add(
            kind,
            text,
            turn=self.turn,
            time=None,
            call=call if isinstance(call, CallPart) else None,
            output=output if isinstance(output, OutputPart) else None,
            stopped=stopped if isinstance(stopped, str) else None,
        ).id

    def prompt(self, text: str = "Read it.") -> EntryId:
        self.turn = TurnNumber(self.turn + 1)
        return self.add(EntryKind.PROMPT, text)

    def call(self, ident: str, tool: str = "read_file") -> EntryId:
        return self.add(EntryKind.CALL, '{"path": "a"}', call=CallPart(CallId(ident), tool))

    def output(self, ident: str, text: str = "the file", tool: str = "read_file") -> EntryId:
        part = OutputPart(CallId(ident), tool, ok=True, lines=1, bytes=len(text), reads_only=True)
        return self.add(EntryKind.OUTPUT, text, output=part)

    def reply(self, text: str = "It says so.", stopped: str | None = None) -> EntryId:
        return self.add(EntryKind.REPLY, text, stopped=stopped)

    def compose(self, plan: Plan | None = None) -> Composition:
        return self.composer.compose(self.record, plan or Plan())

    def said(self, plan: Plan | None = None) -> list[tuple[str, str]]:
        return [(message.role.value, message.content) for message in self.compose(plan).messages]


@pytest.fixture
def made() -> Made:
    return Made()


def tool_messages(messages: tuple[Message, ...]) -> list[tuple[str | None, str]]:
    return [(message.answers, message.content) for message in messages if message.role is Role.TOOL]


def test_the_layers_come_in_order_of_stability(made: Made) -> None:
    made.prompt("First.")
    made.reply("Yes.")
    request = made.prompt("Second.")
    blocks = Blocks((Block("facts", "Facts."), Block("summary", "Summary.")), (Block("task", "Now."),))
    composition = made.compose(Plan(tools=(READ,), blocks=blocks, request=request))
    assert [(part.layer, part.text) for part in composition.parts if part.layer is not Layer.TOOLS] == [
        (Layer.INSTRUCTIONS, "Be brief."),
        (Layer.EARLIER, "Facts."),
        (Layer.EARLIER, "Summary."),
        (Layer.LITERAL, "First."),
        (Layer.LITERAL, "Yes."),
        (Layer.NOW, "Now."),
        (Layer.REQUEST, "Second."),
    ]
    assert [message.role.value for message in composition.messages] == [
        "system", "user", "user", "user", "assistant", "user", "user",
    ]  # fmt: skip
    assert composition.parts[1].layer is Layer.TOOLS


def test_an_empty_block_is_none(made: Made) -> None:
    assert [part.kind for part in made.compose(Plan(blocks=Blocks((Block("facts", ""),)))).parts] == ["instructions"]


def test_text_before_calls_and_the_calls_are_one_message_and_the_results_follow(made: Made) -> None:
    made.prompt()
    made.reply("Let me look.")
    made.call("c1")
    made.call("c2")
    made.output("c1", "one")
    made.output("c2", "two")
    made.reply("Both are read.")
    messages = made.compose().messages[2:]
    assert [message.role.value for message in messages] == ["assistant", "tool", "tool", "assistant"]
    assert messages[0].content == "Let me look."
    assert [call.id for call in messages[0].tool_calls] == ["c1", "c2"]
    assert tool_messages(messages) == [("c1", "one"), ("c2", "two")]


def test_results_that_came_in_another_order_follow_their_calls_order(made: Made) -> None:
    made.prompt()
    made.call("c1")
    made.call("c2")
    made.output("c2", "two")
    made.output("c1", "one")
    assert tool_messages(made.compose().messages) == [("c1", "one"), ("c2", "two")]


def test_a_call_without_a_result_is_answered(made: Made) -> None:
    made.prompt()
    made.call("c1")
    made.call("c2")
    made.output("c2", "two")
    made.prompt("Go on.")
    composition = made.compose()
    assert tool_messages(composition.messages) == [
        ("c1", "[no result: the call was cancelled or never finished]"),
        ("c2", "two"),
    ]
    answered = [part for part in composition.parts if part.kind == PartKind.UNANSWERED]
    assert [part.entry for part in answered] == [3]
    assert composition.messages[-1].content == "Go on."


@pytest.mark.parametrize("kind", [EntryKind.UNKNOWN, EntryKind.COMMAND])
def test_what_is_no_result_answers_no_call(made: Made, kind: EntryKind) -> None:
    made.prompt()
    made.call("c1")
    made.add(kind, "x", output=OutputPart(CallId("c1"), "read_file", ok=True, lines=1, bytes=1, reads_only=True))
    made.prompt("Go on.")
    assert [call for call, _ in tool_messages(made.compose().messages)] == ["c1"]


def test_a_result_recorded_after_the_next_prompt_follows_its_call(made: Made) -> None:
    made.prompt()
    made.call("c1")
    made.prompt("Go on.")
    made.output("c1", "late")
    assert [message.role.value for message in made.compose().messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "user",
    ]
    assert tool_messages(made.compose().messages) == [("c1", "late")]


def test_a_result_whose_call_is_not_there_is_told_as_text(made: Made) -> None:
    made.prompt()
    made.output("gone", "a result")
    assert made.said()[-1] == ("user", "[a tool's result, whose call is not here]\na result")


def test_a_second_result_of_a_call_is_told_as_text(made: Made) -> None:
    made.prompt()
    made.call("c1")
    made.output("c1", "one")
    made.output("c1", "again")
    assert tool_messages(made.compose().messages) == [("c1", "one")]
    assert made.said()[-1] == ("user", "[a tool's result, whose call is not here]\nagain")


def test_a_stopped_reply_says_why(made: Made) -> None:
    made.prompt()
    made.reply("It says", stopped="cancelled")
    made.reply("", stopped="cancelled")
    assert made.said()[-2:] == [("assistant", "It says\n[cancelled]"), ("assistant", "[cancelled]")]


def test_an_output_is_whole_until_it_is_referenced_and_says_since_when(made: Made) -> None:
    prompt = made.prompt()
    made.call("c1")
    output = made.output("c1", LONG)
    assert made.compose(Plan(request=prompt)).parts[-1].text == LONG
    soon = made.compose().parts[-1]
    made.record.reference([output], turn=TurnNumber(2))
    part = made.compose().parts[-1]
    assert part.form is Form.REFERENCE
    assert part.text.startswith(f"[output of entry {output} not repeated: read_file, ok, ")
    assert part.why == "a reference since turn 2"
    assert (soon.form, soon.text, soon.why) == (part.form, part.text, "a reference from the next turn on")


def test_a_short_output_stays_whole_when_it_is_referenced(made: Made) -> None:
    made.prompt()
    made.call("c1")
    made.record.reference([made.output("c1", "short")], turn=TurnNumber(2))
    part = made.compose().parts[-1]
    assert (part.form, part.text, part.why) == (Form.WHOLE, "short", None)


def test_a_reply_carries_markers_where_it_is_cut_and_its_entry_stays_whole(made: Made) -> None:
    made.prompt()
    reply = made.reply("Here: the copy of it all. Done.")
    made.record.cut(reply, [Cut(6, 25, EntryId(9), "read_file", 24)])
    assert made.said()[-1] == ("assistant", "Here: (showed the person the read_file output, entry 9) Done.")
    assert made.record.entry(reply).text == "Here: the copy of it all. Done."


def test_whether_there_is_memory_changes_the_references(made: Made) -> None:
    made.prompt()
    made.call("c1")
    made.record.reference([made.output("c1", LONG)], turn=TurnNumber(2))
    assert 'memory "recall' in made.compose(Plan(memory=True)).parts[-1].text
    assert "call it again" in made.compose(Plan(memory=False)).parts[-1].text


def test_the_digest_is_of_everything_sent_and_of_nothing_else(made: Made) -> None:
    request = made.prompt()
    digest = made.compose(Plan(request=request)).sha256
    assert made.compose(Plan()).sha256 == digest, "which layer an entry is in is not sent"
    assert made.compose(Plan(request=request, tools=(READ,))).sha256 != digest
    made.reply()
    assert made.compose(Plan(request=request)).sha256 != digest


def test_a_fill_takes_a_measurement_apart(made: Made) -> None:
    made.add(EntryKind.COMMAND, "$ make\nok")
    made.prompt("First.")
    made.call("c1")
    whole = made.output("c1", LONG)
    made.reply("Yes.")
    made.prompt("Second.")
    made.reply("No.")
    made.add(EntryKind.COMMAND, "$ ls\nok")
    request = made.prompt("Third.")
    made.call("c2")
    own = made.output("c2", LONG)
    plan = Plan(tools=(READ,), blocks=Blocks((Block("facts", "Facts."),), (Block("task", "Now."),)), request=request)
    composition = made.compose(plan)
    fill = look(made.record, composition, tokens=2 * composition.tokens, exact=True)
    layers = composition.by_layer()
    assert (fill.total, fill.exact) == (2 * composition.tokens, True)
    assert fill.request == 2 * layers[Layer.REQUEST]
    assert fill.context == fill.total - fill.request
    assert fill.instructions + fill.tools + fill.earlier + fill.literal + fill.now + fill.request == fill.total
    assert [turn.entries for turn in fill.turns] == [(2, 3, 4, 5, 6), (7, 8)]
    assert sum(turn.tokens for turn in fill.turns) + 2 * estimate_tokens("$ ls\nok") == fill.literal
    assert [output.entry for output in fill.whole] == [whole]
    assert [output.entry for output in fill.own] == [own]
    assert 0 < fill.own[0].saves < 2 * estimate_tokens(LONG)


def test_an_unanswered_call_counts_with_its_turn(made: Made) -> None:
    made.prompt()
    made.call("c1")
    request = made.prompt("Go on.")
    composition = made.compose(Plan(request=request))
    fill = look(made.record, composition, tokens=composition.tokens, exact=False)
    assert [turn.entries for turn in fill.turns] == [(2, 3)]
    assert sum(turn.tokens for turn in fill.turns) == fill.literal


def test_an_output_already_a_reference_or_too_short_for_one_is_not_offered_again(made: Made) -> None:
    made.prompt()
    made.call("c1")
    made.record.reference([made.output("c1", LONG)], turn=TurnNumber(2))
    request = made.prompt()
    made.call("c2")
    made.output("c2", "short")
    composition = made.compose(Plan(request=request))
    fill = look(made.record, composition, tokens=composition.tokens, exact=False)
    assert (fill.whole, fill.own) == ((), ())


def test_the_least_is_what_no_step_can_take_away(made: Made) -> None:
    made.prompt("First.")
    made.reply("Yes. " * 50)
    made.prompt("Second.")
    made.reply("No.")
    request = made.prompt("Third.")
    composition = made.compose(Plan(request=request, blocks=Blocks((Block("facts", "Facts."),))))
    fill = look(made.record, composition, tokens=composition.tokens, exact=False)
    assert fill.least == fill.total - fill.earlier - fill.turns[0].tokens


def produced(made: Made, *sizes: int) -> None:
    for size in sizes:
        made.prompt("p" * 999)
        made.reply("r" * size)


def test_the_headroom_is_the_mean_of_the_latest_eight_turns_without_their_prompts(made: Made) -> None:
    assert headroom(made.record, lambda entry: len(entry.text)) == 0
    produced(made, 5000, *[100] * 7, 300)
    assert headroom(made.record, lambda entry: len(entry.text)) == 125
    assert headroom(made.record, lambda entry: len(entry.text), turns=1) == 300


def test_the_headroom_counts_dropped_turns_and_leaves_the_running_one_out(made: Made) -> None:
    produced(made, 100, 300)
    made.record.drop([EntryId(2), EntryId(3)], by=EventId("0" * 16), turn=TurnNumber(3))
    made.add(EntryKind.COMMAND, "c" * 500)
    request = made.prompt()
    made.reply("r" * 9000)
    assert headroom(made.record, lambda entry: len(entry.text), before=request) == 200
