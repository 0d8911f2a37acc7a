"""Where Ollama listens: ``ollama.host`` of the settings or ``OLLAMA_HOST``, in every shape they are written in."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping

DEFAULT_PORT = 11434
_SCHEME_PORTS = {"http": 80, "https": 443}


def ollama_address(configured: str | None, environment: Mapping[str, str]) -> str:
    """Give the base address, without a slash at its end: the setting's, else the variable's, else the local default.

    ``host``, ``host:port``, ``:port``, ``[::1]:port``, a bare IPv6 address, a scheme and a name with a password before
    and a path after are understood, as are quotes around it. A port that is none becomes the default; an address to
    listen everywhere becomes the loopback one.
    """
    text = (configured or environment.get("OLLAMA_HOST", "")).strip().strip("\"'").strip()
    scheme, separator, rest = text.partition("://")
    if not separator:
        scheme, rest = "http", text
    place, slash, path = rest.partition("/")
    person, at, place = place.rpartition("@")
    host, port = _host_and_port(place, _SCHEME_PORTS.get(scheme.lower(), DEFAULT_PORT) if separator else DEFAULT_PORT)
    host = _reached(host)
    host = f"[{host}]" if ":" in host else host
    return f"{scheme.lower()}://{person}{at}{host}:{port}{slash}{path}".rstrip("/")


def shown_address(address: str) -> str:
    """Write an address for the person: without the name and password that may be in it."""
    scheme, separator, rest = address.partition("://")
    place, slash, path = rest.partition("/")
    return f"{scheme}{separator}{place.rpartition('@')[2]}{slash}{path}"


def is_local(address: str) -> bool:
    """Tell whether an address is this machine's own, so that its memory is what the server has."""
    host = shown_address(address).partition("://")[2].partition("/")[0].rpartition(":")[0].strip("[]")
    if host.lower() == "localhost" or host.lower().endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _reached(host: str) -> str:
    """Give the loopback address for one that a server listens on to be reached everywhere."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    return host if not address.is_unspecified else "127.0.0.1" if address.version == 4 else "::1"


def _host_and_port(place: str, default: int) -> tuple[str, int]:
    if place.startswith("["):
        host, _, after = place[1:].partition("]")
        port = after.removeprefix(":")
    elif place.count(":") > 1:  # a bare IPv6 address
        host, port = place, ""
    else:
        host, _, port = place.partition(":")
    number = int(port) if port.isascii() and port.isdigit() else -1
    return host or "127.0.0.1", number if 0 < number <= 65_535 else default
