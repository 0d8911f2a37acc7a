"""Clients that nobody here wrote, and the protocol's own conformance suite, before ``wisp mcp`` (docs/mcp.md)."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.fakes.mcp_http import Place, http_process
from tests.fakes.node import Node, installed
from tests.fakes.wisp_process import ROOT, WISP, environment, replay
from wisp_tui.text.json import Json, JsonObject, load, load_object

SUITE = "@modelcontextprotocol/conformance/dist/index.js"
INSPECTOR = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"


@pytest.fixture(scope="module")
def node() -> Node:
    return installed()


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def place(directory: Path, node: Node) -> Generator[Place]:
    """One server for all of them, its model one that asks for a command."""
    del node  # without it there is nothing to serve
    asks = {"calls": [{"name": "run_command", "arguments": {"command": "touch made"}}]}
    with http_process(directory / "home", replay(directory / "r.jsonl", asks, {"reply": "Made."})) as running:
        yield running.place


def test_the_typescript_client_holds_a_thread(node: Node, place: Place, directory: Path) -> None:
    variables = {"WISP_TOKEN": place.secret}
    ran = node.run(node.script("holds_a_thread.mjs"), place.url, variables=variables)
    assert ran.returncode == 0, ran.stderr
    came = load_object(ran.stdout)
    assert (came["text"], came["exitStatus"], came["listChanged"]) == ("Made.", 0, True)
    assert (directory / "made").exists()
    (asked,) = objects(came["asked"])
    assert str(asked["message"]).startswith("May this run? touch made\n")
    assert came["told"] == "wisp://threads/t/context"
    assert isinstance(came["steps"], list)
    assert "run_command touch made (waits for the person)" in came["steps"]
    assert "do it" in str(came["read"])
    assert "an encoded slash" in str(came["refused"])


def test_the_inspector_calls_over_http_and_over_pipes(node: Node, place: Place, tmp_path: Path) -> None:
    inspect = (node.package(INSPECTOR), "--cli")
    http = (place.url, "--transport", "http", "--header", f"Authorization: Bearer {place.secret}")
    model = replay(tmp_path / "r.jsonl", {"reply": "Hello."})
    call = ("--method", "tools/call", "--tool-name", "respond", "--tool-arg", "prompt=hello")
    pipes = [
        argument for name, value in environment(tmp_path / "home").items() for argument in ("-e", f"{name}={value}")
    ]
    with ThreadPoolExecutor() as both:
        listing = both.submit(node.run, *inspect, *http, "--method", "resources/templates/list")
        answer = both.submit(node.run, *inspect, *pipes, *call, "--", *WISP, "mcp", "-m", model)
        for ran in (listing.result(), answer.result()):
            assert ran.returncode == 0, ran.stderr
    templates = objects(load_object(listing.result().stdout)["resourceTemplates"])
    assert "wisp://threads/{thread_id}/output/{id}{?page}" in [each["uriTemplate"] for each in templates]
    assert load_object(answer.result().stdout)["content"] == [{"type": "text", "text": "Hello."}]


def test_the_conformance_suite_comes_to_what_the_docs_say(node: Node, place: Place, tmp_path: Path) -> None:
    let_in = ("--import", node.script("let_in.mjs"))
    node.run(
        *let_in,
        node.package(SUITE),
        *("server", "--suite", "all", "--url", place.url, "--output-dir", str(tmp_path)),
        variables={"WISP_TOKEN": place.secret},
    )
    came = {scenario_of(file): faults_of(file) for file in tmp_path.glob("*/checks.json")}
    said = dict(table())
    assert came.keys() == said.keys()
    for scenario, (passes, answer) in said.items():
        faults = came[scenario]
        assert passes == (not faults), (scenario, faults)
        assert all(answer in fault for fault in faults), (scenario, faults)


def table() -> Iterator[tuple[str, tuple[bool, str]]]:
    """Read the docs' table: for each scenario whether it passes, and what is answered when it does not."""
    page = (ROOT / "docs" / "mcp.md").read_text("utf-8")
    rows = re.findall(r"^\| (.+?) \| (.*?) \| ?(.*?) ?\|$", page.split("\n| scenario |")[1], re.MULTILINE)
    for names, result, answer in rows:
        for name in re.findall(r"`([^`]+)`", names):
            yield name, (result == "passes", answer.strip("`"))


def scenario_of(file: Path) -> str:
    """Name the scenario whose checks a file holds: its directory is named for it and for the moment."""
    return re.sub(r"^server-|-\d{4}-\d\d-\d\dT.*$", "", file.parent.name)


def faults_of(file: Path) -> list[str]:
    return [
        str(check.get("errorMessage")) for check in objects(load(file.read_bytes())) if check["status"] == "FAILURE"
    ]


def objects(value: Json) -> list[JsonObject]:
    assert isinstance(value, list)
    return [item for item in value if isinstance(item, dict)]
