"""A copy of the template to break, for the tests that run the compiler."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from scripts.bicep import INFRA, find_compiler

needs_compiler = pytest.mark.skipif(
    find_compiler() is None, reason="no Bicep compiler: put `bicep` on the PATH to run these"
)


def copy_template(folder: Path) -> Path:
    """A copy of infra/ in a folder that exists; gives where."""
    return Path(shutil.copytree(INFRA, folder / "infra"))


def edited(text: str, old: str, new: str) -> str:
    """The text with one part replaced, which must be there: a case that no longer breaks anything proves nothing."""
    assert old in text, f"the text no longer holds {old!r}"
    return text.replace(old, new)
