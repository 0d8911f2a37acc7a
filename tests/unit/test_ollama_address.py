"""Where Ollama is looked for, in every shape its address is written in."""

from __future__ import annotations

import pytest

from wisp_tui.models.ollama_address import is_local, ollama_address, shown_address

LOCAL = "http://127.0.0.1:11434"


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("", LOCAL),
        ("  ", LOCAL),
        ("example.com", "http://example.com:11434"),
        ("example.com:1234", "http://example.com:1234"),
        (":1234", "http://127.0.0.1:1234"),
        ("0.0.0.0", LOCAL),
        ("0.0.0.0:8000", "http://127.0.0.1:8000"),
        ("http://example.com", "http://example.com:80"),
        ("https://example.com", "https://example.com:443"),
        ("https://example.com:1234", "https://example.com:1234"),
        ("HTTP://example.com:1", "http://example.com:1"),
        ("https://example.com/ollama/", "https://example.com:443/ollama"),
        ("example.com:1234/", "http://example.com:1234"),
        ("example.com/", "http://example.com:11434"),
        ("[::1]", "http://[::1]:11434"),
        ("[::1]:1337", "http://[::1]:1337"),
        ("::1", "http://[::1]:11434"),
        ("[::]:1337", "http://[::1]:1337"),
        ("http://[fe80::1]:80/x", "http://[fe80::1]:80/x"),
        ("https://me:pass@example.com/x", "https://me:pass@example.com:443/x"),
        ("me:pass@[::1]:1", "http://me:pass@[::1]:1"),
        ("example.com:notaport", "http://example.com:11434"),
        ("example.com:66000", "http://example.com:11434"),
        ("example.com:-1", "http://example.com:11434"),
        ("example.com:0", "http://example.com:11434"),
        ('"1.2.3.4:5"', "http://1.2.3.4:5"),
        (" ' localhost ' ", "http://localhost:11434"),
    ],
)
def test_each_shape_of_the_variable_gives_its_address(written: str, address: str) -> None:
    assert ollama_address(None, {"OLLAMA_HOST": written}) == address


def test_the_setting_wins_over_the_variable_and_both_over_the_default() -> None:
    assert ollama_address("one:1", {"OLLAMA_HOST": "two:2"}) == "http://one:1"
    assert ollama_address(None, {}) == LOCAL


def test_a_password_in_an_address_is_not_shown() -> None:
    assert shown_address("https://me:p@ss@example.com:443/x") == "https://example.com:443/x"
    assert shown_address("http://[::1]:1") == "http://[::1]:1"


@pytest.mark.parametrize(
    ("address", "local"),
    [
        (LOCAL, True),
        ("http://127.1.2.3:80/x", True),
        ("http://[::1]:11434", True),
        ("http://localhost:11434", True),
        ("http://ollama.localhost:11434", True),
        ("http://me:pass@127.0.0.1:11434", True),
        ("http://localhost:x@example.com:80", False),
        ("http://192.168.1.5:11434", False),
        ("https://example.com:443", False),
        ("http://localhost.example.com:1", False),
    ],
)
def test_only_this_machine_is_local(address: str, local: bool) -> None:
    assert is_local(address) is local
