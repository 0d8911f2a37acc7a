"""Lines from a terminal with line editing, history and completion (prompt_toolkit); nothing else imports it.

Made for screen readers too: no menu is drawn and nothing is coloured; candidates are listed as lines.
"""

from __future__ import annotations

import termios
from collections.abc import Callable, Iterable
from contextlib import suppress

from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import History
from prompt_toolkit.input import Input
from prompt_toolkit.input.typeahead import clear_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.shortcuts import CompleteStyle

from wisp_tui.cli.plain_input import MARK
from wisp_tui.session import Thread
from wisp_tui.session.completing import complete
from wisp_tui.session.history import PromptHistory
from wisp_tui.text.clean import clean_line


class EditedInput:
    """Asks for lines on a terminal. ``interrupted`` is called for Ctrl-C on an empty line; True ends the input."""

    def __init__(
        self, thread: Thread, history: PromptHistory, interrupted: Callable[[], bool], source: Input, sink: Output
    ) -> None:
        self._source = source
        self._interrupted = interrupted
        self._messages: PromptSession[str] = PromptSession(
            history=_Kept(history),
            completer=_Completer(thread),
            complete_while_typing=False,
            complete_style=CompleteStyle.READLINE_LIKE,
            color_depth=ColorDepth.DEPTH_1_BIT,
            key_bindings=self._keys(),
            enable_suspend=True,
            input=source,
            output=sink,
        )
        self._answers: PromptSession[str] = PromptSession(color_depth=ColorDepth.DEPTH_1_BIT, input=source, output=sink)

    async def message(self) -> str | None:
        """Wait for the next message; None at Ctrl-D, or at a Ctrl-C that leaves."""
        with suppress(EOFError, KeyboardInterrupt):
            return await self._messages.prompt_async(MARK, handle_sigint=False)
        return None

    async def answer(self, mark: str) -> str | None:
        """Wait for an answer typed after this was called; None at Ctrl-C or Ctrl-D."""
        clear_typeahead(self._source)
        with suppress(termios.error, OSError):
            termios.tcflush(self._source.fileno(), termios.TCIFLUSH)
        with suppress(EOFError, KeyboardInterrupt):
            return await self._answers.prompt_async(mark, handle_sigint=False)
        return None

    async def above(self, write: Callable[[], None]) -> None:
        """Write above the line that is being typed, which is then shown again."""
        await run_in_terminal(write)

    def close(self) -> None:
        """Nothing is read between two questions."""

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("c-c")
        def _(event: KeyPressEvent) -> None:
            if event.current_buffer.text:
                event.current_buffer.reset()
            elif self._interrupted():
                event.app.exit(exception=EOFError)

        return keys


class _Kept(History):
    """What the person has sent, shared with the app."""

    def __init__(self, kept: PromptHistory) -> None:
        super().__init__()
        self._kept = kept

    def load_history_strings(self) -> Iterable[str]:
        return reversed(self._kept.texts)

    def store_string(self, string: str) -> None:
        with suppress(OSError):  # it stays in this session's history
            self._kept.add(string)


class _Completer(Completer):
    """Completes commands, their arguments and paths after an @, as the app does."""

    def __init__(self, thread: Thread) -> None:
        self._thread = thread

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        before = document.text_before_cursor
        found = complete(self._thread, before)
        for candidate in found.candidates:
            if candidate == clean_line(candidate):
                yield Completion(candidate, start_position=found.start - len(before))
