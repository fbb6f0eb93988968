"""The rules that a request meets before a function: keys, cross-origin calls, authentication, trace context, throttling."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import pytest

from emulators.functions_host import Authentication, BadConfiguration, Cors, HostError, Keys, Principal
from emulators.functions_host.cors import read_cors
from emulators.functions_host.keys import given_key
from emulators.functions_host.messages import Request
from emulators.functions_host.principals import UnknownToken, read_principals
from emulators.functions_host.settings import AppSettings
from emulators.functions_host.throttle import Throttle, TooManyRequests
from emulators.functions_host.traces import continue_trace

KEYS = Keys(function="f", host="h", master="m", mcp="t")


async def nothing() -> bytes:
    return b""


def test_the_first_of_two_key_headers_counts() -> None:
    named = (("x-functions-key", "first"), ("X-Functions-Key", "second"))
    assert given_key(Request(method="GET", target=b"/", headers=named, read=nothing), {"code": "third"}) == "first"


def request(method: str = "GET", **headers: str) -> Request:
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Request(method=method, target=b"/", headers=named, read=nothing)


@pytest.mark.parametrize(
    ("level", "opening"), [("anonymous", "fhmt?"), ("function", "fhm"), ("admin", "m"), ("mcp", "tm"), ("unknown", "m")]
)
def test_which_key_opens_what(level: str, opening: str) -> None:
    assert {key for key in "fhmt?" if KEYS.open(level, key)} == set(opening)
    assert KEYS.open(level, "") == (level == "anonymous")


@pytest.mark.parametrize(("key", "opens"), [("own", True), ("others", False), ("f", True), ("h", True), ("m", True)])
def test_key_of_another_function(key: str, opens: bool) -> None:
    keys = Keys(function="f", functions={"search": "own", "evidence": "others"}, host="h", master="m")
    assert keys.open("function", key, "search") == opens
    assert keys.is_known(key)


@pytest.mark.parametrize("level", ["anonymous", "function", "admin", "mcp"])
def test_without_keys_everything_is_open(level: str) -> None:
    assert Keys().open(level, "")


def test_empty_key_opens_nothing() -> None:
    assert not Keys(master="m").open("function", "")


def test_keys_are_not_shown() -> None:
    assert repr(KEYS) == "Keys()"


@pytest.mark.parametrize(
    ("header", "parameters", "given"),
    [("a", {"code": "b"}, "a"), ("", {"Code": "b"}, "b"), ("", {}, ""), ("", {"x": "y"}, "")],
)
def test_a_header_beats_the_query(header: str, parameters: dict[str, str], given: str) -> None:
    assert given_key(request(x_functions_key=header), parameters) == given


ONE = Cors(("https://a.example",))
TWO = Cors(("https://a.example", "https://b.example/"), credentials=True)
ANY = Cors(("*",))
ALLOW = "Access-Control-Allow-Origin"


@pytest.mark.parametrize(
    ("cors", "origin", "headers"),
    [
        (Cors(), "https://a.example", {}),
        (ONE, "", {}),
        (ONE, "https://evil.example", {}),
        (ONE, "https://A.example", {ALLOW: "https://A.example"}),
        (ANY, "https://any.example", {ALLOW: "*"}),
        (
            TWO,
            "https://b.example",
            {ALLOW: "https://b.example", "Access-Control-Allow-Credentials": "true", "Vary": "Origin"},
        ),
    ],
)
def test_cross_origin_headers(cors: Cors, origin: str, headers: dict[str, str]) -> None:
    asked = request(Origin=origin) if origin else request()
    assert dict(cors.headers(asked)) == headers
    assert not cors.is_preflight(asked)


def test_preflight() -> None:
    asked = request(
        "OPTIONS", Origin="https://a.example", Access_Control_Request_Method="PUT", Access_Control_Request_Headers="x-a"
    )
    assert ONE.is_preflight(asked)
    assert not Cors().is_preflight(asked)
    assert dict(ONE.headers(asked)) == {
        ALLOW: "https://a.example",
        "Access-Control-Allow-Methods": "PUT",
        "Access-Control-Allow-Headers": "x-a",
    }


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, ONE),
        ({"CORS_ALLOWED_ORIGINS": '["https://c.example"]'}, Cors(("https://c.example",))),
        ({"CORS_ALLOWED_ORIGINS": '["*"]', "CORS_SUPPORT_CREDENTIALS": "true"}, Cors(("*",), credentials=True)),
    ],
)
def test_the_settings_beat_the_local_file(settings: dict[str, str], expected: Cors) -> None:
    assert read_cors(AppSettings(settings), ONE) == expected


@pytest.mark.parametrize("text", ["https://a.example", '{"a": 1}', "[1]"])
def test_unreadable_origins(text: str) -> None:
    with pytest.raises(BadConfiguration, match=r"^CORS_ALLOWED_ORIGINS must be a JSON list of origins"):
        read_cors(AppSettings({"CORS_ALLOWED_ORIGINS": text}), ONE)


READER = Principal(name="reader@example.org", id="1", roles=("Evidence.Read",))
FRONT = Authentication({"reader": READER})
FORGED = {"x_ms_client_principal": "e30=", "X_MS_CLIENT_PRINCIPAL_ID": "1", "X_MS_TOKEN_AAD_ACCESS_TOKEN": "t", "x_own": "1"}


def test_forged_platform_headers_are_taken_away() -> None:
    assert FRONT.authenticate(request(**FORGED)).joined_headers() == {"x-own": "1"}


def test_a_token_becomes_a_principal() -> None:
    headers = FRONT.authenticate(request(Authorization="Bearer reader", **FORGED)).joined_headers()
    assert headers["x-ms-client-principal-id"] == "1"
    assert headers["x-ms-client-principal-name"] == "reader@example.org"
    assert headers["x-ms-client-principal-idp"] == "aad"
    assert headers["authorization"] == "Bearer reader"
    content = json.loads(base64.b64decode(headers["x-ms-client-principal"]))
    assert content["auth_typ"] == "aad"
    assert [claim["val"] for claim in content["claims"] if claim["typ"] == content["role_typ"]] == ["Evidence.Read"]
    assert [claim["val"] for claim in content["claims"] if claim["typ"] == content["name_typ"]] == ["reader@example.org"]


@pytest.mark.parametrize("token", ["stranger", "", "Reader"])
def test_an_unknown_token_is_refused(token: str) -> None:
    with pytest.raises(UnknownToken):
        FRONT.authenticate(request(Authorization=f"Bearer {token}"))


def test_another_scheme_is_no_principal() -> None:
    assert "x-ms-client-principal" not in FRONT.authenticate(request(Authorization="Basic x")).joined_headers()


def test_principals_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "principals.json"
    path.write_text('{"reader": {"name": "reader@example.org", "id": "1", "roles": ["Evidence.Read"]}}')
    assert read_principals(path) == FRONT


@pytest.mark.parametrize("text", [None, "{", "[]", '{"a": {}}', '{"a": {"name": "x", "id": "1", "roles": 5}}'])
def test_unreadable_principals(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "principals.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(HostError, match=r"^The principals of principals\.json cannot be read: it must hold"):
        read_principals(path)


PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"


def test_a_trace_is_continued() -> None:
    trace = continue_trace(request(traceparent=PARENT, tracestate="a=b", User_Agent="test"), "/api/x")
    assert re.fullmatch(r"00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-00", trace.parent)
    assert "b7ad6b7169203331" not in trace.parent
    assert trace.state == "a=b"
    assert trace.attributes == {"url.path": "/api/x", "user_agent.original": "test"}


@pytest.mark.parametrize("parent", ["", "nonsense", "00-" + "0" * 32 + "-b7ad6b7169203331-01", PARENT + "x", PARENT.upper()])
def test_a_trace_is_started(parent: str) -> None:
    trace = continue_trace(request(traceparent=parent, tracestate="a=b"), "/api/x")
    assert re.fullmatch(r"00-(?!0af76519)[0-9a-f]{32}-[0-9a-f]{16}-01", trace.parent)
    assert trace.state == ""


async def test_too_many_requests() -> None:
    throttle = Throttle(outstanding=1, concurrent=None)
    async with throttle.call():
        with pytest.raises(TooManyRequests):
            await throttle.call().__aenter__()
    async with throttle.call():
        pass
