"""The deployment snapshots: what each parameter file would make, evaluated without Azure and kept beside it.

`python -m scripts.snapshots write` makes them anew, `check` fails when one no longer says what the template does.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scripts.bicep import INFRA, run

NAMES = ("dev", "prod", "private")
SUBSCRIPTION = "00000000-0000-4000-8000-000000000000"
TENANT = "00000000-0000-4000-8000-00000000000a"
# The ids that operators bring. Fixed here, so that a snapshot depends on the template and nothing else.
ENVIRONMENT = {
    "AZURE_SUBSCRIPTION_ID": SUBSCRIPTION,
    "AZURE_PRINCIPAL_ID": "55555555-5555-4555-8555-555555555555",
    "ENTRA_CLIENT_ID": "11111111-1111-4111-8111-111111111111",
    "CALLER_CLIENT_ID": "22222222-2222-4222-8222-222222222222",
    "CALLER_PRINCIPAL_ID": "33333333-3333-4333-8333-333333333333",
    "SEARCH_SUBSCRIPTION_ID": "44444444-4444-4444-8444-444444444444",
    "ALERT_EMAIL": "operations@example.org",
}


def take(parameters: Path, mode: str) -> str:
    """Write (`overwrite`) or `validate` the snapshot of one parameter file; gives what is wrong, or ''."""
    scope = ("--subscription-id", SUBSCRIPTION, "--tenant-id", TENANT, "--location", "uksouth")
    ran = run("snapshot", parameters, "--mode", mode, *scope, "--deployment-name", "snapshot", environment=ENVIRONMENT)
    if mode == "overwrite" and ran.returncode == 0:
        _settle(parameters.with_suffix(".snapshot.json"))
    return "" if ran.returncode == 0 and not ran.stderr else (ran.stderr + ran.stdout).strip() or "it differs"


def _settle(path: Path) -> None:
    """Sort the outputs: the compiler writes them in another order each time, which would show as a change."""
    snapshot = json.loads(path.read_text(encoding="utf-8"))
    snapshot["outputs"] = dict(sorted(snapshot["outputs"].items()))
    path.write_text(json.dumps(snapshot, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def load(name: str, folder: Path = INFRA) -> dict[str, Any]:
    """The committed snapshot of `dev`, `prod` or `private`."""
    snapshot: dict[str, Any] = json.loads((folder / f"main.{name}.snapshot.json").read_text(encoding="utf-8"))
    return snapshot


def _take_all(mode: str) -> int:
    wrong = {name: take(INFRA / f"main.{name}.bicepparam", mode) for name in NAMES}
    for name, problem in wrong.items():
        print(f"{name}: {problem or 'as the template says'}")
    return 1 if any(wrong.values()) else 0


_DEEDS: dict[str, Callable[[], int]] = {
    "write": lambda: _take_all("overwrite"),
    "check": lambda: _take_all("validate"),
}


def main() -> int:
    """Do what the one argument says; gives the exit code."""
    parser = argparse.ArgumentParser(prog="python -m scripts.snapshots", description=__doc__)
    parser.add_argument("deed", choices=sorted(_DEEDS))
    return _DEEDS[parser.parse_args().deed]()


if __name__ == "__main__":
    sys.exit(main())
