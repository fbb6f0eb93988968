"""App settings: their names, their placeholders, and the file of local values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from emulators.functions_host import HostError
from emulators.functions_host.settings import AppSettings, LocalSettings, UnresolvedSetting, read_local_settings

SETTINGS = AppSettings({"Queue": "q1", "Store__queueServiceUri": "https://s", "A:B": "c", "Empty": ""})


@pytest.mark.parametrize(("name", "value"), [("Queue", "q1"), ("QUEUE", "q1"), ("A__B", "c"), ("a:b", "c"), ("Empty", "")])
def test_names_ignore_case_and_nesting(name: str, value: str) -> None:
    assert SETTINGS[name] == value
    assert name in SETTINGS


def test_settings_are_a_mapping() -> None:
    assert list(SETTINGS) == ["Queue", "Store__queueServiceUri", "A:B", "Empty"]
    assert len(SETTINGS) == 4
    assert "Nothing" not in SETTINGS


def test_section() -> None:
    assert SETTINGS.section("store") == {"queueserviceuri": "https://s"}
    assert SETTINGS.section("nothing") == {}


@pytest.mark.parametrize(
    ("text", "resolved"), [("%Queue%", "q1"), ("a-%queue%-%A__B%", "a-q1-c"), ("plain", "plain"), ("50% off", "50% off")]
)
def test_placeholders(text: str, resolved: str) -> None:
    assert SETTINGS.resolve(text) == resolved


@pytest.mark.parametrize("text", ["%Nothing%", "%Empty%"])
def test_placeholder_without_a_value(text: str) -> None:
    with pytest.raises(UnresolvedSetting, match=f"^'{text}' does not resolve to a value.$"):
        SETTINGS.resolve(text)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, LocalSettings()),
        ({}, LocalSettings()),
        ({"IsEncrypted": False, "Values": {"A": "1", "N": 2}}, LocalSettings(values={"A": "1", "N": "2"})),
        (
            {"Host": {"CORS": "http://a, http://b", "CORSCredentials": True}},
            LocalSettings(cors=("http://a", "http://b"), cors_credentials=True),
        ),
        ({"Host": {"LocalHttpPort": 7071}}, LocalSettings()),
    ],
)
def test_local_file(tmp_path: Path, content: Any, expected: LocalSettings) -> None:
    if content is not None:
        (tmp_path / "local.settings.json").write_text(json.dumps(content))
    assert read_local_settings(tmp_path) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", r"local.settings.json is not JSON \(line 1\)"),
        ("[]", "must be an object"),
        ('{"Values": []}', "must be an object"),
    ],
)
def test_unreadable_local_file(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "local.settings.json").write_text(text)
    with pytest.raises(HostError, match=message):
        read_local_settings(tmp_path)
