"""What a read resource comes to: JSON, JSON Lines or text, in pages; and how it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from wisp_tui.mcp.paging import Page, page_of, text_page
from wisp_tui.mcp.uris import Address
from wisp_tui.text.json import Json, JsonObject, dump

JSON = "application/json"
JSON_LINES = "application/x-ndjson"
MARKDOWN = "text/markdown"
PLAIN = "text/plain"


class NotThere(Exception):
    """What is asked for is not there; the message says what is."""


@dataclass(frozen=True, slots=True)
class Content:
    """A resource's text, its type, and for what has no room for it which page it is."""

    mime: str
    text: str
    about: Mapping[str, Json] | None = None


def as_object(fields: JsonObject) -> Content:
    """Give a JSON object that is never paged."""
    return Content(JSON, dump(fields).decode())


def as_rows(
    address: Address,
    name: str,
    rows: Iterable[JsonObject],
    first: JsonObject | None = None,
    last: JsonObject | None = None,
) -> Content:
    """Give a page of a collection under its name, ``first`` and ``last`` around it. Raises NoSuchPage."""
    page = page_of(rows, address.page, lambda row: len(dump(row)))
    return as_object({**(first or {}), name: list(page.rows), **(last or {}), **_about(address, page)})


def as_lines(address: Address, lines: Iterable[bytes]) -> Content:
    """Give a page of JSON Lines. Raises NoSuchPage."""
    page = page_of(lines, address.page, len)
    return Content(JSON_LINES, b"".join(page.rows).decode("utf-8", "replace"), _about(address, page))


def as_text(address: Address, lines: Iterable[str], mime: str = PLAIN, more: JsonObject | None = None) -> Content:
    """Give a page of a text that comes line by line. Raises NoSuchPage."""
    page = text_page(lines, address.page)
    return Content(mime, "".join(page.rows), {**_about(address, page), **(more or {})})


def lines_of(text: str) -> Iterator[str]:
    """Split a text at its newlines."""
    yield from text.split("\n")


def _about(address: Address, page: Page[bytes] | Page[str] | Page[JsonObject]) -> dict[str, Json]:
    return {
        "page": page.number,
        "pages": page.pages,
        "total": page.total,
        "next": address.at(page.next) if page.next is not None else None,
    }


def unlisted(address: Address, known: Sequence[str]) -> NotThere:
    """Say that an address names nothing."""
    return NotThere(f"{address.uri} names nothing; there are: {', '.join(known)}")
