"""`python -m emulators.functions_host`: a failed start is one clear line, and nothing is left running."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.emulators.functions_host import apps
from tests.emulators.functions_host.scenarios import wait_until
from tests.support.host import ROOT, HostProcess

WAITING = "@app.route(route='x', auth_level='ANONYMOUS')\ndef x(req: func.HttpRequest) -> str:\n    return 'x'"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "emulators.functions_host", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)


def hindered(*arguments: str) -> str:
    """The one line of a start that fails."""
    done = run(*arguments)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def test_busy_port(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line = hindered(str(apps.folder(tmp_path, WAITING)), "--port", str(port))
    assert line == f"Port {port} is in use: stop what listens there, or choose another with --port.\n"


def test_impossible_port(tmp_path: Path) -> None:
    line = hindered(str(apps.folder(tmp_path, WAITING)), "--port", "70000")
    assert line == "Port 70000 does not exist: choose one from 0 to 65535.\n"


def test_unusable_address(tmp_path: Path) -> None:
    line = hindered(str(apps.folder(tmp_path, WAITING)), "--port", "0", "--address", "192.0.2.1")
    assert line.startswith("The host cannot listen on 192.0.2.1:0")


def test_missing_folder(tmp_path: Path) -> None:
    assert hindered(str(tmp_path / "nosuch"), "--port", "0").endswith(
        "nosuch does not exist: give the folder of a Python v2 app.\n"
    )


def test_missing_host_json(tmp_path: Path) -> None:
    assert hindered(str(tmp_path), "--port", "0").startswith("host.json is missing")


def test_missing_script(tmp_path: Path) -> None:
    assert hindered(str(apps.folder(tmp_path)), "--port", "0").startswith("function_app.py is missing")


def test_refused_value(tmp_path: Path) -> None:
    folder = apps.folder(tmp_path, WAITING, extensions={"queues": {"maxPollingInterval": "abc"}})
    assert "String 'abc' was not recognized as a valid TimeSpan." in hindered(str(folder), "--port", "0")


def test_unreadable_principals(tmp_path: Path) -> None:
    line = hindered(str(apps.folder(tmp_path, WAITING)), "--port", "0", "--principals", str(tmp_path / "nosuch.json"))
    assert line.startswith("The principals of nosuch.json cannot be read")


def test_options_reach_the_host(tmp_path: Path) -> None:
    principals = tmp_path / "principals.json"
    principals.write_text(json.dumps({"reader": {"name": "r", "id": "1"}}))
    folder = apps.folder(tmp_path / "app", WAITING)
    with HostProcess(folder, "--master-key", "m", "--principals", str(principals)) as host:
        assert host.lines[0] == f"x: [any] {host.url}/api/x"
        assert status(host, "/admin/host/status") == 401
        assert status(host, "/admin/host/status?code=m") == 200


def status(host: HostProcess, path: str) -> int:
    with socket.create_connection(("127.0.0.1", host.port)) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        return int(connection.makefile("rb").readline().split()[1])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_it_with_its_worker(tmp_path: Path, number: signal.Signals) -> None:
    with HostProcess(apps.folder(tmp_path, WAITING)) as host:
        children = children_of(host.process.pid)
        assert children
        host.process.send_signal(number)
        assert host.process.wait(10) == 0
    assert all_gone(children)


SLOW = "import time\n" + WAITING.replace("return", "time.sleep(1.5)\n    return")


def test_ctrl_c_lets_running_functions_end(tmp_path: Path) -> None:
    with HostProcess(apps.folder(tmp_path, SLOW)) as host, ThreadPoolExecutor() as threads:
        call = threads.submit(status, host, "/api/x")
        time.sleep(0.5)
        for process in (host.worker_process_id, host.process.pid):
            os.kill(process, signal.SIGINT)
        assert call.result() == 200
        assert host.process.wait(10) == 0


def test_a_second_signal_leaves_at_once(tmp_path: Path) -> None:
    script = SLOW.replace("1.5", "60")
    with HostProcess(apps.folder(tmp_path, script)) as host, ThreadPoolExecutor() as threads:
        call = threads.submit(status, host, "/api/x")
        time.sleep(0.5)
        children = children_of(host.process.pid)
        host.process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        host.process.send_signal(signal.SIGINT)
        assert host.process.wait(5) == 1
        assert all_gone(children)
        assert isinstance(call.exception(), (IndexError, ConnectionError))


BLOCKING = SLOW.replace("def x", "async def x").replace("1.5", "60")


@pytest.mark.parametrize("script", [WAITING, SLOW.replace("1.5", "60"), BLOCKING])
def test_killed_host_ends_its_worker(tmp_path: Path, script: str) -> None:
    with HostProcess(apps.folder(tmp_path, script)) as host, ThreadPoolExecutor() as threads:
        threads.submit(status, host, "/api/x")
        time.sleep(0.5)
        children = children_of(host.process.pid)
        host.kill()
        assert all_gone(children)


def test_a_killed_worker_is_replaced(tmp_path: Path) -> None:
    with HostProcess(apps.folder(tmp_path, WAITING)) as host:
        worker = host.worker_process_id
        os.kill(worker, signal.SIGKILL)
        assert all_gone([worker])
        # A call that is sent before the host has noticed went to the dead worker, and fails as it would on Azure.
        assert wait_until(lambda: any("The worker process ended (1 of 3)." in line for line in host.complaints), 10)
        assert status(host, "/api/x") == 200
        assert host.worker_process_id != worker


def children_of(process: int) -> list[int]:
    listed = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(child) for child in listed.split()]


def all_gone(processes: list[int]) -> bool:
    deadline = time.monotonic() + 10
    while any(alive(process) for process in processes) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not any(alive(process) for process in processes)


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
        return ") Z " not in Path(f"/proc/{process}/stat").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False
