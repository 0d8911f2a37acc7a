"""What is imported when: the core knows no face, and start-up carries nothing that is not used yet."""

from __future__ import annotations

import ast
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import wisp_tui

PACKAGE = Path(wisp_tui.__file__).parent
CORE = (
    *("session", "session.commands", "tools", "tools.registry", "context", "outputs", "approval"),
    *("models", "models.choose", "models.replay", "audit", "events", "config", "text"),
)
"""What every face imports before its first turn."""


def imported(code: str, *watched: str) -> set[str]:
    """Run code in a fresh interpreter and return which of the watched libraries it has imported at its end."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint('\\n'.join(sys.modules))"],
        cwd=PACKAGE.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    return {name for name in done.stdout.splitlines() if name in watched}


def modules() -> Iterator[str]:
    """List every module of the package."""
    for module in pkgutil.walk_packages([str(PACKAGE)], "wisp_tui."):
        yield module.name


@pytest.mark.parametrize("part", CORE)
def test_the_core_imports_no_screen_no_network_and_no_protocol(part: str) -> None:
    assert imported(f"import wisp_tui.{part}", "textual", "httpx", "mcp", "click", "xllamacpp", "apple_fm_sdk") == set()


def test_the_command_line_alone_imports_neither_the_core_nor_its_libraries() -> None:
    watched = (
        "textual",
        "httpx",
        "pydantic",
        "orjson",
        "asyncio",
        "wisp_tui.session",
        "wisp_tui.models",
        "wisp_tui.app",
    )
    assert imported("import wisp_tui.entry", *watched) == set()


@pytest.mark.parametrize("command", [("respond", "hello"), ("chat", "--plain")])
def test_a_conversation_over_pipes_imports_neither_the_screen_nor_the_network(
    tmp_path: Path, command: tuple[str, str]
) -> None:
    (tmp_path / "r").write_text('{"reply":"Hello."}\n')
    code = (
        "import os, io\n"
        f"os.environ['WISP_HOME'] = {str(tmp_path / 'home')!r}\n"
        "os.dup2(os.open(os.devnull, os.O_RDONLY), 0)\n"
        f"sys.argv = ['wisp', {command[0]!r}, '-m', 'replay:{tmp_path / 'r'}', {command[1]!r}]\n"
        "from wisp_tui.entry import wisp\n"
        "assert wisp() == 0"
    )
    watched = ("textual", "prompt_toolkit", "httpx", "mcp", "xllamacpp", "apple_fm_sdk", "rich", "tree_sitter")
    assert imported(code, *watched, "wisp_tui.approval.rules", "wisp_tui.assessment") == set()


def test_no_module_but_the_apps_names_textual_and_none_names_mcp() -> None:
    named: dict[str, set[str]] = {"textual": set(), "mcp": set()}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            for name in names:
                if (library := name.partition(".")[0]) in named:
                    named[library].add(path.relative_to(PACKAGE).parts[0])
    assert named["textual"] <= {"app"}
    assert named["mcp"] <= {"mcp"}


def test_every_module_says_what_it_is_and_is_short_enough_to_read() -> None:
    silent = [path.name for path in PACKAGE.rglob("*.py") if not ast.get_docstring(ast.parse(path.read_text("utf-8")))]
    long = [path.name for path in PACKAGE.rglob("*.py") if path.read_text("utf-8").count("\n") > 420]
    assert (silent, long) == ([], [])
