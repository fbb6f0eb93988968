"""The measured truths: those in this folder, and those in the folder that `MEASUREMENTS` names."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parent
PROBE = FOLDER / "functions-host-probe"
"""The app that the real Functions host ran when it was recorded."""
MEASUREMENTS = "MEASUREMENTS"
"""The environment variable with the folder of what is not in the repository."""


@cache
def load_truth(name: str) -> Any:
    """The JSON of a truth of this folder, such as `dfe-aisearch-golden`. Read once; do not change it."""
    with gzip.open(FOLDER / f"{name}.json.gz", "rt", encoding="utf-8") as file:
        return json.load(file)


def school_lines() -> Iterator[str]:
    """The 2,000 schools, each a JSON object on its line."""
    with gzip.open(FOLDER / "schools.jsonl.gz", "rt", encoding="utf-8") as file:
        yield from file


def measurement(name: str) -> Path:
    """A file or folder outside of the repository. Skips the module where it is not at hand."""
    folder = os.environ.get(MEASUREMENTS)
    if not folder or not (Path(folder) / name).exists():
        pytest.skip(f"{name} is not in the folder that {MEASUREMENTS} names", allow_module_level=True)
    return (Path(folder) / name).resolve()
