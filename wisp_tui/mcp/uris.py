"""The addresses of what can be read, ``wisp://…``: made, and taken apart strictly.

A part of a path is decoded once, and must then be a name: no slash, no control character, not empty, not dots alone.
What is no address raises ``BadUri``, which names the fault.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

SCHEME = "wisp://"
_BROKEN = re.compile(r"%(?![0-9A-Fa-f]{2})")
_PAGE = re.compile(r"[1-9][0-9]{0,8}")
SHOWN = 120
"""Characters of an address that a message repeats."""


class BadUri(Exception):
    """An address cannot be read; the message says what is wrong with it."""

    def __init__(self, uri: str, why: str) -> None:
        super().__init__(f"{uri!r:.{SHOWN}}: {why}")


@dataclass(frozen=True, slots=True)
class Address:
    """An address taken apart: the names of its path, whether all is asked for, and which page, from 1."""

    path: tuple[str, ...]
    everything: bool = False
    page: int = 1

    @property
    def uri(self) -> str:
        """The address of its first page."""
        return address(*self.path) + ("?all=true" if self.everything else "")

    def at(self, page: int) -> str:
        """Give the address of a page of it."""
        return f"{self.uri}{'&' if self.everything else '?'}page={page}"


def address(*path: str) -> str:
    """Write an address."""
    return SCHEME + "/".join(quote(name, safe="") for name in path)


def read_address(uri: str) -> Address:
    """Take an address apart. Raises BadUri."""
    if not uri.startswith(SCHEME):
        raise BadUri(uri, f"it does not begin with {SCHEME}")
    rest = uri.removeprefix(SCHEME)
    if "#" in rest:
        raise BadUri(uri, "it has a fragment")
    path, asked, query = rest.partition("?")
    names = tuple(_name(uri, part) for part in path.split("/"))
    everything, page = _query(uri, query) if asked else (False, 1)
    return Address(names, everything, page)


def _name(uri: str, part: str) -> str:
    if _BROKEN.search(part):
        raise BadUri(uri, "it has a % that encodes nothing")
    try:
        name = unquote(part, errors="strict")
    except UnicodeDecodeError as error:
        raise BadUri(uri, "what it encodes is not UTF-8") from error
    if not name:
        raise BadUri(uri, "a part of its path is empty")
    if "/" in name or "\\" in name:
        raise BadUri(uri, "a part of its path holds an encoded slash")
    if not name.strip("."):
        raise BadUri(uri, "a part of its path is dots alone")
    if not name.isprintable():
        raise BadUri(uri, "a part of its path holds a control character")
    return name


def _query(uri: str, query: str) -> tuple[bool, int]:
    everything, page = False, 1
    for pair in query.split("&"):
        match pair.partition("="):
            case ("all", _, "true" | "false" as value):
                everything = value == "true"
            case ("page", _, value) if _PAGE.fullmatch(value):
                page = int(value)
            case (name, _, _):
                raise BadUri(uri, f"{name!r:.40} is asked wrongly: all=true and page=N are what can be")
    return everything, page
