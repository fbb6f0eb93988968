"""The timer trigger: by its schedule, at the start, by hand; one run at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import aiohttp
import azure.functions as func
import pytest
from azure.functions.timer import TimerRequest

from emulators.functions_host import HostOptions, HostServer, Keys
from tests.emulators.functions_host import apps
from tests.emulators.functions_host.test_queues import until

NEVER = "0 0 0 29 2 *"
EACH_SECOND = "* * * * * *"


def timer_app(handler: Callable[[func.TimerRequest], Awaitable[None]], **trigger: Any) -> func.FunctionApp:
    app = func.FunctionApp()

    @app.timer_trigger(arg_name="timer", **{"schedule": NEVER, "run_on_startup": False, **trigger})
    async def Sweep(timer: func.TimerRequest) -> None:  # noqa: N802
        await handler(timer)

    return app


async def start(host: HostServer, name: str, key: str = "") -> int:
    address = f"{host.url}/admin/functions/{name}"
    async with aiohttp.ClientSession() as session, session.post(address, json={}, params={"code": key}) as answer:
        return answer.status


async def test_runs_by_its_schedule(tmp_path: Path) -> None:
    seen: list[func.TimerRequest] = []

    async def note(timer: func.TimerRequest) -> None:
        seen.append(timer)

    async with HostServer(apps.folder(tmp_path), app=timer_app(note, schedule=EACH_SECOND), settings={}) as host:
        assert host.describe()[0] == "Sweep: timer * * * * * *"
        await until(lambda: len(seen) == 2)
    assert not seen[0].past_due
    first, second = (cast("TimerRequest", timer) for timer in seen)
    assert first.schedule == {"AdjustForDST": True}
    assert first.schedule_status["Next"] <= second.schedule_status["Next"]


async def test_a_failure_does_not_end_the_schedule(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    calls: list[int] = []

    async def fail(timer: func.TimerRequest) -> None:
        calls.append(1)
        raise RuntimeError("CANARY")

    async with HostServer(apps.folder(tmp_path), app=timer_app(fail, schedule=EACH_SECOND), settings={}):
        await until(lambda: len(calls) == 2)
    assert "Executed 'Functions.Sweep' (failed" in caplog.text


async def test_runs_at_the_start_when_asked(tmp_path: Path) -> None:
    calls: list[int] = []

    async def note(timer: func.TimerRequest) -> None:
        calls.append(1)

    async with HostServer(apps.folder(tmp_path), app=timer_app(note, run_on_startup=True), settings={}):
        await until(lambda: len(calls) == 1)


async def test_runs_by_hand_one_after_another(tmp_path: Path) -> None:
    now, most, calls = 0, 0, 0

    async def count(timer: func.TimerRequest) -> None:
        nonlocal now, most, calls
        now, calls = now + 1, calls + 1
        most = max(most, now)
        await asyncio.sleep(0.05)
        now -= 1

    options = HostOptions(keys=Keys(host="h", master="m"))
    async with HostServer(apps.folder(tmp_path), options, app=timer_app(count), settings={}) as host:
        tried = [("sweep", "m"), ("Sweep", "m"), ("Sweep", ""), ("Sweep", "h"), ("other", "m")]
        assert [await start(host, name, key) for name, key in tried] == [202, 202, 401, 403, 404]
        await until(lambda: calls == 2 and now == 0)
    assert (calls, most) == (2, 1)


@pytest.mark.parametrize(("grace", "ended"), [(5.0, True), (0.0, False)])
async def test_run_has_the_grace(tmp_path: Path, grace: float, ended: bool) -> None:
    events: list[str] = []

    async def wait(timer: func.TimerRequest) -> None:
        events.append("begun")
        await asyncio.sleep(0.3)
        events.append("ended")

    app = timer_app(wait, run_on_startup=True)
    async with HostServer(apps.folder(tmp_path), HostOptions(grace=grace), app=app, settings={}):
        await until(lambda: events == ["begun"])
    assert (events == ["begun", "ended"]) == ended


async def test_runs_in_a_worker_process(tmp_path: Path) -> None:
    log = tmp_path / "seen.txt"
    script = (
        "@app.timer_trigger(arg_name='timer', schedule='* * * * * *')\n"
        "def sweep(timer: func.TimerRequest) -> None:\n"
        f"    with open({str(log)!r}, 'a') as log: log.write(f'{{timer.past_due}} ')"
    )
    async with HostServer(apps.folder(tmp_path / "app", script)):
        await until(lambda: log.exists() and log.read_text().startswith("False "))
