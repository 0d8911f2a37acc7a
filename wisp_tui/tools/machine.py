"""The machine as it is now, a topic at a time, in lines: ports, disk, processes, memory, battery, network.

Each reader writes the shape that facts are read from (spec "Facts extracted after every turn"): ``topic: …`` first, and
``port N: …`` for each port that is listened on. What a process was started with is not shown: it may hold secrets.
"""

from __future__ import annotations

import os
import socket
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

import psutil

from wisp_tui.text.sizes import count, human_bytes, human_seconds

SAMPLE_SECONDS = 0.2
"""How long processes are watched, to say how busy each is."""
SHOWN_PROCESSES = 12
SHOWN_DISKS = 8
OWN_ONLY = "[only what your own processes listen on can be seen]"


@dataclass(frozen=True, slots=True)
class Look:
    """What is looked for: ``directory`` is where the conversation works, ``match`` a part of a name, or a number."""

    directory: Path
    match: str = ""

    def wants(self, *values: object) -> bool:
        """Whether something with these names and numbers is looked for."""
        sought = self.match.casefold().strip()
        return not sought or any(
            sought == str(value) if isinstance(value, int) else sought in str(value).casefold() for value in values
        )


class _Battery(Protocol):
    """What psutil says of a battery, on the systems where it knows one. ``secsleft`` is negative when not known."""

    percent: float
    secsleft: int
    power_plugged: bool | None


def ports(look: Look) -> Iterator[str]:
    """List the TCP ports that are listened on, each with its process where that can be known."""
    found: dict[int, dict[int | None, set[str]]] = defaultdict(lambda: defaultdict(set))
    whole = True
    try:
        for each in psutil.net_connections("tcp"):
            if each.status == psutil.CONN_LISTEN and each.laddr:
                found[each.laddr.port][each.pid].add(each.laddr.ip)
    except psutil.AccessDenied:
        whole = False
        for pid, ip, port in _own_ports():
            found[port][pid].add(ip)
    lines = [
        f"port {port}: {_owner(name, pid)}, listening on {', '.join(sorted(addresses))}"
        for port, owners in sorted(found.items())
        for pid, addresses in owners.items()
        if look.wants(port, name := _name(pid), *((pid,) if pid is not None else ()))
    ]
    yield "ports:" if lines else "ports: none listening"
    yield from lines
    if not whole:
        yield OWN_ONLY


def disk(look: Look) -> Iterator[str]:
    """Say how much of the disks is free, first of the one that holds the working directory."""
    yield f"disk: {_free(look.directory)} where {look.directory} is"
    seen: set[str] = set()
    for part in psutil.disk_partitions():
        if part.device in seen or not Path(part.mountpoint).is_dir() or len(seen) == SHOWN_DISKS:
            continue
        seen.add(part.device)
        if look.wants(part.device, part.mountpoint):
            yield f"  {part.mountpoint} ({part.device}, {part.fstype}): {_free(Path(part.mountpoint))}"


def processes(look: Look) -> Iterator[str]:
    """List the processes that take most of the processor and the memory, watched for a moment."""
    watched = {process.pid: _busy(process) for process in psutil.process_iter()}
    time.sleep(SAMPLE_SECONDS)
    rows: list[tuple[float, int, int, str]] = []
    for process in psutil.process_iter():
        before = watched.get(process.pid)
        try:
            with process.oneshot():
                name, size = process.name(), process.memory_info().rss
                after = _busy(process)
        except psutil.Error:
            continue
        share = (after - before) / SAMPLE_SECONDS * 100 if before is not None and after is not None else 0.0
        if look.wants(name, process.pid):
            rows.append((share, size, process.pid, name))
    load = ", ".join(f"{part:.2f}" for part in os.getloadavg())
    yield f"processes: {len(watched):,}, load {load} on {count(psutil.cpu_count() or 1, 'core')}"
    rows.sort(key=lambda row: (round(row[0]), row[1]), reverse=True)
    yield from (
        f"  {name} (pid {pid}): {share:.0f}% of a core, {human_bytes(size)}"
        for share, size, pid, name in rows[:SHOWN_PROCESSES]
    )
    if len(rows) > SHOWN_PROCESSES:
        yield f"  and {len(rows) - SHOWN_PROCESSES:,} more; match narrows them"


def memory(look: Look) -> Iterator[str]:
    """Say how much memory there is and how much of it can still be had."""
    del look
    main, swap = psutil.virtual_memory(), psutil.swap_memory()
    swapped = f", {human_bytes(swap.used)} of {human_bytes(swap.total)} swap used" if swap.total else ""
    yield f"memory: {human_bytes(main.available)} available of {human_bytes(main.total)}{swapped}"


def battery(look: Look) -> Iterator[str]:
    """Say how full the battery is, and how long it lasts."""
    del look
    state: _Battery | None = getattr(psutil, "sensors_battery", lambda: None)()
    if state is None:
        yield "battery: none"
    elif state.power_plugged:
        yield f"battery: {state.percent:.0f}%, plugged in"
    else:
        left = f", {human_seconds(state.secsleft)} left" if state.secsleft > 0 else ""
        yield f"battery: {state.percent:.0f}%, not plugged in{left}"


def network(look: Look) -> Iterator[str]:
    """List the interfaces that are up, with their addresses; the loopback is left out."""
    states = psutil.net_if_stats()
    families = (socket.AF_INET, socket.AF_INET6)
    lines = [
        f"  {name}: {', '.join(addresses)}"
        for name, found in sorted(psutil.net_if_addrs().items())
        if (state := states.get(name)) is not None
        and state.isup
        and (addresses := [each.address for each in found if each.family in families and not _loops(each.address)])
        and look.wants(name, *addresses)
    ]
    yield f"network: {count(len(lines), 'interface')} up" if lines else "network: no interface is up"
    yield from lines


Reader = Callable[[Look], Iterator[str]]

TOPICS: Mapping[str, Reader] = MappingProxyType(
    {
        "ports": ports,
        "disk": disk,
        "processes": processes,
        "memory": memory,
        "battery": battery,
        "network": network,
    }
)
"""The readers, by topic, in the order in which they are shown. Each may take a moment: not for an event loop."""


def _own_ports() -> Iterator[tuple[int, str, int]]:
    for process in psutil.process_iter():
        try:
            yield from (
                (process.pid, each.laddr.ip, each.laddr.port)
                for each in process.net_connections("tcp")
                if each.status == psutil.CONN_LISTEN and each.laddr
            )
        except psutil.Error:
            continue


def _name(pid: int | None) -> str:
    if pid is None:
        return ""
    try:
        return psutil.Process(pid).name()
    except psutil.Error:
        return ""


def _owner(name: str, pid: int | None) -> str:
    if pid is None:
        return "a process that cannot be seen"
    return f"{name} (pid {pid})" if name else f"pid {pid}"


def _free(path: Path) -> str:
    try:
        usage = psutil.disk_usage(str(path))
    except OSError as error:
        return f"not known ({error.strerror or error})"
    return f"{human_bytes(usage.free)} free of {human_bytes(usage.total)}"


def _busy(process: psutil.Process) -> float | None:
    """The processor's seconds a process has taken; None for one that may not be asked."""
    try:
        times = process.cpu_times()
    except psutil.Error:
        return None
    return times.user + times.system


def _loops(address: str) -> bool:
    return address.startswith("127.") or address == "::1"
