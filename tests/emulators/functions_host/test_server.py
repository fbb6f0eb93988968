"""A host as a whole: loading an app, serving it, and looking after the worker process."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import aiohttp
import azure.functions as func
import pytest

from emulators.functions_host import Authentication, Cors, HostError, HostOptions, HostServer, Keys, Principal
from tests.emulators.functions_host import apps

ROUTE = "@app.route(route='x', auth_level='ANONYMOUS')\n"
PLAIN = "def x(req: func.HttpRequest) -> func.HttpResponse:\n    "


async def get(host: HostServer, path: str, method: str = "GET", **headers: str) -> tuple[int, str, Mapping[str, str]]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with aiohttp.ClientSession() as session, session.request(method, host.url + path, headers=named) as answer:
        return answer.status, await answer.text(), answer.headers


def served(folder: Path, script: str, **host: Any) -> Path:
    return apps.folder(folder, ROUTE + PLAIN + script, **host)


async def test_serves_a_folder(tmp_path: Path) -> None:
    async with HostServer(served(tmp_path, "return func.HttpResponse('hello')")) as host:
        assert (await get(host, "/api/x"))[:2] == (200, "hello")
        assert host.worker_process_id not in (None, os.getpid())
        assert host.describe() == [f"x: [any] {host.url}/api/x", f"Host: 1 functions at {host.url}"]


async def test_call_during_the_start_waits(tmp_path: Path) -> None:
    host = HostServer(apps.folder(tmp_path, f"import time; time.sleep(0.7)\n{ROUTE}{PLAIN}return 'x'"))
    starting = asyncio.create_task(host.start())
    while host.port == 0:
        await asyncio.sleep(0.01)
    assert (await get(host, "/api/x"))[:2] == (200, "x")
    await starting
    await host.stop()


@pytest.mark.parametrize(
    ("script", "failure"),
    [
        ("raise RuntimeError('CANARY')", "RuntimeError: CANARY"),
        ("import sys; sys.exit(5)", "SystemExit: 5"),
        ("def broken(", "SyntaxError"),
        ("other = func.FunctionApp()", "must define one FunctionApp at its top level; it defines 2"),
        ("del app", "must define one FunctionApp at its top level; it defines 0"),
        ("@app.function_name('a')\ndef a(req): ...", "does not have a trigger"),
    ],
)
async def test_failing_import_leaves_no_functions(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, script: str, failure: str
) -> None:
    async with HostServer(apps.folder(tmp_path, f"{ROUTE}{PLAIN}...\n{script}")) as host:
        assert (await get(host, "/api/x"))[0] == 404
        assert host.describe()[-1] == f"Host: 0 functions at {host.url}"
    assert "function_app cannot be imported: 0 functions loaded" in caplog.text
    assert failure in caplog.text


async def test_exit_during_the_import(tmp_path: Path) -> None:
    host = HostServer(apps.folder(tmp_path, "import os; os._exit(3)"))
    with pytest.raises(HostError, match=r"^The worker process ended while it imported function_app, three times"):
        await host.start()


async def test_function_left_out_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    trigger = "@app.queue_trigger(arg_name='msg', queue_name='%Nothing%', connection='Store')"
    script = f"return func.HttpResponse('hello')\n{trigger}\ndef q(msg: func.QueueMessage) -> None: ..."
    async with HostServer(served(tmp_path, script)) as host:
        assert (await get(host, "/api/x"))[1] == "hello"
    assert "The 'q' function is in error: '%Nothing%' does not resolve to a value." in caplog.text


@pytest.mark.parametrize(
    ("given", "seen"), [(None, ["file", None]), ({"ONE": "given"}, ["given", None]), ({"TWO": "given"}, ["file", "given"])]
)
async def test_settings_reach_the_app(tmp_path: Path, given: dict[str, str] | None, seen: list[str | None]) -> None:
    script = "import json, os; return func.HttpResponse(json.dumps([os.environ.get(name) for name in ('ONE', 'TWO')]))"
    folder = served(tmp_path, script)
    settings = {**os.environ, **given} if given else None
    if given is None or "ONE" not in given:
        (folder / "local.settings.json").write_text(json.dumps({"Values": {"ONE": "file"}}))
        settings = None if given is None else {**os.environ, "ONE": "file", **given}
    async with HostServer(folder, settings=settings) as host:
        assert json.loads((await get(host, "/api/x"))[1]) == seen


async def test_app_imports_its_own_modules(tmp_path: Path) -> None:
    folder = served(tmp_path, "from emulators import own\n    return func.HttpResponse(own.NAME)")
    (folder / "emulators").mkdir()
    (folder / "emulators" / "own.py").write_text("NAME = 'its own'")
    async with HostServer(folder) as host:
        assert (await get(host, "/api/x"))[:2] == (200, "its own")


async def test_return_values(tmp_path: Path) -> None:
    other = "@app.route(route='y', auth_level='ANONYMOUS')\ndef y(req: func.HttpRequest) -> None: ..."
    async with HostServer(served(tmp_path, f"return 'grüße'\n{other}")) as host:
        status, text, headers = await get(host, "/api/x")
        assert (status, text, headers["Content-Type"]) == (200, "grüße", "text/plain; charset=utf-8")
        assert (await get(host, "/api/y"))[:2] == (500, "")


@pytest.mark.parametrize("kind", ["async def", "def"])
async def test_fifty_waiting_handlers_run_at_once(tmp_path: Path, kind: str) -> None:
    wait = "await asyncio.sleep(1)" if kind == "async def" else "time.sleep(1)"
    script = (
        f"import asyncio, time\n{ROUTE}{kind} x(req: func.HttpRequest) -> func.HttpResponse:\n    {wait}\n    return 'x'"
    )
    async with HostServer(apps.folder(tmp_path, script)) as host:
        async with asyncio.timeout(30):  # one after the other they take 50 seconds
            answers = await asyncio.gather(*(get(host, "/api/x") for _ in range(50)))
        assert [answer[0] for answer in answers] == [200] * 50


async def test_a_function_that_cancels_itself_fails_alone(tmp_path: Path) -> None:
    script = f"import asyncio\n{ROUTE}async def x(req: func.HttpRequest) -> str:\n    raise asyncio.CancelledError"
    async with HostServer(apps.folder(tmp_path, script)) as host:
        assert (await get(host, "/api/x"))[:2] == (500, "")
        assert (await get(host, "/api/x"))[:2] == (500, "")


@pytest.mark.parametrize(("switch", "current"), [("true", True), ("", False)])
async def test_trace_is_current_when_switched_on(tmp_path: Path, switch: str, current: bool) -> None:
    script = "from opentelemetry import trace\n    return hex(trace.get_current_span().get_span_context().trace_id)"
    folder = served(tmp_path, script, telemetryMode="OpenTelemetry")
    async with HostServer(folder, settings={**os.environ, "PYTHON_ENABLE_OPENTELEMETRY": switch}) as host:
        _, text, _ = await get(host, "/api/x", traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
    assert text == ("0xaf7651916cd43dd8448eb211c80319c" if current else "0x0")


async def test_thread_count_is_a_setting(tmp_path: Path) -> None:
    script = (
        f"import time\nactive = most = 0\n{ROUTE}def x(req: func.HttpRequest) -> str:\n    global active, most\n"
        "    active += 1\n    most = max(most, active)\n    time.sleep(0.2)\n    active -= 1\n    return str(most)"
    )
    folder = apps.folder(tmp_path, script)
    async with HostServer(folder, settings={**os.environ, "PYTHON_THREADPOOL_THREAD_COUNT": "1"}) as host:
        answers = await asyncio.gather(*(get(host, "/api/x") for _ in range(3)))
        assert [answer[:2] for answer in answers] == [(200, "1")] * 3


EXIT = "import os\n    if 'exit' in req.params: os._exit(7)\n    return func.HttpResponse(str(os.getpid()))"


async def test_exiting_worker_is_replaced(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with HostServer(served(tmp_path, EXIT)) as host:
        processes = {(await get(host, "/api/x"))[1]}
        for _ in range(3):
            assert (await get(host, "/api/x?exit=1"))[:2] == (500, "")
            processes.add((await get(host, "/api/x"))[1])
        assert len(processes) == 4
    assert caplog.text.count("The worker process ended (") == 3
    assert caplog.text.count("The host is recycled.") == 1


async def test_killed_worker_fails_its_calls(tmp_path: Path) -> None:
    folder = served(tmp_path, "import time; time.sleep(float(req.params.get('s', 0))); return 'x'")
    async with HostServer(folder) as host:
        running = asyncio.create_task(get(host, "/api/x?s=20"))
        await asyncio.sleep(0.3)
        assert host.worker_process_id is not None
        os.kill(host.worker_process_id, signal.SIGKILL)
        assert (await running)[:2] == (500, "")
        assert (await get(host, "/api/x"))[:2] == (200, "x")


async def test_calls_fail_without_a_worker(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    script = "import os, pathlib\nif pathlib.Path('gone').exists(): os._exit(4)\n" + ROUTE + PLAIN
    folder = apps.folder(tmp_path, script + "if req.params: pathlib.Path('gone').touch(); os._exit(4)\n    return 'x'")
    async with HostServer(folder, HostOptions(restart_seconds=0.5)) as host:
        assert (await get(host, "/api/x?a=1"))[0] == 500
        assert (await get(host, "/api/x"))[0] == 500
        assert "three times: see what it printed. Calls fail until it starts; the next try is in 0.5 seconds." in caplog.text
        (folder / "gone").unlink()
        deadline = time.monotonic() + 20
        while (await get(host, "/api/x"))[0] != 200:
            assert time.monotonic() < deadline
            await asyncio.sleep(0.2)


@pytest.mark.slow
async def test_call_past_function_timeout(tmp_path: Path) -> None:
    script = "import os, time\n    time.sleep(float(req.params.get('s', 0)))\n    return str(os.getpid())"
    async with HostServer(served(tmp_path, script, functionTimeout="00:00:01")) as host:
        first = (await get(host, "/api/x"))[1]
        assert (await get(host, "/api/x?s=30"))[:2] == (500, "")
        assert (await get(host, "/api/x"))[1] != first


async def test_in_this_process(tmp_path: Path) -> None:
    async with HostServer(apps.folder(tmp_path), app=apps.echo_app(), settings={}) as host:
        status, text, _ = await get(host, "/api/echo?a=1", "POST")
        assert (status, json.loads(text)["params"]) == (200, {"a": "1"})
        assert (await get(host, "/api/fail"))[:2] == (500, "")
        assert host.worker_process_id is None
        assert host.configuration.route_prefix == "api"


async def test_stopping_waits_for_what_runs(tmp_path: Path) -> None:
    host = await HostServer(apps.folder(tmp_path), app=apps.echo_app(), settings={}).start()
    running = asyncio.create_task(get(host, "/api/wait?seconds=0.5"))
    await asyncio.sleep(0.1)
    await host.stop()
    assert (await running)[:2] == (200, "waited")
    with pytest.raises(aiohttp.ClientConnectorError):
        await get(host, "/api/echo")


async def test_stopping_ends_calls_after_the_grace(tmp_path: Path) -> None:
    host = await HostServer(apps.folder(tmp_path), HostOptions(grace=0.2), app=apps.echo_app(), settings={}).start()
    running = asyncio.create_task(get(host, "/api/wait?seconds=30"))
    await asyncio.sleep(0.1)
    async with asyncio.timeout(20):  # the call takes 30 seconds
        await host.stop()
    answer = (await asyncio.gather(running, return_exceptions=True))[0]
    assert isinstance(answer, aiohttp.ClientError) or (isinstance(answer, tuple) and answer[0] == 500)


KEYED = HostOptions(keys=Keys(function="f", master="m"))


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/api/echo", {}, 401),
        ("/api/echo", {"x_functions_key": "f"}, 200),
        ("/api/echo?code=m", {}, 200),
        ("/api/nosuch", {}, 404),
        ("/admin/host/status", {}, 401),
        ("/admin/host/status?code=m", {}, 200),
        ("/admin/host/status?code=f", {}, 403),
        ("/admin/host/status?code=wrong", {}, 401),
        ("/admin/functions", {}, 401),
        ("/admin/functions/echo", {}, 401),
        ("/admin/functions/echo?code=f", {}, 403),
        ("/admin/functions/echo?code=m", {}, 404),
        ("/admin/host/nosuch", {}, 404),
        ("/admin/host/ping", {}, 200),
        ("/", {}, 200),
    ],
)
async def test_keys(tmp_path: Path, path: str, headers: dict[str, str], status: int) -> None:
    app = apps.echo_app(func.AuthLevel.FUNCTION)
    async with HostServer(apps.folder(tmp_path), KEYED, app=app, settings={}) as host:
        assert (await get(host, path, **headers))[0] == status


async def test_without_keys_function_level_is_open(tmp_path: Path) -> None:
    async with HostServer(apps.folder(tmp_path), app=apps.echo_app(func.AuthLevel.FUNCTION), settings={}) as host:
        assert (await get(host, "/api/echo"))[0] == 200
        assert (await get(host, "/admin/host/status"))[0] == 200


async def test_built_in_routes_without_a_key(tmp_path: Path) -> None:
    async with HostServer(apps.folder(tmp_path), KEYED, app=apps.echo_app(), settings={}) as host:
        _, text, headers = await get(host, "/admin/functions/echo")
        assert (text, headers["WWW-Authenticate"]) == ("", "Bearer")
        assert "WWW-Authenticate" not in (await get(host, "/admin/functions/echo?code=f"))[2]


async def test_cross_origin_calls(tmp_path: Path) -> None:
    options = HostOptions(cors=Cors(("https://a.example",)))
    async with HostServer(apps.folder(tmp_path), options, app=apps.echo_app(), settings={}) as host:
        asked = {"Origin": "https://a.example", "Access_Control_Request_Method": "PUT"}
        status, text, headers = await get(host, "/api/nosuch", "OPTIONS", **asked)
        assert (status, text, headers["Access-Control-Allow-Methods"]) == (204, "", "PUT")
        _, _, headers = await get(host, "/api/echo", Origin="https://a.example")
        assert headers["Access-Control-Allow-Origin"] == "https://a.example"
        _, _, headers = await get(host, "/api/echo", Origin="https://b.example")
        assert "Access-Control-Allow-Origin" not in headers


@pytest.mark.parametrize(
    ("token", "status", "principal"), [("Bearer reader", 200, True), ("Bearer stranger", 401, False), ("", 200, False)]
)
async def test_authentication_in_front(tmp_path: Path, token: str, status: int, principal: bool) -> None:
    front = Authentication({"reader": Principal(name="reader@example.org", id="1", roles=("Evidence.Read",))})
    headers = {"Authorization": token, "x_ms_client_principal": "forged"}
    async with HostServer(
        apps.folder(tmp_path), HostOptions(authentication=front), app=apps.echo_app(), settings={}
    ) as host:
        answered, text, _ = await get(host, "/api/echo", **headers)
    assert answered == status
    if status == 200:
        seen = json.loads(text)["headers"].get("x-ms-client-principal", "")
        assert bool(seen) is principal
        assert seen != "forged"


async def test_host_json_of_http(tmp_path: Path) -> None:
    http = {"routePrefix": "v1", "customHeaders": {"X-Own": "1"}, "maxOutstandingRequests": 2, "maxConcurrentRequests": 1}
    async with HostServer(apps.folder(tmp_path, extensions={"http": http}), app=apps.echo_app(), settings={}) as host:
        assert (await get(host, "/api/echo"))[0] == 404
        status, _, headers = await get(host, "/v1/echo")
        assert (status, headers["X-Own"]) == (200, "1")
        answers = await asyncio.gather(*(get(host, "/v1/wait?seconds=0.2") for _ in range(3)))
        assert sorted(answer[0] for answer in answers) == [200, 200, 429]


@pytest.mark.parametrize(("setting", "status"), [("true", 204), ("false", 200), ("", 200)])
async def test_home_page(tmp_path: Path, setting: str, status: int) -> None:
    settings = {"AzureWebJobsDisableHomepage": setting}
    async with HostServer(apps.folder(tmp_path), app=apps.echo_app(), settings=settings) as host:
        assert (await get(host, "/"))[0] == status


@pytest.mark.parametrize(
    ("cookie", "sent"),
    [
        ("a=1; Path=/; HttpOnly", "a=1; domain=; path=/; httponly"),
        (
            'a="x y"; Secure; SameSite=Lax; Max-Age=5; Domain=e.org',
            "a=x%20y; max-age=5; domain=e.org; path=; secure; samesite=lax",
        ),
    ],
)
async def test_cookies_are_written_again(tmp_path: Path, cookie: str, sent: str) -> None:
    app = apps.headers_app([("Set-Cookie", cookie)])
    async with HostServer(apps.folder(tmp_path), app=app, settings={}) as host:
        assert (await get(host, "/api/answer"))[2]["Set-Cookie"] == sent


async def test_open_telemetry_gives_a_trace(tmp_path: Path) -> None:
    app = func.FunctionApp(http_auth_level=func.AuthLevel.ANONYMOUS)

    @app.route(route="trace")
    async def trace(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
        found = context.trace_context
        return func.HttpResponse(json.dumps([found.trace_parent, found.trace_state, found.attributes]))

    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    async with HostServer(apps.folder(tmp_path, telemetryMode="OpenTelemetry"), app=app, settings={}) as host:
        seen = json.loads((await get(host, "/api/trace", traceparent=parent, tracestate="a=b", User_Agent="t"))[1])
    assert seen[0].startswith("00-0af7651916cd43dd8448eb211c80319c-")
    assert seen[0] != parent
    assert seen[1:] == ["a=b", {"url.path": "/api/trace", "user_agent.original": "t"}]


async def test_failures_are_told_in_the_log_only(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        async with HostServer(apps.folder(tmp_path), app=apps.echo_app(), settings={}) as host:
            assert (await get(host, "/api/fail"))[:2] == (500, "")
    assert "RuntimeError: CANARY" in caplog.text
    assert "Executed 'Functions.fail' (failed" in caplog.text
