"""Which sandbox the machine has: found by running it, since one that is there may still not be allowed to work."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from wisp_tui.sandbox.base import NoSandbox, Reach, Sandbox
from wisp_tui.sandbox.bubblewrap import Bubblewrap
from wisp_tui.sandbox.seatbelt import Seatbelt

TRIAL_SECONDS = 5.0
_SEARCHED = "/usr/bin:/bin:/usr/local/bin"
"""Where bubblewrap is looked for: not along the person's own path, where a command may have put another."""


@dataclass(frozen=True, slots=True)
class Found:
    """A sandbox, and in a sentence why it is this one."""

    sandbox: Sandbox
    why: str


async def find_sandbox(
    *, enabled: bool = True, platform: str = sys.platform, environment: Mapping[str, str] | None = None
) -> Found:
    """Find the machine's sandbox. Takes as long as one ``true`` in it, and a few seconds at most."""
    if not enabled:
        return Found(NoSandbox(), "the sandbox is turned off (sandbox.enabled)")
    sandbox: Sandbox
    match platform:
        case "linux":
            program = shutil.which("bwrap", path=_SEARCHED)
            if program is None:
                return Found(NoSandbox(), "bubblewrap (bwrap) is not installed")
            sandbox = Bubblewrap(program)
        case "darwin":
            sandbox = Seatbelt()
        case _:
            return Found(NoSandbox(), f"there is no sandbox for {platform}")
    try:
        fault = await asyncio.to_thread(trial, sandbox, environment or {})
    except OSError as error:
        fault = f"{sandbox.name} could not be tried: {error.strerror or error}"
    return Found(sandbox, f"commands run in {sandbox.name}") if fault is None else Found(NoSandbox(), fault)


def trial(sandbox: Sandbox, environment: Mapping[str, str]) -> str | None:
    """Run a command in a sandbox that writes where it may and where it may not; tell what is wrong, None if nothing."""
    with tempfile.TemporaryDirectory(prefix="wisp-trial-") as outer:
        inside, outside = Path(outer).resolve() / "inside", Path(outer).resolve() / "outside"
        inside.mkdir()
        script = f": > {quote(str(inside / 'written'))} && ! (: > {quote(str(outside))}) 2>/dev/null"
        wrapped = sandbox.wrap(("/bin/sh", "-c", script), inside, environment, Reach(writable=(inside,)))
        try:
            ended = subprocess.run(
                wrapped.argv,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=dict(wrapped.environment),
                cwd=inside,
                timeout=TRIAL_SECONDS,
                check=False,
            )
        except OSError as error:
            return f"{sandbox.name} cannot be started: {error.strerror or error}"
        except subprocess.TimeoutExpired:
            return f"{sandbox.name} did not answer in {TRIAL_SECONDS:.0f} s"
        if ended.returncode == 0 and (inside / "written").exists() and not outside.exists():
            return None
        words = ended.stderr.decode("utf-8", "replace").strip().splitlines()
        return f"{sandbox.name} does not work here: {words[-1] if words else f'status {ended.returncode}'}"
