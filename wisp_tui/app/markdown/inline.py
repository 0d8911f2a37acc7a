"""What stands inside a paragraph: text with its emphasis, code and links, as lines with spans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from wisp_tui.app.rows import Role, Span

if TYPE_CHECKING:
    from markdown_it.token import Token

Inline: TypeAlias = "tuple[tuple[str, tuple[Span, ...]], ...]"
"""Lines of text, each with its spans: a hard or soft break begins a new one."""

_ROLES = {"strong": Role.STRONG, "em": Role.EMPHASIS, "s": Role.STRUCK, "link": Role.LINK}


class _Line:
    """The line being put together."""

    def __init__(self) -> None:
        self.done: list[tuple[str, tuple[Span, ...]]] = []
        self.open: list[tuple[str, int, str]] = []
        self._text: list[str] = []
        self._spans: list[Span] = []
        self._length = 0

    def say(self, text: str, role: Role | None = None) -> None:
        text = text.replace("\t", " ").replace("\n", " ")
        if role is not None:
            self._spans.append(Span(self._length, self._length + len(text), role))
        self._text.append(text)
        self._length += len(text)

    def begin(self, kind: str, target: str = "") -> None:
        self.open.append((kind, self._length, target))

    def finish(self, kind: str) -> tuple[str, str]:
        """End what was begun last; return its text on this line and its target."""
        _, start, target = self.open.pop()
        if (role := _ROLES.get(kind)) is not None and self._length > start:
            self._spans.append(Span(start, self._length, role))
        return "".join(self._text)[start:], target

    def end(self) -> None:
        """End the line; what is open goes on in the next."""
        for kind, start, _ in self.open:
            if (role := _ROLES.get(kind)) is not None and self._length > start:
                self._spans.append(Span(start, self._length, role))
        self.done.append(("".join(self._text), tuple(sorted(self._spans, key=lambda span: span.start))))
        self.open = [(kind, 0, target) for kind, _, target in self.open]
        self._text, self._spans, self._length = [], [], 0


def inline_text(tokens: Sequence[Token]) -> Inline:
    """Put inline tokens together. A link shows its address after its text, http and https alone count as links."""
    line = _Line()
    for token in tokens:
        kind, _, edge = token.type.rpartition("_")
        match kind, edge:
            case ("link", "open"):
                target = str(token.attrs.get("href", ""))
                line.begin("link" if _is_web(target) else "text", target)
            case ("link", "close"):
                _end_link(line)
            case (_, "open"):
                line.begin(kind)
            case (_, "close"):
                line.finish(kind)
            case _:
                _say(line, token)
    line.end()
    return tuple(line.done)


def _say(line: _Line, token: Token) -> None:
    match token.type:
        case "code_inline":
            line.say(token.content, Role.CODE)
        case "softbreak":
            line.say(" ")
        case "hardbreak":
            line.end()
        case "image":
            line.say(f"[image: {token.content or token.attrs.get('src', '')}]", Role.MUTED)
        case _:
            line.say(token.content)


def _end_link(line: _Line) -> None:
    text, target = line.finish(line.open[-1][0])
    if target and target not in {text, f"mailto:{text}"}:
        line.say(f" ({target})", Role.MUTED)


def _is_web(target: str) -> bool:
    return target.startswith(("https://", "http://"))
