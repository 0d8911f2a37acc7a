"""What the model is told of a command the person typed: its line, whose act it was, what it came to. Pure."""

from __future__ import annotations

MARK = "!"
"""What a message begins with that is a command."""
NOTICE = "[the person ran this command themselves; it asks nothing of you]"


def told(line: str, output: str) -> str:
    """Write a command and its output as one text; ``line`` is clean."""
    return f"{MARK} {line}\n{NOTICE}\n{output}"


def told_apart(text: str) -> tuple[str, str]:
    """Part such a text again: the command line, and what it came to."""
    line, _, output = text.partition(f"\n{NOTICE}\n")
    return line.removeprefix(f"{MARK} "), output
