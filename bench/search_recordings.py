"""Replays the recorded exchanges against the embedded search service and writes docs/search-recordings.md.

MEASUREMENTS=folder python -m bench.search_recordings      (the folder holds the recordings and tools/replay.py)
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "docs" / "search-recordings.md"
START = "<!-- table: made by bench/search_recordings.py -->"

RANKED = (
    "The recorded order was made by the service's ranking model, which nobody else has; ours comes from a small sentence "
    "model. Shape, scale and everything that no model made agree."
)
NUMBERED = (
    "The recorder of these pairs overwrote the activity's id with a text; the pairs that it left alone have a number there, "
    "the SDK reads a number, and so it is a number here."
)
REASONS = {
    "semantic#0": RANKED,
    "semantic#5": RANKED,
    "knowledge-retrieve#2": f"{NUMBERED} Which documents pass the default threshold, and in which order, the model decides.",
    "knowledge-retrieve#7": NUMBERED,
    "knowledge-retrieve#8": NUMBERED,
    "knowledge-retrieve#9": "The definition names a model, which nothing here would call, so it is refused.",
}


def replay() -> dict[str, Any]:
    """What the comparer says of a freshly started service."""
    tool = Path(os.environ["MEASUREMENTS"]) / "tools" / "replay.py"
    command = [sys.executable, "-m", "emulators.azure_search", "--port", "0", "--shards", "12"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert server.stdout is not None
    address = server.stdout.readline().split()[-1]
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        try:
            subprocess.run([sys.executable, str(tool), address, "--settle", "0.1", "--json", str(result)], check=True)
        finally:
            server.terminate()
            server.wait()
        found: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
    return found


def table(found: dict[str, Any]) -> str:
    """The totals and the pairs as Markdown."""
    lines = [START, "", "| level | holds | of |", "| --- | --- | --- |"]
    for level, total in found["totals"].items():
        if "*" not in level:
            lines.append(f"| {level} | {total['holds']} | {total['applies']} |")
    lines += ["", "| pair | agrees | what differs and why |", "| --- | --- | --- |"]
    for pair in found["pairs"]:
        whole = all(pair["levels"].values())
        missing = ", ".join(level for level, holds in pair["levels"].items() if not holds)
        why = "" if whole else f"{missing}. {REASONS.get(pair['pair'], '')}"
        lines.append(f"| `{pair['pair']}` | {'whole' if whole else 'part'} | {why} |")
    lines += ["", "Not replayable, says the comparer:", ""]
    lines += [f"- `{each['pair']}`: {each['reason']}" for each in found["not_replayable"]]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the table below the text that is there."""
    found = replay()
    text = TABLE.read_text(encoding="utf-8") if TABLE.exists() else ""
    TABLE.write_text(text.split(START)[0].rstrip() + "\n\n" + table(found), encoding="utf-8")


if __name__ == "__main__":
    main()
