"""Writes `docs/original-search.md`: `python -m tests.retrieval.original_page`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.retrieval.golden import golden_cases
from tests.retrieval.golden_deviations import DEVIATIONS, Deviation
from tests.retrieval.golden_filters import FILTERS
from tests.retrieval.test_filter_types import LINES

PAGE = Path(__file__).parents[2] / "docs" / "original-search.md"
HEAD = """\
# Where search differs from the original

The search side of *GovUK.Dfe.AI.Agents.AISearch* was measured case by case; ours runs the same cases through the real SDK.
This page is written from the tables that the tests check (`python -m tests.retrieval.original_page`): every case not listed
agrees. Evidence is compared without the labels of its lines, which the measured version does not have yet.

*rule*: a [rule](rules.md) of this app decides otherwise. *safer*: the original harms its user. *platform*: behaviour of .NET
without meaning here.

| group | cases | agree | rule | safer | platform |
| --- | ---: | ---: | ---: | ---: | ---: |
"""


def groups() -> dict[str, tuple[int, dict[str, Deviation]]]:
    """Number of cases and the deviations of each group, the type-checked lines of the filters as their own."""
    filters = [case for case in golden_cases("filter") if "template" in case or "raw" in case]
    typed = {name: Deviation("platform", f"{line.differs}.", "") for name, line in LINES.items() if line.differs}
    return {
        "filter": (len(filters), FILTERS),
        "filter, compiled": (len(LINES), typed),
        **{group: (len(golden_cases(group)), rows) for group, rows in DEVIATIONS.items()},
    }


def page() -> str:
    """The page as it should be."""
    found = groups()
    rows = "".join(_counted(group, cases, rows) for group, (cases, rows) in found.items())
    return HEAD + rows + "".join(_listed(group, rows) for group, (_, rows) in found.items())


def _counted(group: str, cases: int, rows: dict[str, Deviation]) -> str:
    reasons = Counter(row.reason for row in rows.values())
    shown = " | ".join(
        str(number) for number in (cases, cases - len(rows), reasons["rule"], reasons["safer"], reasons["platform"])
    )
    return f"| {group} | {shown} |\n"


def _listed(group: str, rows: dict[str, Deviation]) -> str:
    head = f"\n## {group[0].upper()}{group[1:]}\n\n| case | reason | words |\n| --- | --- | --- |\n"
    return head + "".join(f"| `{name}` | {row.reason} | {_escaped(row.why)} |\n" for name, row in rows.items())


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
