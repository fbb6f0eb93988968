"""The trace context that the host hands to a function when host.json asks for OpenTelemetry."""

from __future__ import annotations

import re
import secrets

from .invocations import Trace
from .messages import Request

TRACEPARENT = re.compile(r"00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})")


def continue_trace(request: Request, path: str) -> Trace:
    """Continues the caller's trace with a new span, or starts one; `attributes` are those of the host's span."""
    caller = TRACEPARENT.fullmatch(request.header("traceparent"))
    attributes = {"url.path": path}
    agent = request.header("user-agent")
    if agent:
        attributes["user_agent.original"] = agent
    if caller is None:
        return Trace(parent=new_parent(), attributes=attributes)
    parent = f"00-{caller[1]}-{secrets.token_hex(8)}-{caller[2]}"
    return Trace(parent=parent, state=request.header("tracestate"), attributes=attributes)


def new_parent() -> str:
    """A sampled trace of its own."""
    return f"00-{secrets.token_hex(16)}-{secrets.token_hex(8)}-01"
