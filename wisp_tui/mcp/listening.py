"""Where HTTP is listened to: this machine's own addresses, and no other."""

from __future__ import annotations

import errno
import socket
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

PORT = 9477
"""Where clients look when they are not told otherwise: WISP on a telephone's keys."""
_V4, _V6 = "127.0.0.1", "::1"


class CannotListen(Exception):
    """An address cannot be had; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Where:
    """What to listen to. ``port`` 0 is one that is free; ``ipv6``: at ``::1`` too."""

    port: int = PORT
    ipv6: bool = False


@dataclass(frozen=True, slots=True)
class Listening:
    """The sockets, which clients can connect to from now on, and their one port."""

    sockets: tuple[socket.socket, ...]
    port: int

    @property
    def address(self) -> str:
        """The origin that clients are told: by number, since ``localhost`` may lead to who listens at ``::1``."""
        return f"http://{_V4}:{self.port}"

    @property
    def hosts(self) -> list[str]:
        """What a client that means this server names in ``Host``: whatever else leads here was led astray."""
        names = [_V4, "localhost", *(f"[{_V6}]" for each in self.sockets if each.family is socket.AF_INET6)]
        return [f"{name}:{self.port}" for name in names]


@contextmanager
def listening(where: Where) -> Generator[Listening]:
    """Listen while the block runs. Raises CannotListen."""
    with ExitStack() as held:
        first = held.enter_context(_bound(socket.AF_INET, _V4, where.port))
        port: int = first.getsockname()[1]
        second = (held.enter_context(_bound(socket.AF_INET6, _V6, port)),) if where.ipv6 else ()
        yield Listening((first, *second), port)


def _bound(family: socket.AddressFamily, host: str, port: int) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family is socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind((host, port))
        made.listen()
        made.setblocking(False)
    except OSError as error:
        made.close()
        raise CannotListen(_why(error, host, port)) from error
    return made


def _why(error: OSError, host: str, port: int) -> str:
    match error.errno:
        case errno.EADDRINUSE:
            return f"another program listens at {host}, port {port}; name another with --port, or 0 for a free one"
        case errno.EACCES:
            return f"port {port} may not be listened at; name one above 1023 with --port, or 0 for a free one"
        case errno.EADDRNOTAVAIL | errno.EAFNOSUPPORT:
            return f"this machine has no {host}"
        case _:
            return f"{host}, port {port}, cannot be listened at: {error.strerror or error}"
