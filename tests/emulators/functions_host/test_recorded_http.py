"""Every recorded HTTP exchange of the real Functions host, sent to the same app on ours."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.emulators.functions_host.recordings import KEYS, Exchange
from tests.support.host import HostProcess
from tests.support.http11 import exchange
from tests.truths import PROBE, load_truth

EXCHANGES = [Exchange(recorded["name"], recorded) for recorded in load_truth("functions-host-http")]
# Pairs that differ, and why that is right; nothing else may differ.
DIFFERENT = {
    "root page": "the content of the page is the platform's own; ours says in a line that the app is up",
    "admin status with the master key": "the length counts machine names and versions, which are ours",
}
LEAST_ALIKE = 157


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostProcess]:
    folder = tmp_path_factory.mktemp("probe") / "app"
    shutil.copytree(PROBE, folder, copy_function=shutil.copyfile)
    folder.chmod(0o755)
    names = ("--function-key", "--host-key", "--master-key")
    arguments = [part for pair in zip(names, KEYS.values(), strict=True) for part in pair]
    with HostProcess(folder, *arguments, environment={"PROBE_LOG": str(Path(folder) / "seen.jsonl")}) as running:
        yield running


@pytest.mark.parametrize("recorded", EXCHANGES, ids=[exchange.name for exchange in EXCHANGES])
def test_answers_as_recorded(host: HostProcess, recorded: Exchange) -> None:
    answer = recorded.seen(exchange(host.port, recorded.request(), recorded.method))
    if recorded.name in DIFFERENT:
        assert answer != recorded.expected(), "the pair is alike: take it out of the table"
    else:
        assert answer == recorded.expected()


def test_table_of_differences() -> None:
    assert set(DIFFERENT) <= {exchange.name for exchange in EXCHANGES}
    assert len(EXCHANGES) - len(DIFFERENT) >= LEAST_ALIKE


@pytest.mark.parametrize(
    ("name", "status", "kind"),
    [("root page", 200, "text/html"), ("admin status with the master key", 200, "application/json; charset=utf-8")],
)
def test_common_parts_of_different_pairs(host: HostProcess, name: str, status: int, kind: str) -> None:
    recorded = next(exchange for exchange in EXCHANGES if exchange.name == name)
    answer = exchange(host.port, recorded.request())
    assert (answer.status, answer.headers["content-type"]) == (status, kind)
    assert int(answer.headers["content-length"]) == len(answer.body)
