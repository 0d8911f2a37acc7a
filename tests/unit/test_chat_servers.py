"""Where a chat-completions server is found, and when a key is sent to it."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from wisp_tui.config.settings import Settings
from wisp_tui.models.base import ModelUnavailable
from wisp_tui.models.chat_servers import Server, ServerKind, find_server


def found(kind: str, environment: Mapping[str, str] | None = None, **settings: str) -> Server:
    return find_server(ServerKind(kind), Settings.model_validate({kind: settings}), environment or {})


@pytest.mark.parametrize(
    ("host", "api", "root"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1", "http://127.0.0.1:8080"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/v1", "http://127.0.0.1:8080"),
        ("127.0.0.1:8080", "http://127.0.0.1:8080/v1", "http://127.0.0.1:8080"),
        ("http://[::1]:8080/v1/", "http://[::1]:8080/v1", "http://[::1]:8080"),
        ("https://host.example/openai/v1", "https://host.example/openai/v1", "https://host.example/openai"),
        (
            "https://host.example/v1beta/openai",
            "https://host.example/v1beta/openai",
            "https://host.example/v1beta/openai",
        ),
    ],
)
def test_an_address_is_completed_with_what_it_leaves_out(host: str, api: str, root: str) -> None:
    server = found("openai", host=host)
    assert (server.api, server.root) == (api, root)


@pytest.mark.parametrize(
    "host", ["http://", "ftp://host", "http://[::1", "http://host:port", "http://host:99999", "///"]
)
def test_an_address_that_is_none_is_refused_with_the_settings_name(host: str) -> None:
    with pytest.raises(ModelUnavailable, match="openai") as caught:
        found("openai", host=host)
    assert "openai.host" in caught.value.remedy


@pytest.mark.parametrize(
    ("kind", "api"), [("llamacpp", "http://127.0.0.1:8080/v1"), ("lmstudio", "http://127.0.0.1:1234/v1")]
)
def test_a_local_runtime_is_looked_for_where_it_usually_is(kind: str, api: str) -> None:
    assert found(kind).api == api


def test_no_server_is_assumed_for_openai() -> None:
    with pytest.raises(ModelUnavailable, match=r"set openai\.host in config\.json, or OPENAI_BASE_URL"):
        found("openai")
    assert found("openai", {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}).api == "http://127.0.0.1:9/v1"
    assert found("openai", {"OPENAI_BASE_URL": "http://a"}, host="http://b").api == "http://b/v1"


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({"host": "http://127.0.0.1:1"}, "usual"),
        ({"host": "http://localhost:1"}, "usual"),
        ({"host": "https://host.example"}, "usual"),
        ({"host": "http://host.example"}, None),
        ({"host": "http://192.168.1.7:8080"}, None),
        ({"host": "http://host.example", "key": "written"}, "written"),
        ({"host": "http://host.example", "keyVariable": "MINE"}, "mine"),
        ({"host": "http://127.0.0.1:1", "key": "written", "keyVariable": "MINE"}, "mine"),
        ({"host": "http://127.0.0.1:1", "keyVariable": "UNSET"}, None),
        ({"host": "http://127.0.0.1:1", "key": ""}, None),
    ],
)
def test_the_usual_key_is_never_sent_in_clear_to_another_machine(settings: dict[str, str], key: str | None) -> None:
    assert found("openai", {"OPENAI_API_KEY": "usual", "MINE": "mine"}, **settings).key == key


def test_neither_the_key_nor_a_password_in_the_address_is_shown() -> None:
    server = found("openai", host="http://me:hunter%4022@127.0.0.1:1/x?token=abc", key="sk-secret")
    assert (server.api, server.where) == ("http://127.0.0.1:1/x", "the server at http://127.0.0.1:1/x")
    assert server.login == ("me", "hunter@22")
    assert "sk-secret" not in repr(server)
    assert "hunter" not in f"{server.where} {server!r}"
