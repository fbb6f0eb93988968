"""Queue messages: strict reading of what any application may put there, and writing of our own."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from shared.retrieval import Problem, is_nested_deeper

from .records import ID_RULE, Status, is_id

MAX_MESSAGE_BYTES = 48 * 1024
"""Of the JSON, before any base64: with it that is 64 KiB, the most that a queue takes."""

MAX_QUEUE_BYTES = 64 * 1024

MAX_WAIT = 1_000_000
"""Put-backs that a message may count: more than seven days of waiting can hold."""

MAX_DEPTH = 20
"""Of lists and objects in the parameters: more than any parameter has, and far from where writing JSON fails."""

MEMBERS = ("version", "id", "batchId", "briefing", "parameters", "retryOf", "request", "wait")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
BASE64 = re.compile(rb"[A-Za-z0-9+/\s]+={0,2}\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A briefing to run. `request` is the digest of a stored request, which then holds the parameters."""

    version: int
    id: str
    batch_id: str
    briefing: str
    parameters: Mapping[str, Any] | None = None
    retry_of: str | None = None
    request: str | None = None
    wait: int = 0
    """How often the briefing was put back to wait: of several copies of a message only the newest counts."""

    def text(self) -> str:
        """The message as JSON in ASCII: what XML cannot carry stays escaped."""
        members = {
            "version": self.version,
            "id": self.id,
            "batchId": self.batch_id,
            "briefing": self.briefing,
            "parameters": self.parameters,
            "retryOf": self.retry_of,
            "request": self.request,
            "wait": self.wait or None,
        }
        return json.dumps({key: value for key, value in members.items() if value is not None}, separators=(",", ":"))

    @property
    def fits(self) -> bool:
        """Whether it can go on the queue as it is."""
        return len(self.text()) <= MAX_MESSAGE_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A message that cannot be taken, with what it gave away about itself: an id and batch only where they are valid."""

    reason: str
    problems: tuple[Problem, ...] = ()
    id: str | None = None
    batch_id: str | None = None
    briefing: str | None = None
    digest: str | None = None
    """Of its content, where that could be read: a record of the same content may be rejected with it."""


def read_message(body: bytes) -> Message | Unreadable:
    """The message in a body: plain JSON, or base64 of it."""
    text = _json_bytes(body)
    if text is None:
        return _unreadable("unreadable_message", "$", "is neither JSON nor base64 of it")
    if len(text) > MAX_MESSAGE_BYTES:
        return _unreadable("message_too_large", "$", f"has more than {MAX_MESSAGE_BYTES} bytes: store the request instead")
    try:
        value = json.loads(text.decode(), object_pairs_hook=_object, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return _unreadable("unreadable_message", "$", "is not valid JSON")
    if not isinstance(value, dict):
        return _unreadable("invalid_message", "$", "must be an object")
    return _checked(value)


def _json_bytes(body: bytes) -> bytes | None:
    """The JSON text of a body, decoded when it is base64; None when it is neither."""
    plain = body.removeprefix(BYTE_ORDER_MARK).strip()
    if not plain or plain[:1] in b'{["':
        return plain or None
    if not BASE64.fullmatch(plain):
        return None
    try:
        decoded = base64.b64decode(b"".join(plain.split()), validate=True)
    except (binascii.Error, ValueError):
        return None
    return decoded.removeprefix(BYTE_ORDER_MARK).strip() or None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key stands twice")
    return members


def _no_constant(_: str) -> Any:
    raise ValueError("NaN and Infinity are not JSON")


def _checked(value: dict[str, Any]) -> Message | Unreadable:
    problems = tuple(_problems(value))
    if problems:
        return Unreadable(
            reason="invalid_message",
            problems=problems,
            id=value["id"] if is_id(value.get("id")) else None,
            batch_id=value["batchId"] if is_id(value.get("batchId")) else None,
            briefing=_briefing_name(value),
        )
    return Message(
        version=value["version"],
        id=value["id"],
        batch_id=value["batchId"],
        briefing=value["briefing"],
        parameters=value.get("parameters"),
        retry_of=value.get("retryOf"),
        request=value.get("request"),
        wait=value.get("wait", 0),
    )


def _briefing_name(value: Mapping[str, Any]) -> str | None:
    name = value.get("briefing")
    return name if is_id(name) else None


def _problems(value: Mapping[str, Any]) -> list[Problem]:
    problems = [Problem("$", "unknown_member", "has a member that is not known") for key in value if key not in MEMBERS][:1]
    for key in ("id", "batchId"):
        if not is_id(value.get(key)):
            problems.append(Problem(f"$.{key}", "invalid_id", f"must be {ID_RULE}"))
    if value.get("retryOf") is not None and not is_id(value["retryOf"]):
        problems.append(Problem("$.retryOf", "invalid_id", f"must be {ID_RULE}"))
    if isinstance(value.get("version"), bool) or not isinstance(value.get("version"), int):
        problems.append(Problem("$.version", "invalid_version", "must be the whole number of a definition's version"))
    wait = value.get("wait", 0)
    if isinstance(wait, bool) or not isinstance(wait, int) or not 0 <= wait <= MAX_WAIT:
        problems.append(Problem("$.wait", "invalid_message", f"must be an integer from 0 to {MAX_WAIT}"))
    if not is_id(value.get("briefing")):
        problems.append(Problem("$.briefing", "unknown_definition", "must be the name of a definition"))
    return problems + _content_problems(value)


def _content_problems(value: Mapping[str, Any]) -> list[Problem]:
    request, parameters = value.get("request"), value.get("parameters")
    if (request is None) == (parameters is None):
        return [Problem("$.parameters", "invalid_message", "must be given, unless the message names a stored request")]
    if request is not None and not isinstance(request, str):
        return [Problem("$.request", "invalid_message", "must be the digest of a stored request")]
    if is_nested_deeper(parameters, MAX_DEPTH):
        return [Problem("$.parameters", "invalid_message", f"must not be nested deeper than {MAX_DEPTH} levels")]
    return []


def _unreadable(reason: str, path: str, message: str) -> Unreadable:
    return Unreadable(reason=reason, problems=(Problem(path, reason, message),))


# One delivery of one queue message, and the ways it can end.

Outcome = Status | Literal["already_final", "accepted"]
"""The status that the delivery left, or `already_final`, or `accepted`: another delivery is at work on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """What the host tells about a message. `last` is set when the queue will not deliver it again."""

    body: bytes
    message_id: str | None = None
    dequeue_count: int | None = None
    insertion_time: datetime | None = None
    last: bool = False

    @property
    def message_name(self) -> str | None:
        """The message's id as records can keep it: metadata takes no more than an id of ours may hold."""
        if self.message_id is None or is_id(self.message_id):
            return self.message_id
        return hashlib.sha256(self.message_id.encode(errors="replace")).hexdigest()

    @property
    def inserted(self) -> datetime:
        """When it was put on the queue; now, where the host does not say."""
        moment = self.insertion_time or datetime.now(UTC)
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
