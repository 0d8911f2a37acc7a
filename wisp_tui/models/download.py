"""Downloading one file of a known size over HTTP into a part that is kept, so that a later try goes on from there."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import BinaryIO, Protocol

import httpx

from wisp_tui.models.pullable import PullError
from wisp_tui.text.sizes import human_bytes

_PIECE = 64 * 1024
_WHOLE, _PART = 200, 206
_REFUSED = frozenset({401, 403, 404, 407, 429, *range(500, 600)})
"""Answers that say nothing of the part: it stays for a later try."""
_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")


class OutOfReach(Exception):
    """The address cannot be read this way: no connection, or it asks for credentials. Says why, without the address.

    ``status`` is the server's, None where none answered.
    """

    def __init__(self, why: str, status: int | None = None) -> None:
        super().__init__(why)
        self.status = status


class Version(Protocol):
    """Remembers which version of a file a part is of, by the server's own mark (its strong ``ETag``)."""

    @property
    def mark(self) -> str:
        """The mark of what the part holds; empty for none."""
        ...

    def keep(self, mark: str) -> None:
        """Remember the mark of what comes now."""
        ...


async def download(
    url: str,
    part: BinaryIO,
    size: int,
    tell: Callable[[int], None],
    *,
    headers: Mapping[str, str] | None = None,
    version: Version | None = None,
) -> None:
    """Bring ``part`` to ``size`` bytes; ``tell`` is called with the bytes that are there.

    What it already holds is kept where the server goes on from there, and thrown away where it does not, or where it
    has another ``version`` by now. ``headers`` are sent to the address's own server alone. Raises PullError when the
    download stops (the part then stays as it is) or is of another size, OutOfReach when it cannot begin.
    """
    if part.seek(0, 2) > size:
        part.truncate(0)
    try:
        where, login = without_login(url)
        async with httpx.AsyncClient(timeout=httpx.Timeout(15.0, read=60.0), follow_redirects=True) as client:
            while (start := part.seek(0, 2)) < size:
                mark = version.mark if version is not None else ""
                asked = {**(headers or {}), **_headers(start, mark)}
                async with client.stream("GET", where, headers=asked, auth=login) as response:
                    if start and response.status_code not in _REFUSED and not _continues(response, start, size, mark):
                        start = part.truncate(0)
                        if response.status_code != _WHOLE:
                            continue  # asked again, for all of it
                    if version is not None and response.is_success:
                        version.keep(_strong(response))
                    await _receive(response, part, start, size, tell)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise OutOfReach(type(error).__name__) from error


def without_login(url: str) -> tuple[httpx.URL, tuple[str, str] | None]:
    """Take a name and password out of an address: in one, every log of requests would show them."""
    address = httpx.URL(url)
    login = (address.username, address.password) if address.username else None
    return address.copy_with(username="", password=""), login


def _headers(start: int, mark: str) -> dict[str, str]:
    ranged = {"Range": f"bytes={start}-", **({"If-Range": mark} if mark else {})} if start else {}
    return {"Accept-Encoding": "identity", **ranged}


def _strong(response: httpx.Response) -> str:
    """Give an answer's mark, empty for none and for a weak one, which says nothing of bytes."""
    mark = response.headers.get("ETag", "")
    return mark if mark.startswith('"') else ""


def _continues(response: httpx.Response, start: int, size: int, mark: str) -> bool:
    """Whether an answer goes on where the part ends, with the file and the size that are wanted."""
    found = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
    if response.status_code != _PART or found is None or (mark and _strong(response) not in {"", mark}):
        return False
    return int(found[1]) == start and found[2] in {"*", str(size)}


async def _receive(
    response: httpx.Response, part: BinaryIO, start: int, size: int, tell: Callable[[int], None]
) -> None:
    if response.status_code not in {_WHOLE, _PART}:
        raise OutOfReach(f"status {response.status_code}", response.status_code)
    have = part.seek(start)
    try:
        async for piece in response.aiter_raw(_PIECE):
            have += part.write(piece)
            if have > size:
                break
            tell(have)
    except httpx.HTTPError as error:
        raise _stopped(have, size) from error
    except OSError as error:
        raise PullError(f"it cannot be stored: {error.strerror or error}; {human_bytes(have)} are kept") from error
    finally:
        part.flush()
    if have > size:
        part.truncate(0)
        raise PullError(f"the file is larger than the {human_bytes(size)} announced; it was deleted; pull again")
    if have < size:
        raise _stopped(have, size)


def _stopped(have: int, size: int) -> PullError:
    return PullError(
        f"the download stopped at {human_bytes(have)} of {human_bytes(size)}; pull again to go on from there"
    )
