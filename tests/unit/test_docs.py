"""What the docs name exists, and what exists is in the docs.

Pages that are made from a registry (settings, keys) or held to one (slash commands) have tests of their own; here is
what any page may name in passing: links, command lines, options, settings, kinds of events, keys, variables, files.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import fields
from itertools import chain
from pathlib import Path

import click
import pytest

from tests.unit.test_cli_help import every
from wisp_tui.app.actions import ACTIONS, key_name
from wisp_tui.cli.main import wisp
from wisp_tui.config import Home
from wisp_tui.config.fields import settings_by_name
from wisp_tui.events import Kind
from wisp_tui.mcp.resources import STATIC, Resources
from wisp_tui.session.commands import commands

ROOT = Path(__file__).resolve().parents[2]
PAGES = {path.name: path.read_text("utf-8") for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))}
PLACES = {"/dev/null", "/work", "/work-evil", "/hel", "/tmp"}
"""What begins like a slash command and is none: directories, and a slip that the docs show."""
METHODS = {"resources/subscribe"}
"""A method of MCP that looks like a file of the project."""


def spans(text: str) -> Iterator[str]:
    """What a page sets in code: between backticks, and each line of an indented or fenced block."""
    fenced = False
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            yield line.strip().removeprefix("$ ")
        else:
            yield from (found.replace("\\|", "|") for found in re.findall(r"(?<!`)`([^`]+)`(?!`)", line))


SPANS = {name: tuple(spans(text)) for name, text in PAGES.items()}
ALL = frozenset(chain.from_iterable(SPANS.values()))
COMMANDS = dict(every())
OPTIONS = {
    path: {name for option in command.params for name in (*option.opts, *option.secondary_opts)}
    | {"--help", "-h", *(["--version"] if command is wisp else [])}
    for path, command in COMMANDS.items()
}
OPTIONS["wisp-tui"] = OPTIONS["wisp chat"] | {"--version"}


def anchors(text: str) -> set[str]:
    """The names by which a page's headings are linked."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_to_a_file_and_a_heading(page: str) -> None:
    directory = ROOT if page == "README.md" else ROOT / "docs"
    for target in re.findall(r"\]\(([^)\s]+)\)", PAGES[page]):
        if "://" in target:
            continue
        path, _, heading = target.partition("#")
        file = directory / path if path else directory / page
        assert file.exists(), target
        if heading:
            assert heading in anchors(file.read_text("utf-8")), target


def test_every_page_can_be_reached_from_the_first() -> None:
    seen, todo = set[str](), ["README.md"]
    while todo:
        page = todo.pop()
        if page not in seen:
            seen.add(page)
            links = re.findall(r"\]\((?:docs/)?([\w-]+\.md)[)#]", PAGES[page])
            todo += [link for link in links if link in PAGES]
    assert seen == set(PAGES)


def command_line(words: list[str]) -> tuple[str, list[str]]:
    """Which command a command line calls, and the words that follow its name."""
    path, rest = words[0], words[1:]
    while rest and f"{path} {rest[0]}" in COMMANDS:
        path, rest = f"{path} {rest[0]}", rest[1:]
    if path == "wisp" and rest and not rest[0].startswith("--"):
        path = "wisp respond"
    return path, rest


@pytest.mark.parametrize("page", PAGES)
def test_every_command_line_of_wisp_can_be_typed(page: str) -> None:
    for span in SPANS[page]:
        for part in re.split(r"\s(?:\||&&|;)\s", span):
            if not re.match(r"wisp(-tui)? ", part) or "COMMAND" in part or "…" in part.split(" --")[0]:
                continue
            try:
                words = shlex.split(re.sub(r"[\[\]]| \| |#.*$", " ", part))
            except ValueError:
                continue  # a line of prose, or cut short to be shown
            path, rest = command_line(words)
            group = isinstance(COMMANDS.get(path), click.Group) and path != "wisp"
            assert not (group and rest and re.fullmatch("[a-z]+", rest[0])), f"{span}: {path} has no {rest[0]}"
            unknown = [word for word in rest if re.fullmatch(r"--?[a-z][a-z-]*(=.*)?", word)]
            assert {word.partition("=")[0] for word in unknown} <= OPTIONS[path], span


def test_every_option_named_alone_is_one_and_every_one_is_named() -> None:
    known = set(chain.from_iterable(OPTIONS.values()))
    named = {span.split()[0] for span in ALL if re.fullmatch(r"--[a-z-]+( [A-Z\[\]]+)?", span)}
    assert named - known == {"--filter"} & named
    words = {word.strip("[],|") for span in ALL for word in span.split()}
    missing = {
        f"{path} {option.opts[-1]}"
        for path, command in COMMANDS.items()
        for option in command.params
        if isinstance(option, click.Option) and not words & set(option.opts)
    }
    assert not missing


def test_every_slash_command_named_is_one() -> None:
    named = {match[0] for span in ALL if (match := re.match(r"/[a-z-]+(?![\w/.-])", span))}
    assert named - PLACES - set(commands()) == set()


def test_every_setting_and_every_kind_of_event_named_is_one_and_every_one_is_named() -> None:
    settings, kinds = set(settings_by_name()), {str(kind) for kind in Kind}
    groups = {name.partition(".")[0] for name in settings | kinds}
    dotted = {
        span
        for span in ALL
        if re.fullmatch(r"[a-z]\w*(\.[a-z]\w*)+", span)
        and span.partition(".")[0] in groups
        and not re.search(r"\.(py|json|jsonl|md|txt|lock|sock)$", span)
    }
    assert dotted - settings - kinds == set()
    assert settings - ALL == set()
    assert kinds - set(SPANS["audit.md"]) == set()


def test_every_key_named_is_bound() -> None:
    bound = {key_name(key) for action in ACTIONS for key in action.keys} | {"enter", "shift-enter", "tab"}
    looks = re.compile(r"(ctrl|alt|shift)-\S+|F\d+", re.IGNORECASE)
    named = {span for span in ALL if looks.fullmatch(span)}
    assert {span for span in named if span.lower() not in {key.lower() for key in bound}} == set()


def test_every_variable_of_the_environment_named_is_read_and_every_one_is_named() -> None:
    code = "\n".join(path.read_text("utf-8") for path in (ROOT / "wisp_tui").rglob("*.py"))
    variable = r"\b(?:WISP|OLLAMA|OPENAI)_[A-Z_]+\b"
    named = set(re.findall(variable, "\n".join(PAGES.values())))
    assert named - set(re.findall(variable, code)) == set()
    read = set(re.findall(rf'"({variable})"', code))
    assert {name for name in read - named if not name.endswith("_COMPLETE")} == set()


def test_every_file_of_the_project_named_is_there() -> None:
    modules = {path.name for path in (ROOT / "wisp_tui").rglob("*.py")} | {p.name for p in (ROOT / "tests").rglob("*")}
    for page, found in SPANS.items():
        for span in found:
            if re.fullmatch(r"(wisp_tui|tests|docs|resources|styles|snapshots|\.ci)/[\w./-]*", span):
                assert (ROOT / span).exists() or span in METHODS, f"{page}: {span}"
            elif re.fullmatch(r"\w+\.py", span):
                assert span in modules, f"{page}: {span}"
            for module in re.findall(r"python -m ((?:tests|wisp_tui)(?:\.\w+)+)", span):
                path = ROOT.joinpath(*module.split("."))
                assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), f"{page}: {span}"


def test_every_directory_and_file_of_the_home_is_named(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.prepare()
    text = "\n".join(PAGES.values())
    made = {path.name for path in home.root.iterdir()}
    paths = (getattr(home, name) for name in dir(Home) if isinstance(getattr(Home, name), property))
    made |= {path.name for path in paths if isinstance(path, Path)} - {field.name for field in fields(home)}
    assert {name for name in made if name not in text} == set()


def section(page: str, heading: str) -> str:
    """The text of a page under a heading, up to the next of its rank."""
    return PAGES[page].partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def test_the_addresses_of_mcp_are_those_that_its_page_lists() -> None:
    listed = re.findall(r"^\| ((?:`[^`]+`(?:, )?)+) \|", section("mcp.md", "Resources"), re.MULTILINE)
    named = {address.replace("…", "threads/{id}") for cell in listed for address in re.findall("`([^`]+)`", cell)}
    there = {template.uri_template.removeprefix("wisp://") for template in Resources.templates()} | set(STATIC)
    there = {address.partition("{?")[0] for address in there}
    whole = {re.sub(r"\{\w+\}", "{}", address).removesuffix("/next") for address in named}
    assert whole == {re.sub(r"\{\w+\}", "{}", address) for address in there}
