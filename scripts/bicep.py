"""The Bicep compiler: where it is, and running it so that only what is given decides the outcome."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
INFRA = ROOT / "infra"
# What a person's shell or azd may have set would otherwise end up in parameters.
_NEEDED = ("PATH", "HOME", "TMPDIR", "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "DOTNET_BUNDLE_EXTRACT_BASE_DIR")


def find_compiler() -> str | None:
    """The compiler on the PATH, or None."""
    return shutil.which("bicep")


def run(*arguments: str | Path, environment: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run the compiler. Diagnostics are on stderr; a warning leaves the exit code at 0, so callers look at both.

    Raises:
        FileNotFoundError: no compiler is at hand.
    """
    compiler = find_compiler()
    if compiler is None:
        raise FileNotFoundError("no Bicep compiler: put `bicep` on the PATH (0.49 or newer)")
    kept = {name: os.environ[name] for name in _NEEDED if name in os.environ}
    return subprocess.run(
        [compiler, *map(str, arguments)], capture_output=True, text=True, check=False, env={**kept, **(environment or {})}
    )
