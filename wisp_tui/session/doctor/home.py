"""The checks of what is in the home: the home itself, the settings, the log, the outputs, the other files."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path

from wisp_tui.approval import ApprovalStore
from wisp_tui.audit import LogTail, log_files
from wisp_tui.config import ConfigError, Home, Settings
from wisp_tui.config.editing import faults_of, set_in, unknown_in
from wisp_tui.config.settings import read_config
from wisp_tui.config.weakening import weakened
from wisp_tui.context.condensing import Target
from wisp_tui.keeping import PermanentFacts, StoreError
from wisp_tui.outputs.sweep import MAX_SESSIONS, StoreSize, measure
from wisp_tui.pending import Pending
from wisp_tui.session.configuring import reading_faults
from wisp_tui.session.doctor.checks import Check, State
from wisp_tui.session.live import LiveFolder
from wisp_tui.text.moments import local
from wisp_tui.text.sizes import count, human_bytes

LEAST_FREE = 100 << 20
"""Bytes of free disk below which a warning is due."""
LOOKED_AT = 20_000
"""Files of the home whose modes are looked at, at most."""
NAMED = 3


def home_check(home: Home) -> Check:
    """Check that the home is there, the person's, writable, and readable by nobody else."""
    root = home.root
    try:
        status = root.stat()
    except FileNotFoundError:
        return _absent(root)
    except OSError as error:
        return Check("home", State.FAULT, f"{root} cannot be read: {error.strerror or error}", _ELSEWHERE)
    if not stat.S_ISDIR(status.st_mode) or not os.access(root, os.R_OK | os.W_OK | os.X_OK):
        return Check("home", State.FAULT, f"{root} is no directory that you can write", _ELSEWHERE)
    return _present(home, own=status.st_uid == os.getuid())


def _present(home: Home, *, own: bool) -> Check:
    root, free = home.root, shutil.disk_usage(home.root).free
    found = list(islice(_open_to_others(home), LOOKED_AT))
    details = {"path": str(root), "free": free, "readableByOthers": len(found)}
    if found:
        named = tuple(f"{path} {mode:04o}" for path, mode in found[:NAMED])
        more = (f"and {len(found) - NAMED:,} more",) if len(found) > NAMED else ()
        said = f"others can read {count(len(found), 'path')} of {root}"
        return Check("home", State.WARNING, said, f"chmod -R go= {root}", (*named, *more), details)
    if not own:
        return Check("home", State.WARNING, f"{root} belongs to another user", _ELSEWHERE, details=details)
    if free < LEAST_FREE:
        said = f"{root} has {human_bytes(free)} of disk left: the log and outputs soon cannot be written"
        return Check("home", State.WARNING, said, "make room", details=details)
    return Check("home", State.OK, f"{root}, private, {human_bytes(free)} of disk free", details=details)


_ELSEWHERE = "set WISP_HOME to a directory of yours that you can write"


def _absent(root: Path) -> Check:
    place = next(parent for parent in root.parents if parent.exists())
    if not os.access(place, os.W_OK | os.X_OK):
        return Check("home", State.FAULT, f"{root} is not there, and {place} cannot be written", _ELSEWHERE)
    return Check("home", State.NOTE, f"{root} is not there yet; it is made when it is first needed")


def _open_to_others(home: Home) -> Iterator[tuple[Path, int]]:
    """Find what others may read. Models are no secret: only their directory's own mode is looked at."""
    for folder, folders, files in os.walk(home.root):
        if Path(folder) == home.models:
            folders.clear()
            files.clear()
        for path in (Path(folder), *(Path(folder, name) for name in files)):
            try:
                mode = stat.S_IMODE(path.lstat().st_mode)
            except FileNotFoundError:
                continue  # it went away meanwhile
            if mode & 0o077 and not path.is_symlink():
                yield path, mode


def config_check(home: Home, settings: Settings) -> Check:
    """Check that the settings can be used, and name what weakens the gate, the sandbox or the audit."""
    try:
        config = read_config(home.config)
    except ConfigError as error:
        return Check("config", State.FAULT, str(error), f"put {home.config} right, or move it away")
    faults = (*faults_of(config), *reading_faults(settings, home))
    if faults:
        return Check("config", State.FAULT, "; ".join(faults), "`wisp config set` or `unset` puts a setting right")
    chosen = [setting.name for setting in set_in(config)]
    weak = tuple(sentence.removeprefix("this ") for sentence in weakened(Settings(), settings))
    unknown = unknown_in(config)
    lines = (*weak, *([f"kept and not used: {', '.join(unknown)}"] if unknown else []))
    said = f"{home.config} sets {count(len(chosen), 'setting')}" if chosen else "every setting has its default"
    state = State.NOTE if lines else State.OK
    return Check("config", state, said, lines=lines, details={"set": chosen, "weakens": weak, "unknown": unknown})


def target_check(settings: Settings) -> Check:
    """Check whether the target of a condensation is used as it is set."""
    context = settings.context
    target = Target(context.budget, context.target, context.headroom_turns)
    details = {"budget": context.budget, "target": context.target, "used": target.share, "capped": target.capped}
    at = f"condensed at {context.budget:.0%} of the window, down to {target.share:.0%}"
    if not target.capped:
        return Check("condensing", State.OK, at, details=details)
    said = f"{at}: context.target ({context.target}) is too near context.budget ({context.budget}), and is capped"
    return Check(
        "condensing", State.WARNING, said, f"`wisp config set context.target {target.share:.2f}`", details=details
    )


def log_check(home: Home, settings: Settings) -> Check:
    """Check that the audit log is kept and can be read, and count what of it is torn."""
    if not settings.audit.enabled:
        said = "the audit log is off: nothing is recorded, and nothing that left the context can be had back"
        return Check("audit", State.WARNING, said, "`wisp config unset audit.enabled`", details={"enabled": False})
    files = log_files(home.logs)
    if not files:
        return Check("audit", State.OK, "nothing is recorded yet", details={"enabled": True, "events": 0})
    if not all(os.access(path, os.R_OK) for path in files) or not os.access(home.logs, os.W_OK | os.X_OK):
        return Check("audit", State.FAULT, f"{home.logs} cannot be read or written by you", "put its permissions right")
    events, last = 0, ""
    with LogTail(home.logs) as tail:
        for event in tail.poll():
            events, last = events + 1, event.time or last
        events += len(list(tail.end()))
    size, torn = sum(path.stat().st_size for path in files), tail.reading.torn
    said = f"{count(events, 'event')} in {count(len(files), 'file')}, {human_bytes(size)}, the last {local(last)}"
    details = {"enabled": True, "events": events, "files": len(files), "bytes": size, "torn": torn}
    if torn:
        said += f"; {count(torn, 'line')} cut off when they were written"
    return Check("audit", State.NOTE if torn else State.OK, said, details=details)


def outputs_check(home: Home, settings: Settings, now: datetime) -> Check:
    """Say how much the output store holds, and what the next sweep removes of it."""
    days = settings.context.output_days
    try:
        size = measure(home.output, days=days, now=now.timestamp())
    except OSError as error:
        return Check("outputs", State.FAULT, f"{home.output} cannot be read: {error.strerror or error}")
    details = {
        "sessions": size.sessions,
        "files": size.files,
        "bytes": size.bytes,
        "dueSessions": size.due_sessions,
        "dueBytes": size.due_bytes,
        "days": days,
    }
    held = f"{human_bytes(size.bytes)} of {count(size.sessions, 'session')}" if size.sessions else "none kept"
    return Check("outputs", State.OK, f"{held}; {_sweep(size, days)}", details=details)


def _sweep(size: StoreSize, days: int) -> str:
    if not days:
        return "they are kept for ever (context.outputDays is 0)"
    if not size.due_sessions:
        return f"the next start removes none: none is unused for {count(days, 'day')}"
    due = f"{human_bytes(size.due_bytes)} of {count(size.due_sessions, 'session')}, unused for {count(days, 'day')}"
    few = f" ({MAX_SESSIONS} sessions a start)" if size.due_sessions > MAX_SESSIONS else ""
    return f"the next start removes {due}{few}"


def live_check(home: Home) -> Check:
    """Say what was cut short and waits to be gone on with, and which live copies cannot be read."""
    folder = LiveFolder(home)
    found, unreadable = (folder.cut_short(), folder.unreadable()) if home.live.is_dir() else ([], [])
    details = {"cutShort": [one.ident for one in found], "unreadable": [str(one.path) for one in unreadable]}
    offered = f"{count(len(found), 'conversation was', 'conversations were')} cut short: /sessions lists them"
    said = offered if found else "no conversation was cut short"
    if unreadable:
        lines = tuple(f"{one.path}: {one.reason}" for one in unreadable)
        said += f"; {count(len(unreadable), 'live copy', 'live copies')} cannot be read whole"
        return Check("live", State.NOTE, said, "move them away, or remove them", lines, details)
    return Check("live", State.NOTE if found else State.OK, said, details=details)


def stores_check(home: Home) -> Check:
    """Check that the facts, the approvals and what waits can be read."""
    wrong: list[str] = []
    facts = 0
    try:
        facts = len(list(PermanentFacts(home).load().current))
    except StoreError as error:
        wrong.append(str(error))
    approvals = ApprovalStore(home).list()
    wrong += [approvals.fault] if approvals.fault is not None else []
    waiting = Pending(home).snapshot() if (home.root / "pending").exists() else None
    wrong += [f"{one.path} cannot be read: {one.reason}" for one in waiting.unreadable] if waiting else []
    waits = len(waiting.waiting) if waiting else 0
    details = {"facts": facts, "approvals": len(approvals.approvals), "waiting": waits}
    if wrong:
        return Check("stores", State.FAULT, "; ".join(wrong), "put the file right, or move it away", details=details)
    held = ", ".join(
        (
            count(facts, "permanent fact"),
            f"{count(len(approvals.approvals), 'approval')} in force",
            f"{waits} waiting for you",
        )
    )
    return Check("stores", State.OK, held, details=details)
