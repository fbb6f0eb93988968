"""The control of Azurite: it serves, restarts with its data, and each thing that hinders it is one clear line."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from azure.core.exceptions import ResourceNotFoundError
from azure.storage.blob import BlobServiceClient
from azure.storage.queue import QueueClient

from local.azurite import ENTRY, ROOT, Azurite, AzuriteError, Ports


def test_serves_blobs_and_queues(azurite: Azurite) -> None:
    with QueueClient.from_connection_string(azurite.connection_string, "served") as queue:
        queue.create_queue()
        queue.send_message("hello")
        assert [message.content for message in queue.receive_messages()] == ["hello"]
    with BlobServiceClient.from_connection_string(azurite.connection_string) as blobs:
        blobs.create_container("served").upload_blob("a", b"x")
        assert blobs.get_blob_client("served", "a").download_blob().readall() == b"x"


def test_keeps_ports_and_data_over_a_restart(tmp_path: Path) -> None:
    azurite = Azurite(folder=tmp_path)
    with azurite:
        ports = azurite.ports
        with QueueClient.from_connection_string(azurite.connection_string, "kept") as queue:
            queue.create_queue()
            queue.send_message("still here")
        azurite.stop()
        assert not azurite.running
        azurite.start()
        assert azurite.ports == ports
        with QueueClient.from_connection_string(azurite.connection_string, "kept") as queue:
            assert [message.content for message in queue.peek_messages()] == ["still here"]
        azurite.kill()
        assert not azurite.running


def test_in_memory_forgets(azurite: Azurite) -> None:
    with (
        Azurite() as other,
        QueueClient.from_connection_string(other.connection_string, "never-made") as queue,
        pytest.raises(ResourceNotFoundError),
    ):
        queue.send_message("x")


def test_busy_port(azurite: Azurite) -> None:
    with pytest.raises(AzuriteError, match=rf"^Port {azurite.ports.blob} is in use, so Azurite cannot start"):
        Azurite(Ports(blob=azurite.ports.blob)).start()


def script(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.mark.parametrize(
    ("node", "line"),
    [
        (None, "Node.js is missing: local storage (Azurite) needs Node.js 20 or newer"),
        ("echo v18.19.0", "Node.js v18.19.0 is too old: local storage (Azurite) needs Node.js 20 or newer"),
        ("case $1 in --version) echo v22.1.0;; *) exit 3;; esac", "while starting: it said nothing"),
        ("echo nonsense", "Node.js nonsense is too old"),
        (
            "case $1 in --version) echo v22.1.0;; *) echo first; echo broken build >&2; exit 3;; esac",
            "while starting: broken build",
        ),
    ],
)
def test_unusable_node_is_one_line(tmp_path: Path, node: str | None, line: str) -> None:
    if node is not None:
        script(tmp_path, "node", node)
    done = run_module({"PATH": str(tmp_path)})
    assert done.returncode == 1
    assert done.stdout == ""
    assert line in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_start_that_takes_too_long(tmp_path: Path) -> None:
    (tmp_path / ENTRY).parent.mkdir(parents=True)
    (tmp_path / ENTRY).write_text("setTimeout(() => {}, 60000)")
    azurite = Azurite(root=tmp_path, patience=0.3)
    with pytest.raises(AzuriteError, match=r"^Azurite did not listen within 0 seconds"):
        azurite.start()
    assert not azurite.running


@pytest.mark.parametrize(
    ("npm", "line"), [(None, "npm is missing: local storage"), ("exit 1", "`npm ci` failed, so Azurite is not installed")]
)
def test_failed_installation(tmp_path: Path, npm: str | None, line: str) -> None:
    (tmp_path / "package-lock.json").write_text("{}")
    tools = tmp_path / "tools"
    tools.mkdir()
    script(tools, "node", "echo v20.0.0")
    if npm is not None:
        script(tools, "npm", npm)
    program = f"from pathlib import Path; from local.azurite import Azurite; Azurite(root=Path({str(tmp_path)!r})).start()"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env={"PATH": str(tools)}, capture_output=True, text=True, check=False
    )
    assert line in done.stderr


def test_command_line_on_a_busy_port(azurite: Azurite) -> None:
    done = run_module(dict(os.environ), "--blob-port", str(azurite.ports.blob), "--queue-port", "0")
    assert done.returncode == 1
    assert done.stderr.startswith(f"Port {azurite.ports.blob} is in use")


def test_the_child_ends_with_a_killed_parent() -> None:
    program = (
        "import time; from local.azurite import Azurite; azurite = Azurite().start(); "
        "print(azurite._process.pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = Path("/proc") / parent.stdout.readline().strip()
        parent.kill()
        parent.wait()
    deadline = time.monotonic() + 10
    while child.exists() and "zombie" not in (child / "status").read_text() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not child.exists() or "zombie" in (child / "status").read_text()


def run_module(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "local.azurite", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=60)
