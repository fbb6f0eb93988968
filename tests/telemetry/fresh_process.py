"""Runs a piece of Python in a process of its own: OpenTelemetry takes providers only once in each."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60
QUICK = {"OTEL_BSP_SCHEDULE_DELAY": "100", "OTEL_BLRP_SCHEDULE_DELAY": "100"}


@dataclass(frozen=True)
class Finished:
    """The output of the process."""

    out: str
    err: str


def run(code: str, environment: Mapping[str, str] | None = None) -> Finished:
    """Run the code from the repository's root; an AssertionError with its output when it fails."""
    finished = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **QUICK, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert finished.returncode == 0, f"{finished.stdout}\n{finished.stderr}"
    return Finished(finished.stdout, finished.stderr)
