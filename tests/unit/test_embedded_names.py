"""Which file an embedded model's name stands for, and what a person is told when there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from wisp_tui.config.home import Home
from wisp_tui.config.settings import Settings
from wisp_tui.models.base import ModelUnavailable
from wisp_tui.models.embedded import EmbeddedModel, find_file
from wisp_tui.models.pull import plan_pull
from wisp_tui.text.ids import ModelId


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """An empty home."""
    made = Home(tmp_path / "home")
    made.prepare()
    return made


def put(home: Home, *names: str) -> None:
    for name in names:
        (home.models / name).write_bytes(b"GGUF")


@pytest.mark.parametrize("name", ["Qwen3-4B", "qwen3-4b", "QWEN3-4B.gguf", "Qwen3-4B.gguf"])
def test_a_file_is_found_in_any_case_and_with_or_without_its_ending(home: Home, name: str) -> None:
    put(home, "Qwen3-4B.gguf", "other.gguf")
    assert find_file(home, name) == home.models / "Qwen3-4B.gguf"


def test_of_names_that_differ_in_case_alone_the_exact_one_is_taken(home: Home) -> None:
    put(home, "a.gguf", "A.gguf")
    assert find_file(home, "A").name == "A.gguf"
    assert find_file(home, "a").name == "a.gguf"


def test_the_small_model_has_a_name_of_its_own(home: Home) -> None:
    put(home, plan_pull("smollm2").file)
    assert find_file(home, "smollm2") == find_file(home, "SmolLM2") == home.models / plan_pull("smollm2").file


def test_a_missing_small_model_is_said_with_how_to_fetch_it(home: Home) -> None:
    with pytest.raises(ModelUnavailable) as caught:
        find_file(home, "smollm2")
    assert "`wisp models pull smollm2`" in caught.value.remedy


@pytest.mark.parametrize("name", ["nope", "../../etc/passwd", "/etc/passwd", "", ".", "nope.part"])
def test_a_name_that_is_no_file_of_the_home_is_said_with_where_to_put_one(home: Home, name: str) -> None:
    put(home, "mine.gguf", "nope.part", ".hidden.gguf")
    with pytest.raises(ModelUnavailable) as caught:
        find_file(home, name)
    assert str(home.models) in caught.value.reason
    assert "mine" in caught.value.remedy


async def test_nothing_is_started_for_a_model_that_is_not_here(home: Home) -> None:
    model = EmbeddedModel(ModelId("embedded:smollm2"), home, Settings())
    with pytest.raises(ModelUnavailable, match="is not here yet"):
        await model.resolve()
    await model.close()
    await model.close()


async def test_a_missing_library_is_said_with_how_to_install_it(home: Home, tmp_path: Path) -> None:
    broken = tmp_path / "library"
    broken.mkdir()
    (broken / "xllamacpp.py").write_text("raise ImportError('no such library')")
    put(home, plan_pull("smollm2").file)
    model = EmbeddedModel(ModelId("embedded:smollm2"), home, Settings(), {"PYTHONPATH": str(broken)})
    with pytest.raises(ModelUnavailable, match="is not installed") as caught:
        await model.resolve()
    assert caught.value.remedy == "`pip install 'wisp-tui[embedded]'`"


async def test_no_module_of_the_directory_the_person_works_in_is_run(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("json", "xllamacpp", "importlib"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nraise ImportError")
    monkeypatch.chdir(tmp_path)
    put(home, plan_pull("smollm2").file)
    model = EmbeddedModel(ModelId("embedded:smollm2"), home, Settings(), {})
    with pytest.raises(ModelUnavailable):
        await model.resolve()
    assert not (tmp_path / "ran").exists()


async def test_a_child_that_ends_before_it_is_ready_is_said(home: Home, tmp_path: Path) -> None:
    broken = tmp_path / "library"
    broken.mkdir()
    (broken / "xllamacpp.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
    put(home, "mine.gguf")
    model = EmbeddedModel(ModelId("embedded:mine"), home, Settings(), {"PYTHONPATH": str(broken)})
    with pytest.raises(ModelUnavailable, match=r"ended while it started \(signal 9\)") as caught:
        await model.resolve()
    assert "memory" in caught.value.remedy


async def test_what_native_code_prints_reaches_neither_the_screen_nor_the_address(
    home: Home, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    noisy = tmp_path / "library"
    noisy.mkdir()
    (noisy / "xllamacpp.py").write_text(
        "import os\nos.write(1, b'noise on stdout\\n' * 9000)\nos.write(2, b'noise\\x1b[2J' * 9000)\n"
        "os.write(2, b'error loading model: \\x1b[31mtoo odd\\n')\n"
        "class CommonParams:\n  class model: path = ''\n  class cpuparams: n_threads = 0\n"
        "  class cpuparams_batch: n_threads = 0\n  class sampling: pass\n"
        "def Server(parameters): raise RuntimeError('no')\n"
    )
    put(home, "mine.gguf")
    model = EmbeddedModel(ModelId("embedded:mine"), home, Settings(), {"PYTHONPATH": str(noisy)})
    with pytest.raises(ModelUnavailable, match=r"mine\.gguf cannot be loaded \(too odd\)"):
        await model.resolve()
    assert capfd.readouterr() == ("", "")
