"""Secrets stay inside with every switch: by their shape, and by their exact value during a call."""

from __future__ import annotations

import base64
import json

import pytest

from shared.telemetry.redaction import SECRET, forget_secrets, remember_secrets, remove_secrets

PRINCIPAL = base64.b64encode(json.dumps({"userId": "jane", "claims": []}).encode()).decode()
HOST_KEY = "a" * 44 + "AzFu" + "b" * 7 + "=="


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("GET failed: Authorization: Bearer abc.def-123", f"GET failed: {SECRET}"),
        ("bearer abc.def-123 refused", f"{SECRET} refused"),
        ("token eyJhbGciOiJub25lIn0.eyJzdWIiOiJqYW5lIn0.c2ln expired", f"token {SECRET} expired"),
        (f"principal {PRINCIPAL} lacks a role", f"principal {SECRET} lacks a role"),
        ("https://x.blob.core.windows.net/c?sv=1&sig=AbC%2F1&se=2", f"https://x.blob.core.windows.net/c?sv=1&{SECRET}&se=2"),
        ('{"api-key": "0123456789ABCDEF"}', f'{{"{SECRET}"}}'),
        ("AccountName=x;AccountKey=abc123==;EndpointSuffix=y", f"AccountName=x;{SECRET};EndpointSuffix=y"),
        ("'x-ms-query-source-authorization': 'abcdef'", f"'{SECRET}'"),
        (f"key {HOST_KEY} wrong", f"key {SECRET} wrong"),
        ("inspections of The Aldgate School", "inspections of The Aldgate School"),
        ("urn eq '100000' and code of conduct", "urn eq '100000' and code of conduct"),
    ],
)
def test_shapes_of_secrets_are_cut(text: str, left: str) -> None:
    assert remove_secrets(text) == left


def test_exact_secrets_of_a_call_are_cut_with_and_without_their_scheme() -> None:
    token = remember_secrets(["Bearer plain-value-1", "key-value-2", "short"])
    try:
        assert remove_secrets("plain-value-1 or key-value-2 in short") == f"{SECRET} or {SECRET} in short"
    finally:
        forget_secrets(token)
    assert remove_secrets("plain-value-1") == "plain-value-1"


def test_the_longer_of_two_secrets_goes_first() -> None:
    token = remember_secrets(["abcdef", "abcdefghi"])
    try:
        assert remove_secrets("abcdefghi") == SECRET
    finally:
        forget_secrets(token)
