"""The requests that came in, kept in memory for tests to look at; credentials are kept as they came."""

from __future__ import annotations

import json
from collections import deque
from typing import Any

from ..http import Request

KEPT = 1000


class Capture:
    """The last thousand requests while `on`."""

    def __init__(self) -> None:
        self.on = False
        self._kept: deque[Request] = deque(maxlen=KEPT)

    def keep(self, request: Request) -> None:
        """Remember a request."""
        if self.on:
            self._kept.append(request)

    def clear(self) -> None:
        """Forget all."""
        self._kept.clear()

    @property
    def requests(self) -> tuple[Request, ...]:
        """The requests that came in, oldest first."""
        return tuple(self._kept)

    def to_json(self) -> list[dict[str, Any]]:
        """The requests as JSON."""
        return [
            {
                "method": each.method,
                "path": each.path,
                "query": dict(each.query),
                "headers": dict(each.headers),
                "body": _body_json(each.body),
            }
            for each in self._kept
        ]


def _body_json(body: bytes) -> Any:
    try:
        return json.loads(body) if body else None
    except ValueError:
        return body.decode("utf-8", "replace")
