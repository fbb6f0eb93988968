"""The registry: docs, code and alerts say the same as its tables."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from shared.telemetry.allow_list import ERROR_CODES
from shared.telemetry.schema import ATTRIBUTES, EVENTS, METRICS, SPANS, EventRow, MetricRow, SpanRow

from .signal_tables import DOCS, written

ROOT = Path(__file__).resolve().parents[2]
ROWS: dict[str, Mapping[str, SpanRow | MetricRow | EventRow]] = {
    "span": SPANS,
    "count": METRICS,
    "record": METRICS,
    "event": EVENTS,
}
LOGGING_ITSELF = {"shared/retrieval/context/provider.py"}
"""The provider logs what the original logs, by a logger of its caller's."""


def deployed() -> Iterator[tuple[str, ast.AST]]:
    """Every node of the deployed code outside telemetry, with its file."""
    for path in [ROOT / "function_app.py", *sorted((ROOT / "shared").rglob("*.py"))]:
        if path.exists() and path.parent.name != "telemetry":
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                yield str(path.relative_to(ROOT)), node


NODES = list(deployed())


def calls() -> Iterator[tuple[str, str, ast.Call]]:
    """Calls of `signals.span`, `.count`, `.record`, `.event`: where, which, the call."""
    for path, node in NODES:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ROWS:
            source = ast.unparse(node.func.value).lower()
            if source.endswith(("signals", "quiet")):
                yield f"{path}:{node.lineno}", node.func.attr, node


def imported(node: ast.AST) -> set[str]:
    """The packages that an import names."""
    if isinstance(node, ast.Import):
        return {alias.name.partition(".")[0] for alias in node.names}
    return {(node.module or "").partition(".")[0]} if isinstance(node, ast.ImportFrom) and not node.level else set()


def constant(node: ast.AST | None) -> str | None:
    """The string that a node is."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def error_codes() -> Iterator[str | None]:
    """Codes of errors: of their classes, given as `code=…`, second argument of an `HttpError`, reasons of rejections."""
    classes = {"HttpError", "Failure"}
    for path, node in NODES:
        if isinstance(node, ast.ClassDef) and path.endswith("errors.py"):
            classes.add(node.name)
            yield from (constant(row.value) for row in node.body if isinstance(row, ast.Assign) and _is_code(row))
    for _, node in NODES:
        if isinstance(node, ast.Call) and ast.unparse(node.func) in classes:
            yield from (constant(keyword.value) for keyword in node.keywords if keyword.arg == "code")
            yield from (constant(argument) for argument in node.args[1:2] if ast.unparse(node.func) == "HttpError")
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("unreadable", "_refused")):
            yield from (code for code in map(constant, node.args) if code and re.fullmatch("[a-z_]+", code))


def _is_code(row: ast.Assign) -> bool:
    return ast.unparse(row.targets[0]) == "code"


def test_docs_show_the_tables() -> None:
    text = DOCS.read_text(encoding="utf-8")
    assert written(text) == text, "python -m tests.telemetry.signal_tables writes them"


def test_signals_in_the_code_are_registered() -> None:
    wrong = []
    for where, method, call in calls():
        name = call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else None
        row = ROWS[method].get(str(name))
        keys = {keyword.arg for keyword in call.keywords if keyword.arg is not None}
        if row is None or keys - row.attributes - {"value"}:
            wrong.append((where, name, sorted(keys - (row.attributes if row else frozenset()))))
    assert wrong == []


def test_every_duration_has_its_metric() -> None:
    assert {row.duration for row in SPANS.values()} <= METRICS.keys()


def test_every_attribute_is_used() -> None:
    used = frozenset[str]().union(*(row.attributes for rows in (SPANS, METRICS, EVENTS) for row in rows.values()))
    assert ATTRIBUTES.keys() - used == set()


def test_nothing_deployed_logs_or_prints_past_the_signals() -> None:
    found = {path for path, node in NODES if imported(node) & {"logging", "warnings", "traceback"}}
    assert found - LOGGING_ITSELF == set()


def test_no_azure_client_is_told_to_log_bodies() -> None:
    names = {keyword.arg for _, node in NODES if isinstance(node, ast.Call) for keyword in node.keywords}
    assert names & {"logging_enable", "logging_body"} == set()


@pytest.mark.parametrize("code", sorted({code for code in error_codes() if code}))
def test_codes_of_the_apps_errors_are_error_types(code: str) -> None:
    assert code in ERROR_CODES


def test_every_registered_signal_is_sent_somewhere() -> None:
    texts = {constant(node) for _, node in NODES}
    by_telemetry = {row.duration for row in SPANS.values()} | {"log_withheld"}
    silent = (SPANS.keys() | METRICS.keys() | EVENTS.keys()) - texts - by_telemetry
    assert {name for name in silent if not name.startswith("telemetry_")} == set()
