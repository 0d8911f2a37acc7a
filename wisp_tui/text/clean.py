"""How text from a model, tool, file or server is made safe to show and to store (promise 10)."""

from __future__ import annotations

import re
import unicodedata
from collections import deque

# ECMA-48: strings (OSC, DCS, SOS, PM, APC) up to their terminator, CSI sequences, two-byte escapes; then every C0
# and C1 control but tab and newline. An unterminated string runs to its line's end, so it cannot swallow the rest.
_STRING = r"(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x1b\x07\x9c\r\n]*(?:\x1b\\|\x07|\x9c)?"
_CSI = r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
_ESCAPE = r"\x1b[ -/]*[0-~]?"
_SEQUENCES = re.compile(f"{_STRING}|{_CSI}|{_ESCAPE}")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_INVISIBLE = {"Cc", "Cf", "Zl", "Zp"}


def encodable(text: str) -> str:
    """Replace lone surrogates with U+FFFD, so that the text can be written as UTF-8."""
    return _SURROGATES.sub("\ufffd", text) if not text.isascii() else text


def clean(text: str) -> str:
    """Remove terminal control sequences and control characters, keeping tabs and newlines; CRLF becomes a newline.

    What is left can be written to a terminal: no byte of it starts a control sequence in any of the seven- or eight-bit
    forms. Text with no control characters comes back as it is.
    """
    text = encodable(text)
    if text.isprintable():
        return text
    text = _SEQUENCES.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return _CONTROLS.sub("", text)


def clean_line(text: str) -> str:
    """Clean text for a place of one line (a title, a toast, a row): newlines and tabs become spaces."""
    return " ".join(clean(text).split())


_REORDERING = dict.fromkeys((0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\ufffd")
"""The marks that change the direction of the text after them, or end a line for some: drawn, they could make a line
read as another one."""
_ONE_ROW = {**dict.fromkeys((*range(0x20), *range(0x7F, 0xA0)), "\ufffd"), 0x09: " ", 0x0A: " ", **_REORDERING}


def drawable(text: str) -> str:
    """Make text that is not ours fit to be drawn: no control characters, and nothing that reorders what is read."""
    text = clean(text)
    return text if text.isascii() else text.translate(_REORDERING)


def one_row(text: str) -> str:
    """Make text one row of a screen, each of its characters still one: what no row may hold is replaced.

    The last guard before a terminal, for text that should be clean by then.
    """
    return text if text.isprintable() else encodable(text).translate(_ONE_ROW)


def visible(text: str) -> str:
    """Show each invisible or control character but newline as its code point, for text a person must judge.

    A right-to-left override shows as ``<U+202E>``: nothing in a command that waits for
    approval can hide or reorder the rest.
    """
    text = encodable(text)
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        f"<U+{ord(char):04X}>" if char != "\n" and unicodedata.category(char) in _INVISIBLE else char for char in text
    )


def last_frames(text: str) -> str:
    """Keep the last frame of each line that was redrawn with carriage returns, as a terminal would at the end."""
    text = text.replace("\r\n", "\n")
    if "\r" not in text:
        return text
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))


class StreamCleaner:
    """Cleans text that arrives in fragments: a control sequence split over fragments is removed as one.

    What ``feed`` returns, joined, and then ``end``, is what ``clean`` would make of the whole. However long a sequence
    is, only what tells how it goes on is kept of it.
    """

    def __init__(self) -> None:
        self._held = ""

    def feed(self, fragment: str) -> str:
        """Return the clean text that is sure by now; a sequence that may go on in the next fragment waits for it."""
        text = self._held + fragment
        keep = _open_sequence(text)
        self._held = _abridged(text[keep:])
        return clean(text[:keep])

    def end(self) -> str:
        """Return what was still held, clean."""
        text, self._held = self._held, ""
        return clean(text)


_OPEN_STRING = re.compile(r"(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x1b\x07\x9c\r\n]*")
_OPEN_CSI = re.compile(r"((?:\x1b\[|\x9b)[0-?]*)([ -/]*)")
_OPEN_ESCAPE = re.compile(r"\x1b[ -/]*")


def _open_sequence(text: str) -> int:
    """Return where a sequence that the text does not end begins, or the text's length."""
    if text.isprintable():
        return len(text)
    if text.endswith("\r"):
        return len(text) - 1  # the newline that may follow belongs to it
    last = next(iter(deque(_SEQUENCES.finditer(text), maxlen=1)), None)
    if last is None or last.end() != len(text) or not _abridged(last[0]):
        return len(text)
    return last.start()


def _abridged(sequence: str) -> str:
    """Shorten an open sequence to what decides how it goes on; empty for one that is complete."""
    if _OPEN_STRING.fullmatch(sequence):
        return sequence[:2] if sequence[0] == "\x1b" else sequence[0]
    if csi := _OPEN_CSI.fullmatch(sequence):
        return ("\x1b[" if sequence[0] == "\x1b" else "\x9b") + csi[2][:1]
    if _OPEN_ESCAPE.fullmatch(sequence):
        return sequence[:2]
    return sequence if sequence == "\r" else ""
