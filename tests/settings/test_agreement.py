"""The settings table, the example file and the README name the same settings with the same defaults."""

from __future__ import annotations

import json
import re
from pathlib import Path

from shared.settings import SETTINGS, check_settings

ROOT = Path(__file__).resolve().parents[2]
HOST_SETTINGS = {"FUNCTIONS_WORKER_RUNTIME", "AzureWebJobsStorage"}


def example() -> dict[str, str]:
    """The example's values."""
    values: dict[str, str] = json.loads((ROOT / "local.settings.json.example").read_text(encoding="utf-8"))["Values"]
    return values


def test_the_example_names_every_setting_and_no_other() -> None:
    assert example().keys() - HOST_SETTINGS == {setting.name for setting in SETTINGS}


def test_the_example_is_usable() -> None:
    settings = check_settings(example())
    assert settings.missing == ()
    assert settings.model is None
    assert not settings.telemetry.sensitive


def test_the_example_shows_each_default_or_leaves_it_blank() -> None:
    words = ("required", "none", "required for briefings", "the shipped samples")
    chosen = {"AiAgents__Auth__Mode", "AiAgents__Context__Unfiltered", "BriefingStorage", "AiAgents__Context__Index"}
    for setting in SETTINGS:
        if setting.default in words or setting.name in chosen:
            continue
        assert example()[setting.name] == setting.default, setting.name


def test_the_readme_table_is_the_settings_table() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text.split("<!-- settings -->")[1].split("<!-- /settings -->")[0]
    rows = re.findall(r"^\| `([^`]+)` \| (.+?) \| (.+) \|$", table, re.MULTILINE)
    assert rows == [(setting.name, setting.default, setting.meaning) for setting in SETTINGS]
