"""Programs of others that speak MCP and run in Node, which ``.ci/clients`` installs."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

CLIENTS = Path(__file__).parents[1] / "clients"
"""Their versions, and what is written for them."""
PLACE = Path(os.environ.get("WISP_TEST_CLIENTS") or Path.home() / ".cache" / "wisp-tui-tests" / "clients")
"""Where they are installed."""
PATIENCE = 120.0


@dataclass(frozen=True, slots=True)
class Node:
    """Node, and where the programs are installed that are ours to run in it."""

    program: Path
    place: Path

    def package(self, file: str) -> str:
        """Give a file of an installed package."""
        return str(self.place / "node_modules" / file)

    def script(self, name: str) -> str:
        """Give a script of ours, beside the packages that it imports. Two versions of it are two files."""
        content = (CLIENTS / name).read_bytes()
        file = self.place / f"{hashlib.sha256(content).hexdigest()[:12]}-{name}"
        if not file.exists():
            new = file.with_suffix(f".{os.getpid()}")
            new.write_bytes(content)
            new.replace(file)
        return str(file)

    def run(self, *arguments: str, variables: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        """Run Node to its end."""
        return subprocess.run(
            [self.program, *arguments],
            cwd=self.place,
            env={
                "PATH": f"{self.program.parent}{os.pathsep}{os.environ['PATH']}",
                "HOME": str(self.place),
                "NO_COLOR": "1",
                **(variables or {}),
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )


def installed() -> Node:
    """Give Node with the programs, as ``.ci/clients`` has installed them: tests reach no network.

    Where they are not there, or at other versions, the test is skipped with the reason, and fails on a build machine
    (``CI``), whose ``.ci/run`` installs them.
    """
    try:
        there = (PLACE / "package.json").read_bytes() == (CLIENTS / "package.json").read_bytes()
    except FileNotFoundError:
        there = False
    if not there:
        why = f"the clients of tests/clients/package.json are not in {PLACE}; .ci/clients installs them there"
        if os.environ.get("CI"):
            pytest.fail(why)
        pytest.skip(why)
    return Node(PLACE / "bin" / "node", PLACE)
