"""Runs lines, one JSON text a line of input, in a copy of a directory; answers each with the files it changed.

Started inside a sandbox by ``line_runner``, with the template's and the copy's directories as arguments: it imports
nothing of the project.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

SECONDS = 5
Snapshot = dict[str, tuple[int, int, int, str]]


def snapshot(root: Path) -> Snapshot:
    """What is there: mode, size, time and link of each file; git's index aside, which reading refreshes."""
    found: Snapshot = {}
    for directory, _, names in os.walk(root):
        for name in names:
            path = Path(directory, name)
            if name != "index":
                status = path.lstat()
                link = str(path.readlink()) if path.is_symlink() else ""
                found[str(path)] = (status.st_mode, status.st_size, status.st_mtime_ns, link)
        found[directory] = (0, 0, 0, "")
    return found


def main() -> None:
    """Serve until the input ends."""
    template, root = Path(sys.argv[1]), Path(sys.argv[2])
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(root.parent / "eve"),
        "LANG": "C.UTF-8",
        "GIT_OPTIONAL_LOCKS": "0",
    }
    before: Snapshot = {}
    for text in sys.stdin:
        if not before:
            shutil.rmtree(root, ignore_errors=True)
            shutil.copytree(template, root, symlinks=True)
            before = snapshot(root)
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(
                ["/bin/bash", "-c", json.loads(text)],
                cwd=root,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=SECONDS,
                check=False,
            )
        after = snapshot(root)
        changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
        if changed:
            before = {}
        print(json.dumps(changed), flush=True)


if __name__ == "__main__":
    main()
