"""Reads a message's text by `messageEncoding`."""

from __future__ import annotations

import base64
import re

# As .NET reads it: whole groups of four with padding, white space anywhere, nothing else.
BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
SPACES = re.compile(r"[ \t\r\n]+")


class NotBase64(ValueError):
    """The text cannot be read, so the message goes to the poison queue unseen."""


def decode_message(text: str, is_base64: bool) -> bytes:
    """The bytes that the function gets; raises `NotBase64`."""
    if not is_base64:
        return text.encode()
    packed = SPACES.sub("", text)
    if not BASE64.fullmatch(packed):
        raise NotBase64
    return base64.b64decode(packed)
