"""Which chat-completions servers there are, where one is found, and the key that is sent to it."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import unquote, urlsplit

from wisp_tui.config.settings import ServerSettings, Settings
from wisp_tui.models.base import ModelUnavailable


class ServerKind(StrEnum):
    """What kind of server answers; the value is the runtime's name in a model's id and in the settings."""

    LLAMACPP = "llamacpp"
    LMSTUDIO = "lmstudio"
    OPENAI = "openai"


@dataclass(frozen=True, slots=True)
class _Kind:
    title: str
    address: str | None
    address_variable: str | None
    key_variable: str


_KINDS: Mapping[ServerKind, _Kind] = {
    ServerKind.LLAMACPP: _Kind("llama.cpp", "http://127.0.0.1:8080", None, "LLAMA_API_KEY"),
    ServerKind.LMSTUDIO: _Kind("LM Studio", "http://127.0.0.1:1234", None, "LM_API_TOKEN"),
    ServerKind.OPENAI: _Kind("the server", None, "OPENAI_BASE_URL", "OPENAI_API_KEY"),
}


@dataclass(frozen=True, slots=True)
class Server:
    """One server: its kind, the address its API is under, and the key, which no repr shows.

    ``name`` is what it is called where its address tells a person nothing, as with the embedded runtime's. ``login`` is
    the name and password that stood in its address: there, every log of requests would show them.
    """

    kind: ServerKind
    api: str
    key: str | None = field(default=None, repr=False)
    name: str = ""
    login: tuple[str, str] | None = field(default=None, repr=False)

    @property
    def root(self) -> str:
        """The address of what is not under ``/v1``."""
        return self.api.removesuffix("/v1")

    @property
    def where(self) -> str:
        """The server as a sentence about it begins: what it is and where."""
        return self.name or f"{_KINDS[self.kind].title} at {self.root}"

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine: no proxy is asked then."""
        return _is_loopback(self.api)


def find_server(kind: ServerKind, settings: Settings, environment: Mapping[str, str]) -> Server:
    """Find a runtime's server: from the settings, the environment, or where it is by default.

    The key is the setting's, or the value of the variable that the settings name, or of the kind's usual variable; the
    last is never sent unencrypted to another machine. Raises ModelUnavailable when nothing says where the server is.
    """
    known = _KINDS[kind]
    configured = _settings(kind, settings)
    address = configured.host or environment.get(known.address_variable or "") or known.address
    if not address:
        raise ModelUnavailable(
            f"no address is set for {kind}: models",
            f"set {kind}.host in config.json, or {known.address_variable}, to the server's address",
        )
    api, login = _api(address, kind)
    return Server(kind, api, _key(configured, known, api, environment), login=login)


def configured_window(kind: ServerKind, settings: Settings) -> int | None:
    """Answer the window in tokens that the settings give a runtime's models, None for none."""
    return _settings(kind, settings).context_length


def _settings(kind: ServerKind, settings: Settings) -> ServerSettings:
    match kind:
        case ServerKind.LLAMACPP:
            return settings.llamacpp
        case ServerKind.LMSTUDIO:
            return settings.lmstudio
        case ServerKind.OPENAI:
            return settings.openai


def _api(address: str, kind: ServerKind) -> tuple[str, tuple[str, str] | None]:
    """Complete an address: ``http`` where no scheme is given, ``/v1`` where no path is; take a login out of it."""
    try:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        if parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0:
            login = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
            host = parts.netloc.rpartition("@")[2]
            return f"{parts.scheme}://{host}{parts.path.rstrip('/') or '/v1'}", login
    except ValueError:  # brackets that do not close, a port that is no number
        pass
    raise ModelUnavailable(
        f"the address set for {kind}: models is not one of a web server",
        f"write {kind}.host like http://127.0.0.1:8080",
    )


def _key(configured: ServerSettings, known: _Kind, api: str, environment: Mapping[str, str]) -> str | None:
    if configured.key_variable is not None:
        return environment.get(configured.key_variable) or None
    if configured.key is not None:
        return configured.key or None
    private = api.startswith("https://") or _is_loopback(api)
    return environment.get(known.key_variable) or None if private else None


def _is_loopback(api: str) -> bool:
    host = urlsplit(api).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
