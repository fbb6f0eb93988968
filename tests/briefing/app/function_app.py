"""A briefing app for fault runs: the real worker and storage behind real triggers, which dies when it is told to.

`FAULT_LOG` names a file that gets one line for each writer call and each final save; `DEATHS` is the chance that the worker
process ends at a storage call, or a number of such calls after which it ends (`at:7`), with its host (`host:7`).
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import time

import azure.functions as func

from shared.answers import Draft, ExtractiveWriter, Task
from shared.briefing import BriefingParts, Briefings, BriefingSettings, StorageSettings
from shared.briefing.azure_storage import connect_storage
from shared.briefing.records import FINAL
from shared.briefing.storage import NewBlob, Storage
from tests.briefing.doubles import INDEXES, Faults, FaultyBlobs, FaultyQueue, SampleRetrieval, Step

app = func.FunctionApp()
QUEUE = os.environ["FAULT_QUEUE"]
SETTINGS = BriefingSettings(
    queue_name=QUEUE,
    container=os.environ["FAULT_CONTAINER"],
    done_queue_name=os.environ["FAULT_DONE"],
    lease_seconds=float(os.environ.get("LEASE_SECONDS", "2")),
    deadline_seconds=30.0,
)
DEATHS = os.environ.get("DEATHS", "0")
LOG = os.environ.get("FAULT_LOG", "")
MAX_DELIVERIES = 5
calls = 0


def tell(what: str, **members: object) -> None:
    """Appends a line; one write, so that lines of several processes stay apart."""
    if LOG:
        with open(LOG, "a", encoding="utf-8") as log:
            log.write(json.dumps({"what": what, "at": time.time(), "pid": os.getpid(), **members}) + "\n")


def dies(_number: int, _moment: str, step: Step) -> None:
    """Ends the worker process, or the host and it, at once and without a word, where that is wanted."""
    global calls
    calls += 1
    kind, _, at = DEATHS.partition(":")
    if kind in ("at", "host"):
        doomed = calls == int(at) and not os.path.exists(f"{LOG}.dead")
    else:
        doomed = random.random() < float(DEATHS)
    if not doomed:
        return
    tell("died", step=list(step))
    if at:
        open(f"{LOG}.dead", "w", encoding="utf-8").close()
    if kind == "host":
        os.kill(os.getppid(), signal.SIGKILL)
    os._exit(137)


class WatchedBlobs(FaultyBlobs):
    """Tells of final records that were saved."""

    async def replace(self, blob: NewBlob, etag: str) -> str | None:
        """As the inner one; the line is written before the process can end."""
        new = await super().replace(blob, etag)
        if new is not None and blob.metadata.get("status") in FINAL:
            tell("final", id=json.loads(blob.content)["id"], status=blob.metadata["status"])
        return new


class WatchedWriter(ExtractiveWriter):
    """Tells of its calls, and takes a moment, as a model does."""

    async def write(self, task: Task) -> Draft:
        """As the extractive writer."""
        tell("write", prompt=task.prompt[-60:])
        await asyncio.sleep(random.uniform(0, 0.03))
        return await super().write(task)


def make() -> Briefings:
    """Briefings on the real storage."""
    where = os.environ["BriefingStorage"]  # noqa: SIM112 - the spelling that the triggers name
    real = connect_storage(StorageSettings(connection_string=where), SETTINGS)
    faults = Faults(dies)
    storage = Storage(
        blobs=FaultyBlobs(WatchedBlobs(real.blobs, Faults()), faults),
        queue=real.queue,
        poison=real.poison,
        done=FaultyQueue(real.done, faults, "done"),
    )
    return Briefings(
        SETTINGS,
        BriefingParts(retrieval=SampleRetrieval(), indexes=INDEXES, writer=WatchedWriter(), storage=storage),
    )


made: list[Briefings] = []


def briefings() -> Briefings:
    """The one of this process, made in its loop."""
    if not made:
        made.append(make())
    return made[0]


@app.queue_trigger(arg_name="msg", queue_name=QUEUE, connection="BriefingStorage")
async def briefing(msg: func.QueueMessage) -> None:
    """One message, one outcome."""
    last = (msg.dequeue_count or 1) >= MAX_DELIVERIES
    await briefings().handle_message(msg.get_body(), msg.id, msg.dequeue_count, msg.insertion_time, last)


@app.queue_trigger(arg_name="msg", queue_name=f"{QUEUE}-poison", connection="BriefingStorage")
async def poison(msg: func.QueueMessage) -> None:
    """What reached the poison queue."""
    await briefings().handle_poison(msg.get_body(), msg.id, msg.insertion_time)
