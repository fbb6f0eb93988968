"""docs/development-host.md names every option, and the figures that the tests hold."""

from __future__ import annotations

import re
import subprocess
import sys

from tests.emulators.functions_host import test_recorded_http, test_recorded_queues
from tests.support.host import ROOT

PAGE = (ROOT / "docs" / "development-host.md").read_text()


def test_every_option_has_its_row() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "emulators.functions_host", "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    options = set(re.findall(r"--[a-z][a-z-]+", told.stdout)) - {"--help"}
    assert options == set(re.findall(r"--[a-z][a-z-]+", PAGE))


def test_the_figures_are_those_of_the_tests() -> None:
    alike = len(test_recorded_http.EXCHANGES) - len(test_recorded_http.DIFFERENT)
    assert f"of {len(test_recorded_http.EXCHANGES)} HTTP exchanges {alike}" in " ".join(PAGE.split())
    assert f"all {len(test_recorded_queues.SCENARIOS)} queue scenarios" in PAGE
