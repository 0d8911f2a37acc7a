"""A conversation as one HTML page: no script, nothing fetched, every text that is not ours escaped.

Outputs that were kept are given whole up to ``OUTPUT_BYTES`` each and ``PAGE_BYTES`` in all; beyond that the page says
how much there is and by which id it is shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape

from wisp_tui.config import shipped
from wisp_tui.context.record import Entry, EntryKind
from wisp_tui.context.typed import told_apart
from wisp_tui.facts import Fact, FactBook
from wisp_tui.facts.values import shown_name, shown_value
from wisp_tui.facts.words import details
from wisp_tui.outputs.captured import plain
from wisp_tui.outputs.store import NoSuchOutput
from wisp_tui.session.conversation import Conversation
from wisp_tui.session.export.leaving import Leaving, leavings
from wisp_tui.session.export.markdown import result_words, title
from wisp_tui.session.export.replies import reply_html
from wisp_tui.session.outputs import shown_output
from wisp_tui.session.toolcalls import summary
from wisp_tui.text.clean import clean_line, drawable
from wisp_tui.text.ids import CallId, EventId
from wisp_tui.text.json import load_object
from wisp_tui.text.sizes import count, human_bytes, shorten

OUTPUT_BYTES = 256 * 1024
"""Bytes of one stored output that the page holds at most."""
PAGE_BYTES = 16 * 1024 * 1024
"""Bytes of stored outputs that the page holds in all; after them an output is given as the model was shown it."""
_LISTED = 90
"""Characters of a prompt in the list of turns."""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""What the page asks of the browser that shows it: should a text get past the escaping, nothing is run or fetched."""


def html(conversation: Conversation) -> str:
    """Write a conversation as an HTML page, clean: turns, calls folded with their outputs, facts, the summary."""
    return "\n".join(_Page(conversation).lines())


@dataclass(slots=True)
class _Page:
    held: Conversation
    _spent: int = 0
    """Bytes of stored outputs so far."""
    _left: dict[EventId, Leaving] = field(init=False)
    _outputs: dict[CallId, Entry] = field(init=False)
    _calls: frozenset[CallId] = field(init=False)

    def __post_init__(self) -> None:
        self._left = leavings(self.held.record)
        entries = (entry for entry in self.held.record if entry.kind is EntryKind.OUTPUT)
        self._outputs = {entry.output.call: entry for entry in entries if entry.output is not None}
        self._calls = frozenset(entry.call.id for entry in self.held.record if entry.call is not None)

    def lines(self) -> Iterator[str]:
        name = _line(title(self.held))
        yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
        yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
        yield '<meta name="referrer" content="no-referrer">'
        yield f"<title>{name}</title>\n<style>\n{shipped('resources', 'page.css').read_text('utf-8')}</style>\n</head>"
        yield f"<body>\n<header>\n<h1>{name}</h1>\n{self._about()}\n</header>"
        yield from self._contents()
        yield "<main>"
        for entry in self.held.record:
            yield from self._entry(entry)
        yield from self._condensations()
        yield from self._facts()
        yield "</main>\n</body>\n</html>\n"

    def _about(self) -> str:
        held = self.held
        prompts = sum(1 for entry in held.record if entry.kind is EntryKind.PROMPT)
        said = [held.resolved.id, str(held.directory)] if held.resolved is not None else []
        said += [count(prompts, "turn"), f"written {held.clock.now():%Y-%m-%d %H:%M}"]
        return f'<p class="about">{" · ".join(_line(part) for part in said)}</p>'

    def _contents(self) -> Iterator[str]:
        prompts = [entry for entry in self.held.record if entry.kind is EntryKind.PROMPT]
        if len(prompts) < 2:
            return
        yield "<nav><details><summary>turns</summary><ol>"
        for entry in prompts:
            said = _line(shorten(clean_line(entry.text), _LISTED))
            yield f'<li value="{entry.turn}"><a href="#e{entry.id}">{said}</a></li>'
        yield "</ol></details></nav>"

    def _entry(self, entry: Entry) -> Iterator[str]:
        match entry.kind:
            case EntryKind.PROMPT:
                yield f'<h2 id="e{entry.id}">Turn {entry.turn}{_at(entry)}{self._leaving(entry)}</h2>'
                yield f'<div class="prompt">{_text(entry.text.strip())}</div>'
            case EntryKind.REPLY:
                yield f'<div class="reply" id="e{entry.id}">{reply_html(entry.text) or "<p>(no text)</p>"}</div>'
                if entry.stopped:
                    yield f'<p class="stopped">{_line(entry.stopped)}</p>'
            case EntryKind.CALL if entry.call is not None:
                yield from self._call(entry, entry.call.tool, self._outputs.get(entry.call.id))
            case EntryKind.COMMAND:
                yield from self._typed(entry)
            case EntryKind.OUTPUT if entry.output is not None and entry.output.call not in self._calls:
                yield from self._folded(entry, "a result whose call is not here", self._printed(entry))
            case EntryKind.UNKNOWN:
                yield from self._folded(entry, "an entry of a later version", (_pre(entry.text),))
            case _:
                return

    def _call(self, entry: Entry, tool: str, output: Entry | None) -> Iterator[str]:
        said = f"⚙ <bdi>{_line(tool)}</bdi>"
        said += f" <code>{_line(given)}</code>" if (given := summary(entry.text)) else ""
        result: tuple[str, ...] = ('<p class="soft">it has no result</p>',)
        if output is not None and output.output is not None:
            ending = "" if output.output.ok and not output.output.exit_status else ' <span class="failed">✗</span>'
            said, result = said + ending, tuple(self._printed(output))
        arguments = f"<figure><figcaption>arguments</figcaption>{_pre(_indented(entry.text))}</figure>" if given else ""
        yield from self._folded(entry, said, (arguments, *result))

    def _typed(self, entry: Entry) -> Iterator[str]:
        line, printed = told_apart(entry.text)
        yield from self._folded(
            entry, f"! <code>{_line(line)}</code>{_at(entry)}", tuple(self._printed(entry, printed))
        )

    def _folded(self, entry: Entry, said: str, inside: tuple[str, ...] | Iterator[str]) -> Iterator[str]:
        yield f'<details id="e{entry.id}"><summary>{said}</summary>'
        yield from inside
        yield "</details>"

    def _printed(self, entry: Entry, text: str | None = None) -> Iterator[str]:
        """Give an output: all that was kept of it where there is room, else what the model was shown."""
        shown = text if text is not None else entry.text
        stored, store = shown_output(self.held, entry).stored, self.held.store
        remark = result_words(entry)
        if stored is not None and store is not None and self._spent < PAGE_BYTES:
            try:
                data = store.page(stored, 0, OUTPUT_BYTES).data
            except NoSuchOutput:
                pass  # it went away meanwhile: what the model was shown is still here
            else:
                self._spent += len(data)
                shown = plain(data)
                remark = remark.removesuffix(", as the model was shown it")
                if stored.bytes > len(data):
                    remark += f"; the first {human_bytes(len(data))}, /show {stored.call} shows all of it"
        elif stored is not None:
            remark += f"; /show {stored.call} shows all of it"
        yield f"<figure><figcaption>{_line(remark)}</figcaption>{_pre(shown)}</figure>"

    def _leaving(self, entry: Entry) -> str:
        """Say of a turn that it has left the context, and lead to where that happened."""
        by = self.held.record.state(entry.id).dropped_by
        if by is None or by not in self._left:
            return ""
        return f' <a class="left" href="#c{self._left[by].number}">left the context</a>'

    def _condensations(self) -> Iterator[str]:
        if not self._left:
            return
        yield '<h2 id="condensations">Condensations</h2>\n<ol>'
        for leaving in self._left.values():
            yield f'<li id="c{leaving.number}">{_line(leaving.words)}</li>'
        yield "</ol>"

    def _facts(self) -> Iterator[str]:
        keeper = self.held.facts
        if keeper is None:
            return
        if (current := keeper.summaries.current) is not None:
            said = f"version {current.version}, of {count(current.covered, 'turn')}, by {current.model}"
            yield f'<h2 id="summary">Summary</h2>\n<p class="summary">{_text(current.text)}</p>'
            yield f'<p class="soft">{_line(said)}</p>'
        book = keeper.present
        if len(book):
            yield '<h2 id="facts">Facts</h2>\n<table><tr><th>id</th><th>fact</th><th>value</th><th>from</th></tr>'
            yield from (_row(book, fact) for fact in book)
            yield "</table>"


def _row(book: FactBook, fact: Fact) -> str:
    topic = f"{fact.identity.subject} {shown_name(fact.identity.name)}"
    cells = (fact.id, topic, shown_value(fact.value), details(fact, book.disagreeing(fact)))
    return f"<tr>{''.join(f'<td>{_line(cell)}</td>' for cell in cells)}</tr>"


def _at(entry: Entry) -> str:
    return f" · {entry.time:%Y-%m-%d %H:%M}" if entry.time is not None else ""


def _text(text: str) -> str:
    return escape(drawable(text))


def _line(text: str) -> str:
    return escape(clean_line(drawable(text)))


def _pre(text: str) -> str:
    return f"<pre>\n{_text(text.rstrip())}</pre>"


def _indented(arguments: str) -> str:
    """Write a call's arguments to be read; as the model wrote them where they are no JSON object."""
    try:
        return json.dumps(load_object(arguments or "{}"), indent=2, ensure_ascii=False)
    except (ValueError, TypeError, RecursionError):
        return arguments
