"""Which model of which hub is meant: ``OWNER/REPO``, ``OWNER/REPO:FILE``, or an address as a browser shows it. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from wisp_tui.models.ollama_address import shown_address
from wisp_tui.models.pullable import PullError

VARIABLE = "HF_ENDPOINT"
"""The variable that names a hub, as the hubs' own programs read it."""
LOGIN_VARIABLE = "HF_TOKEN"
"""The variable that holds the person's token for that hub."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
_BY_NAME = re.compile(r"(?P<owner>[^/:\s]+)/(?P<repo>[^/:\s]+)(?::(?P<file>.+))?")
_PAGES = frozenset({"resolve", "blob", "tree", "raw"})


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be pulled. ``hub`` is an address without a slash at its end; a login may be in it: no repr shows it.

    ``file`` is a path in the repository, or a word of a file's name; empty where none was named. ``whole`` is the
    address of a file that stands by itself, with no repository around it; then the rest is empty.
    """

    hub: str = field(default="", repr=False)
    owner: str = ""
    repo: str = ""
    revision: str = ""
    file: str = ""
    whole: str = field(default="", repr=False)
    asked: str = ""
    """What the person wrote, without a login."""

    @property
    def repository(self) -> str:
        """``OWNER/REPO``."""
        return f"{self.owner}/{self.repo}"


def is_wish(text: str) -> bool:
    """Say whether what is to be pulled is of a hub: it has a slash in it."""
    return "/" in text


def hub_address(configured: str | None, environment: Mapping[str, str]) -> str:
    """Give the hub's address, without a slash at its end: the setting's, else the variable's, else empty."""
    return (configured or environment.get(VARIABLE, "")).strip().rstrip("/")


def read_wish(text: str, hub: str) -> Wish:
    """Read what is to be pulled; ``hub`` is the one that bare names are asked of. Raises PullError."""
    if "://" in text:
        return _by_address(text, hub)
    found = _BY_NAME.fullmatch(text)
    if found is None:
        raise PullError(f"{text!r:.120} names no model: write OWNER/REPO, OWNER/REPO:FILE, or an address")
    if not hub:
        raise PullError(
            f"no hub is named that has {found['owner']}/{found['repo']}: give the whole address as a browser shows it "
            f"(https://HUB/{found['owner']}/{found['repo']}), or set models.hub, or {VARIABLE}"
        )
    wish = Wish(hub, found["owner"], found["repo"], file=found["file"] or "", asked=text)
    return _checked(wish)


def _by_address(text: str, hub: str) -> Wish:
    try:
        address = urlsplit(text)
        port = address.port
    except ValueError as error:
        raise PullError(f"{text!r:.120} is no address: {error}") from error
    if address.scheme not in {"http", "https"} or not address.hostname:
        raise PullError(f"{address.scheme}:// is not pulled from; write https://HUB/OWNER/REPO")
    place = address.hostname if ":" not in address.hostname else f"[{address.hostname}]"
    asked = f"{address.scheme}://{place}{f':{port}' if port else ''}{address.path}"
    base, path = f"{address.scheme}://{address.netloc}", address.path
    shown = shown_address(hub)
    if hub and asked.startswith(f"{shown}/"):  # a hub may be below a path of its server
        base, path = hub, asked.removeprefix(shown)
    parts = [unquote(part) for part in path.split("/") if part]
    match parts:
        case [owner, repo, page, revision, *file] if page in _PAGES:
            return _checked(Wish(base, owner, repo, revision, "/".join(file), asked=asked))
        case [*_, name] if name.lower().endswith(".gguf"):
            return Wish(whole=text, file=name, asked=asked)
        case [owner, repo]:
            return _checked(Wish(base, owner, repo.partition(":")[0], file=repo.partition(":")[2], asked=asked))
        case _:
            raise PullError(
                f"{asked:.200} leads to no model: write https://HUB/OWNER/REPO, or the address of a GGUF file"
            )


def _checked(wish: Wish) -> Wish:
    for name in (wish.owner, wish.repo):
        if not _NAME.fullmatch(name) or ".." in name:
            raise PullError(f"{name!r:.120} is no name of a hub: letters, digits, dots, dashes and underscores")
    return wish
