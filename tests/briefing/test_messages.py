"""Queue messages: both encodings read, everything else refused with a reason that repeats nothing."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.briefing.messages import MAX_MESSAGE_BYTES, Message, Unreadable, read_message
from tests.briefing.workbench import body, message


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(body(message()), id="plain"),
        pytest.param(body(message(), encoded=True), id="base64"),
        pytest.param(b"\xef\xbb\xbf" + body(message()), id="byte order mark"),
        pytest.param(base64.b64encode(b"\xef\xbb\xbf" + body(message())), id="byte order mark in base64"),
        pytest.param(b"\n " + body(message()) + b"\r\n", id="white space around"),
        pytest.param(base64.encodebytes(body(message())), id="base64 in lines"),
    ],
)
def test_both_encodings_give_the_message(written: bytes) -> None:
    read = read_message(written)
    assert read == Message(version=1, id="m1", batch_id="mb", briefing="school-profile", parameters={"urn": "900001"})


def test_our_own_message_reads_back() -> None:
    ours = Message(version=2, id="a", batch_id="b", briefing="c", parameters={"x": "漢\ufffe\x01"}, retry_of="d")
    assert ours.text().isascii()
    assert read_message(ours.text().encode()) == ours


TWICE = base64.b64encode(base64.b64encode(json.dumps(message()).encode()))


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        pytest.param(b"", "unreadable_message", id="empty"),
        pytest.param(b"   ", "unreadable_message", id="blank"),
        pytest.param(b"hello there, this is no JSON", "unreadable_message", id="text"),
        pytest.param(b"b'eyJpZCI6ImIxIn0='", "unreadable_message", id="the text of Python bytes"),
        pytest.param(TWICE, "unreadable_message", id="encoded twice"),
        pytest.param(b"\xff\xfe\x00", "unreadable_message", id="bytes"),
        pytest.param(base64.b64encode(b"\xff\xfe{}"), "unreadable_message", id="bytes in base64"),
        pytest.param(b'{"id": "a", "id": "b"}', "unreadable_message", id="a key twice"),
        pytest.param(b'{"version": NaN}', "unreadable_message", id="NaN"),
        pytest.param(b"[" * 100_000, "message_too_large", id="deep and large"),
        pytest.param(b"[" * 40_000, "unreadable_message", id="deep"),
        pytest.param(body(message(parameters={"urn": json.loads("[" * 20 + "]" * 20)})), "invalid_message", id="deeper"),
        pytest.param(
            body(message(parameters=json.loads('{"a":' * 900 + "1" + "}" * 900))), "invalid_message", id="far deeper"
        ),
        pytest.param(b"{" + b"9" * 6000, "unreadable_message", id="a long number"),
        pytest.param(body([message()]), "invalid_message", id="a list"),
        pytest.param(body("text"), "invalid_message", id="a JSON text"),
        pytest.param(body(message(parameters={"urn": "x" * MAX_MESSAGE_BYTES})), "message_too_large", id="too large"),
    ],
)
def test_what_cannot_be_read_is_refused(written: bytes, reason: str) -> None:
    read = read_message(written)
    assert isinstance(read, Unreadable)
    assert read.reason == reason
    assert read.problems


@pytest.mark.parametrize(
    ("changes", "paths"),
    [
        ({"id": None}, ["$.id"]),
        ({"id": ""}, ["$.id"]),
        ({"id": "-a"}, ["$.id"]),
        ({"id": "a/b"}, ["$.id"]),
        ({"id": "a" * 101}, ["$.id"]),
        ({"id": "é"}, ["$.id"]),
        ({"id": "a\n"}, ["$.id"]),
        ({"id": 5}, ["$.id"]),
        ({"batchId": None}, ["$.batchId"]),
        ({"batchId": ".b"}, ["$.batchId"]),
        ({"version": None}, ["$.version"]),
        ({"version": "1"}, ["$.version"]),
        ({"version": True}, ["$.version"]),
        ({"version": 1.0}, ["$.version"]),
        ({"briefing": None}, ["$.briefing"]),
        ({"briefing": 3}, ["$.briefing"]),
        ({"parameters": None}, ["$.parameters"]),
        ({"request": "digest"}, ["$.parameters"]),
        ({"parameters": None, "request": 4}, ["$.request"]),
        ({"retryOf": "a b"}, ["$.retryOf"]),
        ({"extra": 1}, ["$"]),
        ({"id": None, "version": None}, ["$.id", "$.version"]),
    ],
)
def test_every_wrong_member_is_named(changes: dict[str, Any], paths: list[str]) -> None:
    read = read_message(body(message(**changes)))
    assert isinstance(read, Unreadable)
    assert [problem.path for problem in read.problems] == paths
    assert read.reason == "invalid_message"


def test_a_wrong_message_keeps_its_ids_where_they_are_right() -> None:
    read = read_message(body(message(version=None)))
    assert isinstance(read, Unreadable)
    assert (read.id, read.batch_id, read.briefing) == ("m1", "mb", "school-profile")
    read = read_message(body(message(id="/", batchId="/", briefing="<script>")))
    assert isinstance(read, Unreadable)
    assert (read.id, read.batch_id, read.briefing) == (None, None, None)


@pytest.mark.parametrize("encoded", [False, True])
def test_the_size_counts_before_base64(encoded: bool) -> None:
    frame = len(body(message(parameters={"urn": ""})))
    fits = message(parameters={"urn": "x" * (MAX_MESSAGE_BYTES - frame)})
    too_large = message(parameters={"urn": "x" * (MAX_MESSAGE_BYTES - frame + 1)})
    assert isinstance(read_message(body(fits, encoded=encoded)), Message)
    assert isinstance(read_message(body(too_large, encoded=encoded)), Unreadable)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_message_or_a_refusal(written: bytes) -> None:
    assert isinstance(read_message(written), Message | Unreadable)
