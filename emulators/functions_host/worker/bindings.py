"""Between the host's values and those of a function, through the converters that `azure.functions` brings for its worker."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from azure.functions.meta import Datum, get_binding_registry

from ..functions import HTTP, MCP_TOOL, QUEUE, TIMER
from ..invocations import Ending, Invocation, Outcome

Json = Mapping[str, Any]


class NotText(ValueError):
    """The message is not UTF-8, which the binding refuses before the function is called."""


def bind(kind: str, trigger: Json, invocation: Invocation) -> Any:
    """The argument that the trigger's parameter receives; raises `NotText`."""
    return BINDERS[kind](trigger, invocation)


def encode(kind: str, returned: object) -> Outcome:
    """The outcome that a return value stands for; raises `TypeError` for another kind of value."""
    return ENCODERS[kind](returned)


def _texts(values: Mapping[str, str]) -> dict[str, Datum]:
    return {name: Datum(value, "string") for name, value in values.items()}


def _bind_http(_: Json, invocation: Invocation) -> Any:
    request = invocation.trigger
    parts = {
        "headers": _texts(request["headers"]),
        "query": _texts(request["params"]),
        "params": _texts(request["route_params"]),
    }
    whole = {"method": Datum(request["method"], "string"), "url": Datum(request["url"], "string")}
    return _converter("httpTrigger").decode(
        Datum({**whole, **parts, "body": Datum(invocation.body, "bytes")}, "http"), trigger_metadata={}
    )


def _bind_queue(trigger: Json, invocation: Invocation) -> Any:
    if str(trigger.get("dataType", "")).casefold() == "binary":
        payload = Datum(invocation.body, "bytes")
    else:
        payload = Datum(_utf8(invocation.body), "string")
    return _converter("queueTrigger").decode(payload, trigger_metadata=_texts(invocation.trigger))


def _bind_timer(_: Json, invocation: Invocation) -> Any:
    return _converter("timerTrigger").decode(Datum(_utf8(invocation.body), "json"), trigger_metadata={})


def _bind_tool(_: Json, invocation: Invocation) -> Any:
    return _converter("mcpToolTrigger").decode(Datum(_utf8(invocation.body), "string"), trigger_metadata={})


def _utf8(body: bytes) -> str:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        raise NotText("Exception binding parameter: the message is not UTF-8.") from None


def _converter(binding: str) -> Any:
    return get_binding_registry().get(binding)  # type: ignore[no-untyped-call]


def _encode_http(returned: object) -> Outcome:
    try:
        datum = _converter("http").encode(returned, expected_type=None)
    except NotImplementedError:
        raise TypeError(
            f"unable to encode outgoing TypedData: a function of HTTP cannot return {type(returned).__name__}"
        ) from None
    if datum.type == "string":
        answer = {"status": 200, "headers": [["Content-Type", "text/plain; charset=utf-8"]], "cookies": []}
        return Outcome(ending=Ending.SUCCEEDED, answer=answer, body=datum.value.encode())
    value = datum.value
    # Known names have one spelling on the wire; `azure.functions` writes this one in lower case.
    headers = [
        ["Content-Type" if name.lower() == "content-type" else name, header.value]
        for name, header in value["headers"].items()
    ]
    cookies = [_cookie(morsel) for cookie in value["cookies"] or [] for morsel in cookie.values()]
    answer = {"status": int(value["status_code"].value), "headers": headers, "cookies": cookies}
    return Outcome(ending=Ending.SUCCEEDED, answer=answer, body=value["body"].value)


def _cookie(morsel: Any) -> dict[str, Any]:
    return {"name": morsel.key, "value": morsel.value, **dict(morsel.items())}


def _encode_nothing(_: object) -> Outcome:
    return Outcome(ending=Ending.SUCCEEDED)


def _encode_tool(returned: object) -> Outcome:
    datum = _converter("mcpToolTrigger").encode(returned, expected_type=None)
    text = datum.value if isinstance(datum.value, str) else json.dumps(datum.value.decode("utf-8", "replace"))
    return Outcome(ending=Ending.SUCCEEDED, body=text.encode())


BINDERS: dict[str, Callable[[Json, Invocation], Any]] = {
    HTTP: _bind_http,
    QUEUE: _bind_queue,
    TIMER: _bind_timer,
    MCP_TOOL: _bind_tool,
}
ENCODERS: dict[str, Callable[[object], Outcome]] = {
    HTTP: _encode_http,
    QUEUE: _encode_nothing,
    TIMER: _encode_nothing,
    MCP_TOOL: _encode_tool,
}
