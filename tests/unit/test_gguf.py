"""What is read of GGUF files: which there are, and the window each was trained at."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from wisp_tui.config.home import Home
from wisp_tui.models.gguf import gguf_files, trained_window


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def field(name: str, kind: int, value: bytes) -> bytes:
    return text(name) + struct.pack("<I", kind) + value


def strings(*values: str) -> bytes:
    return struct.pack("<IQ", 8, len(values)) + b"".join(text(value) for value in values)


ARCHITECTURE = field("general.architecture", 8, text("llama"))
WINDOW = field("llama.context_length", 4, struct.pack("<I", 8192))
WIDE = field("llama.context_length", 10, struct.pack("<Q", 1 << 20))
BEFORE = (
    ARCHITECTURE,
    field("tokenizer.tokens", 9, strings("a", "bc", "")),
    field("tokenizer.scores", 9, struct.pack("<IQ", 6, 3) + b"\x00" * 12),
    field("nested", 9, struct.pack("<IQ", 9, 1) + strings("x")),
    field("llama.rope.freq_base", 6, struct.pack("<f", 1.0)),
    field("general.flag", 7, b"\x01"),
)


def gguf(*fields: bytes, count: int | None = None, version: int = 3) -> bytes:
    total = len(fields) if count is None else count
    return b"GGUF" + struct.pack("<IQQ", version, 0, total) + b"".join(fields) + b"\x00" * 64


@pytest.mark.parametrize(
    ("data", "window"),
    [
        (gguf(*BEFORE, WINDOW), 8192),
        (gguf(WIDE), 1 << 20),
        (gguf(*BEFORE), None),
        (gguf(version=1), None),
        (b"", None),
        (b"GGUF", None),
        (b"GGML" + b"\x00" * 64, None),
        (gguf(*BEFORE, WINDOW)[:60], None),
        (gguf(ARCHITECTURE, count=1 << 40), None),
        (gguf(field("x", 99, b"")), None),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1 << 60) + b"x" * 64, None),
        (gguf(field("llama.context_length", 8, text("many"))), None),
    ],
)
def test_the_trained_window_is_read_or_there_is_none(tmp_path: Path, data: bytes, window: int | None) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(data)
    assert trained_window(path) == window


def test_a_file_that_is_not_there_has_no_window(tmp_path: Path) -> None:
    assert trained_window(tmp_path / "model.gguf") is None


def test_only_whole_model_files_are_listed(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert gguf_files(home) == ()
    home.models.mkdir()
    for name in ("b.gguf", "a.v2.gguf", ".c.gguf", "d.gguf.part", "e.bin"):
        (home.models / name).write_bytes(b"12345")
    (home.models / "folder.gguf").mkdir()
    (home.models / "gone.gguf").symlink_to(tmp_path / "nowhere")
    assert [(file.name, file.size) for file in gguf_files(home)] == [("a.v2", 5), ("b", 5)]
