"""Faults on order, over HTTP or in process: tests use them to see how a client treats a failing service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, Literal

from pydantic import Field

from ..http import JSON_TYPE, Reply
from ..schema.models import StrictModel, validate


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A fault that matching requests meet, `times` times (None: until cleared) after `after` of them went well.

    `operation` is search, suggest, autocomplete, index, count, lookup, retrieve or definition, None for all; `index` one
    name. `delay` (seconds) comes first. With `status` or `body` that is the answer; `dropped` closes the connection before a
    byte, `cut` in the middle of the real answer; `partial` makes a semantic search end as a partial one with that reason.
    """

    operation: str | None = None
    index: str | None = None
    times: int | None = 1
    after: int = 0
    delay: float = 0.0
    status: int | None = None
    body: str | None = None
    code: str = ""
    message: str = "A fault on order."
    retry_after: float | None = None
    retry_after_date: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    dropped: bool = False
    cut: bool = False
    partial: str | None = None

    def reply(self) -> Reply | None:
        """The answer instead of the real one, None when the real one is given (late, cut or partial)."""
        if self.dropped:
            return Reply(status=0, dropped=True)
        if self.status is None and self.body is None:
            return None
        headers = {"Content-Type": JSON_TYPE, **self._retry_headers(), **self.headers}
        return Reply(status=self.status or 200, body=self._body(), headers=headers)

    def _body(self) -> bytes:
        if self.body is not None:
            return self.body.encode()
        shown = {"error": {"code": self.code, "message": self.message}}
        return Reply.json_body(shown)

    def _retry_headers(self) -> dict[str, str]:
        if self.retry_after is None:
            return {}
        if self.retry_after_date:
            return {"Retry-After": format_datetime(datetime.now(UTC) + timedelta(seconds=self.retry_after), usegmt=True)}
        return {"Retry-After": f"{self.retry_after:g}"}


class FaultBody(StrictModel):
    """A fault as JSON: the members of `Fault` in camelCase."""

    operation: Literal["search", "suggest", "autocomplete", "index", "count", "lookup", "retrieve", "definition"] | None = (
        None
    )
    index: str | None = None
    times: int | None = Field(default=1, ge=1)
    after: int = Field(default=0, ge=0)
    delay: float = Field(default=0.0, ge=0, le=600, strict=False)
    status: int | None = Field(default=None, ge=200, le=599)
    body: str | None = None
    code: str = ""
    message: str = "A fault on order."
    retry_after: float | None = Field(default=None, ge=0, strict=False)
    retry_after_date: bool = False
    headers: dict[str, str] = Field(default_factory=dict)
    dropped: bool = False
    cut: bool = False
    partial: Literal["maxWaitExceeded", "capacityOverloaded", "transient"] | None = None


def read_fault(raw: Mapping[str, Any]) -> Fault:
    """A fault from JSON; a member that is not known or does not fit is a 400."""
    return Fault(**validate(FaultBody, raw, "fault").model_dump())


class Faults:
    """The faults on order, first come first; counts what each has seen."""

    def __init__(self) -> None:
        self._orders: list[list[Any]] = []

    def add(self, fault: Fault) -> None:
        """Order a fault."""
        self._orders.append([fault, 0])

    def clear(self) -> None:
        """Forget all."""
        self._orders.clear()

    def __len__(self) -> int:
        return len(self._orders)

    def next(self, operation: str, index: str | None) -> Fault | None:
        """The fault that this request meets; it is used up with its last time."""
        for order in self._orders:
            fault, seen = order
            if fault.operation not in (None, operation) or fault.index not in (None, index):
                continue
            order[1] += 1
            if seen < fault.after:
                continue
            if fault.times is not None and seen + 1 >= fault.after + fault.times:
                self._orders.remove(order)
            return fault if isinstance(fault, Fault) else None
        return None
