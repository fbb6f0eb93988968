"""Where the measured truth lies: beside the repository, never copied into it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).resolve().parents[1].parent / "shared"


def load_truth(name: str) -> Any:
    """The JSON of a truth file; the test is skipped where the file is not at hand."""
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"the measured truth {name} is not beside the repository", allow_module_level=True)
    return json.loads(path.read_text(encoding="utf-8"))
