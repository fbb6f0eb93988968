"""`make run`: one clear line when it cannot go on, nothing left running, and no success while a part is broken."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio

from local.demo import Walk
from local.stack import Stack, running_stack
from local.subprocesses import LocalRunError, free_port

ROOT = Path(__file__).resolve().parents[2]
RUN = [sys.executable, "-m", "local.run"]


def test_a_busy_port_is_one_clear_line() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        port = held.getsockname()[1]
        done = subprocess.run([*RUN, "--port", str(port)], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert done.stderr.strip() == (
        f"Port {port} is in use, perhaps by another `make run`: stop that one, or choose another with PORT=…."
    )


def test_a_missing_node_is_one_clear_line(tmp_path: Path) -> None:
    environ = {**os.environ, "PATH": str(tmp_path)}
    command = [*RUN, "--port", str(free_port())]
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert re.fullmatch(r"Node\.js is missing: .*; install it and try again\.", done.stderr.strip())


def children_of(pid: int) -> set[int]:
    """Processes below `pid`, however deep."""
    found: set[int] = set()
    parents = {pid}
    tree = [
        (int(path.name), int(path.joinpath("stat").read_text().rpartition(")")[2].split()[1]))
        for path in Path("/proc").iterdir()
        if path.name.isdigit() and path.joinpath("stat").is_file()
    ]
    while parents:
        parents = {child for child, parent in tree if parent in parents} - found
        found |= parents
    return found


def alive(pids: set[int]) -> set[int]:
    """Those that still run."""
    return {pid for pid in pids if _state(pid) not in ("", "Z")}


def _state(pid: int) -> str:
    """The letter of a process's state, nothing when it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at processes through /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
def test_the_walk_works_and_nothing_is_left_running(number: signal.Signals) -> None:
    port = free_port()
    process = subprocess.Popen([*RUN, "--port", str(port)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        lines: list[str] = []
        while not any("Serving at" in line for line in lines):
            line = process.stdout.readline()
            assert line, "".join(lines)
            lines.append(line)
        started = children_of(process.pid)
        assert len(started) >= 3
        process.send_signal(number)
        process.wait(30)
        deadline = time.monotonic() + 20
        while alive(started) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert alive(started) == set()
        printed = "".join(lines)
        for shown in ("[Greenway Free School]", "--- schools Evidence 1 ---", "Machine-made", "completed 50"):
            assert shown in printed
    finally:
        process.kill()
        process.stdout and process.stdout.close()


@pytest_asyncio.fixture
async def stack() -> AsyncIterator[Stack]:
    """Everything that `make run` starts."""
    async with running_stack(free_port(), lambda _: None) as running:
        yield running


async def checks_not_well(stack: Stack) -> set[str]:
    """What readiness names."""
    async with aiohttp.ClientSession() as session, session.get(f"{stack.app}/health/ready") as reply:
        body = await reply.json()
    assert reply.status == 503
    return {check["name"] for check in body["checks"] if not check["ok"]}


async def walk_fails(stack: Stack) -> None:
    """The walk ends with a reason."""
    async with aiohttp.ClientSession() as session:
        with pytest.raises(LocalRunError, match=r"answered|not finished"):
            await Walk(stack.app, session, lambda _: None).whole()


@pytest.mark.slow
async def test_a_stopped_search_service_is_named_and_fails_the_walk(stack: Stack) -> None:
    assert stack.search_child is not None
    await asyncio.to_thread(stack.search_child.stop)
    assert await checks_not_well(stack) == {"index:schools", "index:inspections", "index:trusts"}
    await walk_fails(stack)


@pytest.mark.slow
async def test_a_stopped_storage_is_named_and_fails_the_walk(stack: Stack) -> None:
    await asyncio.to_thread(stack.azurite.stop)
    assert await checks_not_well(stack) == {"blobs", "queue", "poison_queue"}
    await walk_fails(stack)
