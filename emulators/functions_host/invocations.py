"""A call of a function and its outcome, as values that travel between the host and its worker process."""

from __future__ import annotations

import json
import struct
from asyncio import IncompleteReadError, StreamReader, StreamWriter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any
from uuid import uuid4

# Each frame: length of the JSON head, length of the body, the two. The body stays bytes all the way.
LENGTHS = struct.Struct("!IQ")


@dataclass(frozen=True, kw_only=True)
class Trace:
    """The trace context of a call; empty unless host.json asks for OpenTelemetry."""

    parent: str = ""
    state: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Invocation:
    """One call: `trigger` holds the values that the binding reads beside the body."""

    function: str
    trigger: Mapping[str, Any]
    body: bytes = b""
    trace: Trace = Trace()
    id: str = field(default_factory=lambda: str(uuid4()))

    def to_frame(self) -> Frame:
        """For the way to the worker."""
        head = {"function": self.function, "trigger": dict(self.trigger), "trace": asdict(self.trace), "id": self.id}
        return Frame({"kind": "call", **head}, self.body)

    @staticmethod
    def from_frame(frame: Frame) -> Invocation:
        """The opposite of `to_frame`."""
        head = frame.head
        trace = Trace(**head["trace"])
        return Invocation(function=head["function"], trigger=head["trigger"], body=frame.body, trace=trace, id=head["id"])


class Ending(StrEnum):
    """How a call ended."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    EXITED = "exited"
    TIMED_OUT = "timed out"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The outcome of a call: the answer when it succeeded, the whole text of the failure when it did not."""

    ending: Ending
    answer: Mapping[str, Any] = field(default_factory=dict)
    body: bytes = b""
    failure: str = ""

    @property
    def succeeded(self) -> bool:
        """True when the function returned something the host can use."""
        return self.ending is Ending.SUCCEEDED

    def to_frame(self, invocation_id: str) -> Frame:
        """For the way back to the host."""
        head = {"ending": self.ending.value, "answer": dict(self.answer), "failure": self.failure, "id": invocation_id}
        return Frame({"kind": "outcome", **head}, self.body)

    @staticmethod
    def from_frame(frame: Frame) -> Outcome:
        """The opposite of `to_frame`."""
        head = frame.head
        return Outcome(ending=Ending(head["ending"]), answer=head["answer"], body=frame.body, failure=head["failure"])


@dataclass(frozen=True)
class Frame:
    """A JSON head and bytes."""

    head: Mapping[str, Any]
    body: bytes = b""


async def read_frame(reader: StreamReader) -> Frame | None:
    """The next frame, or None when the other side is gone."""
    try:
        head_length, body_length = LENGTHS.unpack(await reader.readexactly(LENGTHS.size))
        head = await reader.readexactly(head_length)
        return Frame(json.loads(head), await reader.readexactly(body_length))
    except (IncompleteReadError, ConnectionError):
        return None


def write_frame(writer: StreamWriter, frame: Frame) -> None:
    """Queues a frame for sending, whole."""
    head = json.dumps(frame.head).encode()
    writer.write(LENGTHS.pack(len(head), len(frame.body)) + head)
    if frame.body:
        writer.write(frame.body)
