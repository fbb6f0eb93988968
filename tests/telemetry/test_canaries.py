"""The canary suite: every route and the queue, their good and bad calls, every fault behind them; nothing leaves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .canaries import CANARIES
from .canary_run import CanaryRun, ran

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CanaryRun]:
    with ran(tmp_path_factory.mktemp("canaries"), {}) as finished:
        yield finished


def test_no_canary_leaves(run: CanaryRun) -> None:
    print(f"{len(run.statuses)} calls × {len(CANARIES)} canaries, {len(run.ingestion.envelopes)} signals: {run.leaks()}")
    assert run.leaks() == {}


def test_the_calls_reached_what_they_were_for(run: CanaryRun) -> None:
    assert run.statuses == {}
