"""The examples of docs/telemetry.md run, and print the output that the page shows."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from types import ModuleType

import pytest

from .signal_tables import DOCS

EXAMPLES = re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES)
def test_example_prints_what_the_page_says(example: str) -> None:
    said = io.StringIO()
    module = ModuleType("example_of_telemetry")
    sys.modules[module.__name__] = module
    try:
        with contextlib.redirect_stdout(said):
            exec(compile(example, module.__name__, "exec"), module.__dict__)
    finally:
        del sys.modules[module.__name__]
    assert said.getvalue().splitlines() == re.findall(r"print\(.*\)  # (.*)", example)
    assert EXAMPLES


def test_settings_of_the_page_are_those_of_the_app() -> None:
    page = DOCS.read_text(encoding="utf-8")
    for name in ("Redactor", "HmacKey", "HmacKeyId", "EnableSensitiveTelemetryData", "ConfirmSensitiveInAzure"):
        assert name in page
