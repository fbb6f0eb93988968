"""How many cases of each truth agree, and why the others do not. The tests of each group hold its table to the cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tests.briefing import golden as writers
from tests.briefing.test_golden import DEVIATIONS as OF_WRITERS
from tests.citations.golden import expected, golden_cases, ours
from tests.citations.golden_deviations import DEVIATIONS as OF_CITATIONS
from tests.context.test_agent_golden import CASES as AGENTS
from tests.context.test_agent_golden import DEVIATIONS as OF_AGENTS
from tests.context.test_agent_golden import SHOWN
from tests.context.test_golden import CASES as CONTEXT
from tests.context.test_golden import DEVIATIONS as OF_CONTEXT
from tests.emulators.functions_host.test_recorded_http import DIFFERENT, EXCHANGES
from tests.emulators.functions_host.test_recorded_queues import SCENARIOS
from tests.retrieval.golden_deviations import SEARCH_THEN_RUN
from tests.retrieval.original_page import groups
from tests.settings.test_golden import CASES as SETTINGS
from tests.settings.test_golden import DEVIATIONS as OF_SETTINGS
from tests.truths import load_truth
from tests.truths.rules import REASONS

HEAD = "| truth | held by | cases | agree | rule | safer | platform | not shown |\n| --- | --- |" + " ---: |" * 6 + "\n"


@dataclass(frozen=True, slots=True)
class Count:
    """One row: a group of cases, its test, the reasons of the cases that differ, and how many cannot be shown."""

    truth: str
    held_by: str
    cases: int
    reasons: tuple[str, ...] = ()
    not_shown: int = 0

    def row(self) -> str:
        """The row of the table."""
        by_reason = Counter(self.reasons)
        agree = self.cases - len(self.reasons) - self.not_shown
        numbers = [self.cases, agree, *(by_reason[reason] for reason in REASONS), self.not_shown]
        place = self.held_by if self.held_by.startswith("(") else f"`{self.held_by}`"
        return f"| {self.truth} | {place} | {' | '.join(str(number or '') for number in numbers)} |\n"


def table() -> str:
    """The table of docs/truth.md."""
    return HEAD + "".join(count.row() for count in (*_host(), *_search(), *_package(), *_context()))


def _host() -> Iterable[Count]:
    place = "tests/emulators/functions_host"
    yield Count("the Functions host, HTTP", f"{place}/test_recorded_http.py", len(EXCHANGES), ("platform",) * len(DIFFERENT))
    yield Count("the Functions host, queue scenarios", f"{place}/test_recorded_queues.py", len(SCENARIOS))


def _search() -> Iterable[Count]:
    for group, (cases, rows) in groups().items():
        reasons = tuple(row.reason for row in rows.values())
        not_shown = len(load_truth("dfe-aisearch-golden")["groups"]["filter"]) - sum(
            number for name, (number, _) in groups().items() if name.startswith("filter")
        )
        extra = not_shown if group == "filter" else 0
        yield Count(f"the .NET package: {group}", "tests/retrieval", cases + extra, reasons, extra)
    reasons = tuple(row.reason for row in SEARCH_THEN_RUN.values())
    yield Count("its searches with a run after them", "tests/retrieval", len(golden_cases("searchThenRun")), reasons)


def _package() -> Iterable[Count]:
    yield Count("its settings", "tests/settings", len(SETTINGS), tuple(why.reason for why in OF_SETTINGS.values()))
    reasons = {name: deviation.reason for deviation in OF_CITATIONS for name in deviation.ours}
    for group, title in (("citations", "citations, writer cases apart"), ("streaming", "streamed answers")):
        differ = [case["name"] for case in golden_cases(group) if ours(case) != expected(case)]
        yield Count(f"its {title}", "tests/citations", len(golden_cases(group)), tuple(reasons[name] for name in differ))
    of_writers = tuple(deviation.reason for deviation in OF_WRITERS.values())
    yield Count("its citations that need a writer", "tests/briefing", len(writers.cases()), of_writers)
    history = len(load_truth("dfe-aisearch-golden")["groups"]["agentContext"])
    yield Count("the history text of its agents", "(nothing here has such a text)", history, not_shown=history)


def _context() -> Iterable[Count]:
    yield Count("TextSearchProvider", "tests/context", len(CONTEXT), tuple(why.reason for why, _ in OF_CONTEXT.values()))
    calls = sum(case["group"] == "message_call" for case in load_truth("text-search-provider-golden")["cases"])
    of_agents = tuple(why.reason for why in OF_AGENTS.values())
    yield Count("its agents", "tests/context", len(AGENTS), of_agents, len(AGENTS) - len(SHOWN))
    yield Count("its overload for a chat client", "(a .NET interface)", calls, not_shown=calls)
