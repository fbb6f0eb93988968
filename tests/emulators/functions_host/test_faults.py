"""Nothing is lost: messages outlive any number of killed workers and killed hosts."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
import uuid
from pathlib import Path

import pytest
from azure.storage.queue import QueueClient

from local.azurite import Azurite
from tests.emulators.functions_host import apps, scenarios
from tests.support.host import HostProcess

MESSAGES = 120
KILLS = 8


def script(queue: str, log: Path) -> str:
    return (
        f"import asyncio\n@app.queue_trigger(arg_name='msg', queue_name='{queue}', connection='Store')\n"
        "async def on_message(msg: func.QueueMessage) -> None:\n"
        "    await asyncio.sleep(0.2)\n"
        f"    with open({str(log)!r}, 'a') as log: log.write(msg.get_body().decode() + '\\n')\n"
    )


def done(log: Path) -> set[str]:
    return set(log.read_text().split()) if log.exists() else set()


@pytest.mark.slow
@pytest.mark.parametrize("victim", ["worker", "host"])
def test_every_message_is_done_in_the_end(azurite: Azurite, tmp_path: Path, victim: str) -> None:
    name, log = f"q{uuid.uuid4().hex}", tmp_path / "done.txt"
    queues = {
        "messageEncoding": "none",
        "batchSize": 8,
        "visibilityTimeout": "00:00:01",
        "maxPollingInterval": "00:00:00.500",
        "maxDequeueCount": 50,
    }
    folder = apps.folder(tmp_path / "app", script(name, log), extensions={"queues": queues})
    with QueueClient.from_connection_string(azurite.connection_string, name) as queue:
        queue.create_queue()
        for number in range(MESSAGES):
            queue.send_message(str(number))
        host = HostProcess(folder, "--taken-visibility", "3", environment={"Store": azurite.connection_string})
        with host:
            for _ in range(KILLS):
                time.sleep(random.uniform(0.2, 1.0))
                kill(host, victim)
            assert scenarios.wait_until(lambda: len(done(log)) == MESSAGES, 60)
            assert scenarios.wait_until(lambda: queue.get_queue_properties().approximate_message_count == 0, 10)


def kill(host: HostProcess, victim: str) -> None:
    if victim == "host":
        host.kill()
        host.start()
        return
    # Between two workers there is none to kill.
    with contextlib.suppress(ProcessLookupError, IndexError):
        os.kill(host.worker_process_id, signal.SIGKILL)
