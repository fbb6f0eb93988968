"""Queries, alerts and workbook of infra/monitoring name only signals of the registry, and every query is shown somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from shared.telemetry.schema import EVENTS, EXPORTED, METRICS, SPANS
from shared.telemetry.setup import SWITCHES

INFRA = Path(__file__).resolve().parents[2] / "infra"
QUERIES = sorted((INFRA / "monitoring").rglob("*.kql"))
BY_HAND = {"trace.kql"}
"""Asks for an operation id, so it stands in no workbook."""


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_query_names_registered_signals(path: Path) -> None:
    query = path.read_text(encoding="utf-8")
    properties = set(re.findall(r'Properties\["([^"]+)"\]', query)) - {"logger_name"}
    assert properties <= EXPORTED.keys()
    names = set(re.findall(r'\bName == "([^"]+)"', query)) | _listed(r"\bName in \(([^)]*)\)", query)
    assert names <= SPANS.keys() | METRICS.keys()
    assert _listed(r"\bMessage in \(([^)]*)\)", query) <= EVENTS.keys()


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_query_says_what_it_is_for(path: Path) -> None:
    assert re.match(r"// \S.*\.\n", path.read_text(encoding="utf-8"))


def test_every_query_is_shown_or_watched() -> None:
    modules = [INFRA / "modules" / name for name in ("workbook.bicep", "signal-alerts.bicep")]
    loaded = set(
        re.findall(r"\.\./monitoring/([\w/-]+\.kql)", "".join(path.read_text(encoding="utf-8") for path in modules))
    )
    assert loaded | BY_HAND == {path.relative_to(INFRA / "monitoring").as_posix() for path in QUERIES}


@pytest.mark.parametrize("switch", SWITCHES)
def test_switches_stand_in_the_app_settings_too(switch: str) -> None:
    assert f"\n  {switch}: " in (INFRA / "modules" / "settings.bicep").read_text(encoding="utf-8")


def test_values_of_closed_sets_in_queries_are_words_of_theirs() -> None:
    alert = (INFRA / "monitoring" / "alerts" / "briefings-failing.kql").read_text(encoding="utf-8")
    words = _listed(r'Properties\["app.outcome"\] in \(([^)]*)\)', alert)
    rule = EXPORTED["app.outcome"].rule
    assert words
    assert words <= getattr(rule, "words", frozenset())


def _listed(pattern: str, query: str) -> set[str]:
    return {word for group in re.findall(pattern, query) for word in re.findall(r'"([^"]+)"', group)}
