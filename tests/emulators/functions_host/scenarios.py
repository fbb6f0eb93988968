"""The recorded queue scenarios: playing one against our host and Azurite, and reading the app's notes."""

from __future__ import annotations

import base64
import json
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from azure.core.exceptions import ResourceExistsError
from azure.storage.queue import QueueServiceClient

from local.azurite import Azurite
from tests.truths import PROBE

QUEUES = ("briefings", "briefings-poison")


@dataclass(frozen=True)
class Event:
    """A delivery, or with `done` the end of a successful run; `at` in seconds after the messages were put."""

    queue: str
    message: str
    dequeue_count: int | None
    at: float
    invisible: float | None = None

    @property
    def key(self) -> tuple[str, str, int | None]:
        """The parts that have to be the same."""
        return (self.queue, self.message, self.dequeue_count)


def probe_folder(folder: Path, settings: dict[str, Any]) -> Path:
    """A copy of the probe with the scenario's settings in its host.json."""
    shutil.copytree(PROBE, folder, copy_function=shutil.copyfile)
    folder.chmod(0o755)
    path = folder / "host.json"
    content = json.loads(path.read_text())
    for name, value in settings.items():
        (content if name == "functionTimeout" else content["extensions"]["queues"])[name] = value
    path.write_text(json.dumps(content))
    return folder


def texts_of(recorded: dict[str, Any]) -> list[str]:
    """The messages of a scenario as they are put on the queue; long rows are recorded by their beginning."""
    messages = recorded["messages"]
    start = messages[0]["text"].rpartition(":")[0]
    longer = [{**messages[0], "text": f"{start}:{number}"} for number in range(len(messages), recorded["message_count"])]
    return [_encoded(message) for message in [*messages, *longer]]


def _encoded(message: dict[str, str]) -> str:
    if message["encoding"] != "base64":
        return message["text"]
    return base64.b64encode(message["text"].encode("latin-1")).decode()


def clear(azurite: Azurite) -> None:
    """Empty queues, made when they are missing."""
    with QueueServiceClient.from_connection_string(azurite.connection_string) as service:
        for name in QUEUES:
            try:
                service.create_queue(name)
            except ResourceExistsError:
                service.get_queue_client(name).clear_messages()


def put(azurite: Azurite, texts: list[str]) -> float:
    """Puts the messages; gives the moment."""
    with QueueServiceClient.from_connection_string(azurite.connection_string) as service:
        queue = service.get_queue_client(QUEUES[0])
        for text in texts:
            queue.send_message(text)
    return time.time()


def left(azurite: Azurite) -> dict[str, int]:
    """How many messages each queue holds, those that are taken too."""
    with QueueServiceClient.from_connection_string(azurite.connection_string) as service:
        return {
            name: service.get_queue_client(name).get_queue_properties().approximate_message_count or 0 for name in QUEUES
        }


def recorded_events(recorded: dict[str, Any]) -> list[Event]:
    """The recorded rows, at most forty; ends of messages of the scenario before are left out."""
    rows = [row for row in recorded["deliveries"] if "queue" in row and not ("done" in row and row["message"] == "(new id)")]
    bodies = {row["message"]: row["body_latin1"] for row in rows if "body_latin1" in row}
    return [_event(row, bodies[row["message"]] if row["queue"] == QUEUES[0] else "(poison)") for row in rows]


def _event(row: dict[str, Any], message: str) -> Event:
    if "done" in row:
        return Event(row["queue"], message, None, row["done"])
    return Event(row["queue"], message, row["dequeue_count"], row["at"], row["next_visible"] - row["at"])


def seen_events(log: Path, put_at: float) -> list[Event]:
    """The app's notes, in the form of the recorded rows."""
    rows = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    names = {row["id"]: row["body_latin1"] for row in rows if "body_latin1" in row}
    events = []
    for row in rows:
        if "queue" in row:
            message = names[row["id"]] if row["queue"] == QUEUES[0] else "(poison)"
            events.append(_seen_event(row, message, put_at))
    return events


def _seen_event(row: dict[str, Any], message: str, put_at: float) -> Event:
    if "done" in row:
        return Event(row["queue"], message, None, row["done"] - put_at)
    invisible = datetime.fromisoformat(row["next_visible"]).timestamp() - row["at"]
    return Event(row["queue"], message, row["dequeue_count"], row["at"] - put_at, invisible)


def wait_until(holds: Callable[[], bool], seconds: float) -> bool:
    """Looks ten times a second; returns whether it came to hold."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.1)
    return holds()
