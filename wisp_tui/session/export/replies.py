"""A reply's Markdown as HTML that asks nothing of the reader's browser: no raw HTML, no image, links of three kinds."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from wisp_tui.text.clean import drawable

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_LINKED = ("http://", "https://", "mailto:")
"""Where a link may lead. A page that leads to files or scripts of the reader's machine is none to pass on."""


@cache
def _reader() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def reply_html(text: str) -> str:
    """Write a reply's Markdown as HTML, clean: HTML in it is shown as it is written, an image as a link to it."""
    reader = _reader()
    tokens = reader.parse(drawable(text))
    for token in tokens:
        if token.children:
            token.children = list(_tamed(token.children))
    return drawable(str(reader.renderer.render(tokens, reader.options, {})))  # a reference may have named a character


def _tamed(tokens: list[Token]) -> Iterator[Token]:
    from markdown_it.token import Token

    within_link = False
    for token in tokens:
        match token.type:
            case "image":
                address, alt = str(token.attrs.get("src", "")), token.content or "image"
                if within_link:
                    yield _text(alt)
                else:
                    opening = Token("link_open", "a", 1, attrs={"href": address})
                    yield from (_safe(opening), _text(f"[{alt}]"), Token("link_close", "a", -1))
            case "link_open" | "link_close":
                within_link = token.type == "link_open"
                yield _safe(token)
            case _:
                yield token


def _safe(link: Token) -> Token:
    """Let a link lead where links may, and tell nobody where it was followed from."""
    address = str(link.attrs.get("href", ""))
    link.attrs = {"href": address, "rel": "noreferrer noopener nofollow"} if address.startswith(_LINKED) else {}
    return link


def _text(words: str) -> Token:
    from markdown_it.token import Token

    return Token("text", "", 0, content=words)
