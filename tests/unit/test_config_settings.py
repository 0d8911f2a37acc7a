"""``config.json``: its defaults, its ranges, and how a fault in it is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import BaseModel

from wisp_tui.config import ConfigError, Settings, load_settings


def load(tmp_path: Path, text: str | bytes) -> Settings:
    path = tmp_path / "config.json"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return load_settings(path)


def fault(tmp_path: Path, text: str | bytes) -> str:
    with pytest.raises(ConfigError) as raised:
        load(tmp_path, text)
    return str(raised.value).replace(str(tmp_path), "~")


def test_no_file_means_the_defaults(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "config.json") == Settings()


def test_names_in_the_file_are_written_in_camel_case(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        '{"model":"ollama:x","context":{"headroomTurns":4},"approval":{"timeoutSeconds":5},"tools":{"disabled":["run_command"]}}',
    )
    assert (settings.model, settings.context.headroom_turns) == ("ollama:x", 4)
    assert (settings.approval.timeout_seconds, settings.tools.disabled) == (5, ("run_command",))


def test_fields_not_known_are_kept_and_ignored(tmp_path: Path) -> None:
    settings = load(tmp_path, '{"later":{"x":1},"context":{"budget":0.5,"newer":true}}')
    assert settings.context.budget == 0.5
    written = settings.model_dump(by_alias=True, exclude_unset=True)
    assert (written["later"], written["context"]) == ({"x": 1}, {"budget": 0.5, "newer": True})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            '{"context":{"budget":1.5}}',
            "~/config.json: context.budget is 1.5; it takes a number from 0.3 to 0.95",
        ),
        ('{"context":{"headroomTurns":0}}', "context.headroomTurns is 0; it takes a whole number from 1 to "),
        (
            '{"approval":{"threshold":"never"}}',
            'approval.threshold is "never"; it takes safe, moderate or dangerous',
        ),
        ('{"audit":{"maxBytes":"much"}}', 'audit.maxBytes is "much"; it takes a whole number from '),
        ('{"audit":null}', "audit is null; it takes an object, which holds other settings"),
        ('{"tools":{"disabled":"run_command"}}', 'tools.disabled is "run_command"; it takes texts'),
        ("[]", "~/config.json is not a JSON object: not a JSON object"),
        ('{"model":', "~/config.json is not a JSON object: "),
        ("", "~/config.json is not a JSON object: "),
        (b"\xff\xfe", "~/config.json is not a JSON object: "),
    ],
)
def test_a_malformed_file_is_refused_with_the_field_and_the_reason(
    tmp_path: Path, text: str | bytes, told: str
) -> None:
    assert told in fault(tmp_path, text)


def test_every_fault_is_named_at_once(tmp_path: Path) -> None:
    told = fault(tmp_path, '{"context":{"budget":2},"audit":{"keep":0}}')
    assert "context.budget is 2;" in told
    assert "audit.keep is 0;" in told


def test_a_long_value_is_shortened_in_the_fault(tmp_path: Path) -> None:
    assert len(fault(tmp_path, '{"context":{"budget":"' + "x" * 5000 + '"}}')) < 300


@pytest.mark.parametrize("value", ['["sk-secret"]', "12345678", '{"k":"sk-secret"}'])
def test_a_malformed_key_is_never_shown(tmp_path: Path, value: str) -> None:
    told = fault(tmp_path, '{"openai":{"key":' + value + "}}")
    assert told == "~/config.json: openai.key cannot be used; it takes a text"
    assert "secret" not in told
    assert "1234" not in told


def test_settings_that_are_printed_show_no_key(tmp_path: Path) -> None:
    settings = load(tmp_path, '{"openai":{"key":"sk-secret"}}')
    assert settings.openai.key == "sk-secret"
    assert "sk-secret" not in repr(settings)


def test_a_file_that_cannot_be_read_is_an_error_in_words(tmp_path: Path) -> None:
    (tmp_path / "config.json").mkdir()
    with pytest.raises(ConfigError, match=r"config\.json cannot be read: Is a directory"):
        load_settings(tmp_path / "config.json")


def _undescribed(part: type[BaseModel], before: str = "") -> list[str]:
    found: list[str] = []
    for name, field in part.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            found += _undescribed(kind, f"{before}{name}.")
        elif not (field.description or "").endswith("."):
            found.append(before + name)
    return found


def test_every_setting_says_what_it_does() -> None:
    assert _undescribed(Settings) == []
