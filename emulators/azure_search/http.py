"""One request and its reply, free of any HTTP library: the server and the transport both speak these."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .errors import ServiceError

REPEATABLE = ("facet", "scoringParameter")
JSON_TYPE = "application/json; charset=utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request as it came. Header names are lower case; addresses in replies begin with `host`, `repeated` holds
    the values of query parameters that may come several times, `partial` the reason of a semantic failure on order.
    """

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    host: str = "http://127.0.0.1"
    repeated: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    partial: str | None = None

    def json(self) -> dict[str, Any]:
        """The body as a JSON object; anything else is the service's 400."""
        try:
            value = json.loads(self.body or b"null")
        except ValueError:
            raise ServiceError(400, "", "The request is invalid. Details:  The body is not valid JSON.") from None
        if not isinstance(value, dict):
            raise ServiceError(400, "", "The request is invalid. Details:  A JSON object was expected.")
        return value

    @property
    def version(self) -> str:
        """The api-version in lower case."""
        return self.query.get("api-version", "").lower()

    @property
    def minimal_metadata(self) -> bool:
        """True when `@odata.context` is wanted: always, unless the Accept header says `odata.metadata=none`."""
        return "odata.metadata=none" not in self.headers.get("accept", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The reply to a request: a status, headers and bytes.

    `dropped` closes the connection instead of answering, `cut` in the middle of the body.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    dropped: bool = False
    cut: bool = False

    @staticmethod
    def json_body(value: Any) -> bytes:
        """A value as the bytes of a JSON body."""
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def json_reply(status: int, value: Any, headers: Mapping[str, str] | None = None) -> Reply:
    """A JSON answer."""
    return Reply(status=status, body=Reply.json_body(value), headers={"Content-Type": JSON_TYPE, **(headers or {})})


def error_reply(error: ServiceError) -> Reply:
    """The answer of a refusal."""
    return json_reply(error.status, error.body())
