"""What a hub says of a model's repository over its API: its GGUF files, their sizes and checksums, its licence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

import httpx

from wisp_tui.models.download import OutOfReach, without_login
from wisp_tui.models.fields import obj, objects, text, whole
from wisp_tui.models.hub_address import LOGIN_VARIABLE, Wish
from wisp_tui.models.ollama_address import shown_address
from wisp_tui.models.pullable import PullError
from wisp_tui.text.clean import clean_line
from wisp_tui.text.json import JsonObject, load_object
from wisp_tui.text.sizes import shorten

_ENDING = ".gguf"
_MOST_BYTES = 32 << 20
"""Bytes of an answer that are read; a repository of thousands of files takes a few MiB."""
_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+=-]{0,200}", re.ASCII)
_PART = re.compile(r"-\d{5}-of-(\d{5})$")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_FIRST_BYTE = {"Range": "bytes=0-0", "Accept-Encoding": "identity"}
_RANGE = re.compile(r"bytes \d+-\d+/(\d+)")


class SeveralFiles(Exception):
    """A repository has several GGUF files and none was named, or several are meant; ``files`` are those."""

    def __init__(self, wish: Wish, files: tuple[HubFile, ...]) -> None:
        super().__init__(f"{wish.repository} has {len(files):,} GGUF files of that kind; name one of them")
        self.files = files
        self._wish = wish

    def asked(self, file: HubFile) -> str:
        """Write what asks for one of the files."""
        wish = self._wish
        if "://" not in wish.asked:
            return f"{wish.repository}:{file.path}"
        return f"{shown_address(wish.hub)}/{wish.repository}/resolve/{wish.revision or 'main'}/{quote(file.path)}"


@dataclass(frozen=True, slots=True)
class HubFile:
    """A GGUF file of a repository. ``size`` in bytes; ``sha256`` empty where the hub announces none."""

    path: str
    size: int
    sha256: str = ""

    @property
    def name(self) -> str:
        """The file's name in the home's models. Raises PullError for one that would not be a plain name there."""
        folder, _, last = self.path.rpartition("/")
        stem = last[: -len(_ENDING)]
        if not _FILE.fullmatch(stem) or any(part in {"", ".", ".."} for part in folder.split("/") if folder):
            raise PullError(f"{self.path!r:.200} is no name that wisp stores a file under")
        return stem + _ENDING


@dataclass(frozen=True, slots=True)
class HubPlan:
    """One file to be pulled, as it is told to the person first. Sizes are in bytes; the address may hold a login."""

    name: str
    asked: str
    what: str
    licence: str
    file: str
    size: int
    sha256: str
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    where: str = "the server"
    """Who is asked, in words for a fault."""

    @property
    def download_size(self) -> int:
        """Bytes to be fetched: all of it."""
        return self.size


async def plan_of(wish: Wish, token: str = "") -> HubPlan:
    """Ask what a wish comes to; ``token`` is sent to the wish's own hub alone. Raises PullError, SeveralFiles."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return await _plain_plan(wish) if wish.whole else await _hub_plan(wish, headers)


async def _hub_plan(wish: Wish, headers: Mapping[str, str]) -> HubPlan:
    where = f"{wish.repository} at {shown_address(wish.hub)}"
    revision = f"/revision/{quote(wish.revision, safe='')}" if wish.revision else ""
    api = f"{wish.hub}/api/models/{wish.repository}{revision}?blobs=true"
    try:
        told = await _asked(api, headers)
    except OutOfReach as error:
        raise PullError(refusal(where, error)) from error
    file = chosen(wish, _files(told))
    commit = text(told.get("sha")) or wish.revision or "main"
    return HubPlan(
        name=file.name[: -len(_ENDING)],
        asked=wish.asked,
        what=f"{file.path} of {where}",
        licence=_licence(told),
        file=file.name,
        size=file.size,
        sha256=file.sha256,
        url=f"{wish.hub}/{wish.repository}/resolve/{quote(commit, safe='')}/{quote(file.path)}",
        headers=headers,
        where=where,
    )


async def _plain_plan(wish: Wish) -> HubPlan:
    where = shown_address(wish.asked)
    try:
        size = await _size(wish.whole)
    except OutOfReach as error:
        raise PullError(refusal(where, error)) from error
    file = HubFile(wish.file, size)
    return HubPlan(
        name=file.name[: -len(_ENDING)],
        asked=wish.asked,
        what=f"the file {where}",
        licence="the server does not say",
        file=file.name,
        size=size,
        sha256="",
        url=wish.whole,
        where=where,
    )


def chosen(wish: Wish, files: tuple[HubFile, ...]) -> HubFile:
    """Take the file that is meant: by its path, its name, or a word at its end (``Q4_K_M``); the only one for none.

    Raises PullError where none is meant or it comes in parts, SeveralFiles where several are.
    """
    if not files:
        raise PullError(f"{wish.repository} has no GGUF file, which is what the embedded runtime runs")
    wanted = wish.file.casefold()
    exact = [file for file in files if wish.file in {file.path, file.path.rpartition("/")[2]}]
    meant = exact or [file for file in files if _is_meant(file, wanted)]
    single = tuple(file for file in meant if not _parts(file))
    if len(single) == 1:
        return single[0]
    if single:
        raise SeveralFiles(wish, single)
    if meant:
        raise PullError(f"{meant[0].path} is one of {_parts(meant[0])} parts; wisp runs models that are one file")
    raise PullError(f"{wish.repository} has no GGUF file {clean_line(wish.file)!r:.120}; without a name it lists them")


def _is_meant(file: HubFile, wanted: str) -> bool:
    name = file.path.rpartition("/")[2].casefold()
    if not wanted:
        return not name.startswith("mmproj")  # what lets a model see pictures: no model by itself
    stem = name.removesuffix(_ENDING)
    return wanted in {name, stem, file.path.casefold()} or stem.endswith((f"-{wanted}", f".{wanted}", f"_{wanted}"))


def _parts(file: HubFile) -> int:
    """Say in how many parts a model comes that this file is one of; 0 for a whole one."""
    found = _PART.search(file.path[: -len(_ENDING)])
    return int(found[1]) if found else 0


def _files(told: JsonObject) -> tuple[HubFile, ...]:
    """Read the GGUF files of a repository, the smallest first."""
    found: list[HubFile] = []
    for item in objects(told.get("siblings")):
        path, lfs = text(item.get("rfilename")), obj(item.get("lfs"))
        size = whole(lfs.get("size")) or whole(item.get("size"))
        digest = (text(lfs.get("sha256")) or text(lfs.get("oid")).removeprefix("sha256:")).lower()
        if path.lower().endswith(_ENDING) and size is not None:
            found.append(HubFile(path, size, digest if _SHA256.fullmatch(digest) else ""))
    return tuple(sorted(found, key=lambda file: (file.size, file.path)))


def _licence(told: JsonObject) -> str:
    named = text(obj(told.get("cardData")).get("license"))
    tags = told.get("tags")
    tagged = [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []
    found = named or next((tag.partition(":")[2] for tag in tagged if tag.startswith("license:")), "")
    return shorten(clean_line(found), 80) or "the hub does not say"


async def _asked(address: str, headers: Mapping[str, str]) -> JsonObject:
    """Ask the API; raises OutOfReach, PullError for an answer that is no hub's."""
    async with _client() as client:
        try:
            where, login = without_login(address)
            async with client.stream("GET", where, headers=dict(headers), auth=login) as response:
                _hold(response)
                data = bytearray()
                async for piece in response.aiter_bytes():
                    data += piece
                    if len(data) > _MOST_BYTES:
                        raise PullError("the hub's answer does not end; it is none that wisp reads")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise OutOfReach(type(error).__name__) from error
    try:
        return load_object(bytes(data))
    except ValueError as error:
        raise PullError(
            f"what answers at {shown_address(address).partition('/api/')[0]} is no hub of models"
        ) from error


async def _size(address: str) -> int:
    """Ask for a file's size by its first byte: many servers answer no other question. Raises OutOfReach, PullError."""
    async with _client() as client:
        try:
            where, login = without_login(address)
            async with client.stream("GET", where, headers=_FIRST_BYTE, auth=login) as got:
                _hold(got)
                ranged = _RANGE.fullmatch(got.headers.get("Content-Range", ""))
                size = ranged[1] if ranged is not None else got.headers.get("Content-Length", "")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise OutOfReach(type(error).__name__) from error
    if not size.isascii() or not size.isdigit():
        raise PullError("the server does not say how large the file is, so there is no knowing when it is whole")
    return int(size)


def _client() -> httpx.AsyncClient:
    return httpx.AsyncClient(timeout=httpx.Timeout(15.0, read=60.0), follow_redirects=True)


def _hold(response: httpx.Response) -> None:
    if not response.is_success:
        raise OutOfReach(f"status {response.status_code}", response.status_code)


def refusal(where: str, error: OutOfReach) -> str:
    """Say why a hub gives nothing, and what to do."""
    match error.status:
        case None if str(error) == "TooManyRedirects":
            return f"{where}: it redirects without end"
        case None:
            return f"{where} cannot be reached ({error}); see whether the network is there and pull again"
        case 401 | 403:
            return (
                f"{where} is not given to everyone (status {error.status}), or is not there: get access on its page, "
                f"then put your token into {LOGIN_VARIABLE}; it is sent only to the hub of models.hub"
            )
        case 404 | 410:
            return f"{where} is not there (status {error.status})"
        case 429:
            return f"{where}: the hub has had too many requests (status 429); wait and pull again"
        case status:
            return f"{where}: the hub fails (status {status}); pull again later"
