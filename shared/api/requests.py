"""A request as the handlers see it: plain values, no web library."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from .responses import HttpError


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the host passed on. Header names are lower case; `body` is as sent."""

    method: str
    path: str = ""
    route_params: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)

    def header(self, name: str) -> str | None:
        """The header's value, None where absent or blank."""
        value = self.headers.get(name.lower(), "").strip()
        return value or None


# What a body must be before it is parsed: length, size, content type.

_MOST_DIGITS = 20


def check_body(request: Request, limit: int) -> None:
    """Raises HttpError 411, 413 or 415 in this order, judging by headers and length only.

    A chunked request arrives without its body on this platform, so it is told to send `Content-Length`. The length is
    looked at before the type, and nothing is read as JSON that does not say so or says nothing at all.
    """
    if "chunked" in request.headers.get("transfer-encoding", "").lower():
        raise HttpError(
            411, "length_required", "A chunked body does not reach this app; send the request with a Content-Length."
        )
    if len(request.body) > limit or _declared(request) > limit:
        raise HttpError(413, "body_too_large", f"The body may have at most {limit} bytes.")
    if request.header("content-encoding"):
        raise HttpError(415, "unsupported_encoding", "Send the body without a Content-Encoding.")
    content_type = request.header("content-type")
    if content_type and not _is_json(content_type):
        raise HttpError(415, "unsupported_media_type", "Send the body as application/json in UTF-8.")


def _declared(request: Request) -> float:
    """The length that the caller declares, 0 where that cannot be read; one of too many digits is beyond any limit."""
    length = request.header("content-length") or ""
    if not (length.isascii() and length.isdigit()):
        return 0
    return int(length) if len(length) < _MOST_DIGITS else math.inf


def _is_json(content_type: str) -> bool:
    kind, *parameters = (part.strip().lower() for part in content_type.split(";"))
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        return False
    named = [parameter.partition("=") for parameter in parameters]
    return all(value.strip("\"' ") in ("utf-8", "utf8") for name, _, value in named if name.strip() == "charset")
