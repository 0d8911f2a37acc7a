"""Downloading one file of a known size over HTTP into a part that is kept, so that a later try goes on from there."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import BinaryIO

import httpx

from wisp_tui.models.pullable import PullError
from wisp_tui.text.sizes import human_bytes

_PIECE = 64 * 1024
_WHOLE, _PART = 200, 206
_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")


class OutOfReach(Exception):
    """The address cannot be read this way: no connection, or it asks for credentials. Says why, without the address."""


async def download(url: str, part: BinaryIO, size: int, tell: Callable[[int], None]) -> None:
    """Bring ``part`` to ``size`` bytes; ``tell`` is called with the bytes that are there.

    What it already holds is kept where the server goes on from there, and thrown away where it does not. Raises
    PullError when the download stops (the part then stays as it is) or is of another size, OutOfReach when it cannot
    begin.
    """
    if part.seek(0, 2) > size:
        part.truncate(0)
    try:
        where, login = _without_login(url)
        async with httpx.AsyncClient(timeout=httpx.Timeout(15.0, read=60.0), follow_redirects=True) as client:
            while (start := part.seek(0, 2)) < size:
                async with client.stream("GET", where, headers=_headers(start), auth=login) as response:
                    if start and not _continues(response, start, size):
                        start = part.truncate(0)
                        if response.status_code != _WHOLE:
                            continue  # asked again, for all of it
                    await _receive(response, part, start, size, tell)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise OutOfReach(type(error).__name__) from error


def _without_login(url: str) -> tuple[httpx.URL, tuple[str, str] | None]:
    """Take a name and password out of an address: there, every log of requests would show them."""
    address = httpx.URL(url)
    login = (address.username, address.password) if address.username else None
    return address.copy_with(username="", password=""), login


def _headers(start: int) -> dict[str, str]:
    return {"Accept-Encoding": "identity", **({"Range": f"bytes={start}-"} if start else {})}


def _continues(response: httpx.Response, start: int, size: int) -> bool:
    """Whether an answer goes on where the part ends, with a file of the size that is wanted."""
    found = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
    if response.status_code != _PART or found is None:
        return False
    return int(found[1]) == start and found[2] in {"*", str(size)}


async def _receive(
    response: httpx.Response, part: BinaryIO, start: int, size: int, tell: Callable[[int], None]
) -> None:
    if response.status_code not in {_WHOLE, _PART}:
        raise OutOfReach(f"status {response.status_code}")
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
