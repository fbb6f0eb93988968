"""The recorded exchanges of the real host: the sent bytes, and the compared parts of the answers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tests.support.http11 import RawResponse, head

KEYS = {"{function key}": "key-of-functions", "{host key}": "key-of-the-host", "{master key}": "key-of-the-master"}
# The recorder left these out.
UNRECORDED = {"date", "server", "connection"}
HOST = ("Host", "127.0.0.1:7071")


@dataclass(frozen=True)
class Exchange:
    """One recorded pair."""

    name: str
    recorded: dict[str, Any]

    @property
    def method(self) -> str:
        """The method that was sent."""
        return str(self.recorded["request"]["method"])

    def request(self) -> bytes:
        """The bytes that Python's `http.client` sent, with our keys."""
        sent = self.recorded["request"]
        given = sent["headers"]
        headers = [] if self.name == "no Host header" else [HOST]
        headers += [("Connection", "close"), *(given.items() if isinstance(given, dict) else map(tuple, given))]
        body = _body(sent)
        if self.name == "chunked request":
            body = b'8\r\n{"a": 1}\r\n0\r\n\r\n'
            headers.append(("Transfer-Encoding", "chunked"))
        elif self.name == "two content lengths":
            headers += [("Content-Length", "1"), ("Content-Length", "2")]
        elif body or self.method in ("POST", "PUT", "PATCH"):
            headers += [] if "Content-Length" in given else [("Content-Length", str(len(body)))]
        return _with_keys(head(self.method, sent["target"], headers).decode("latin-1")).encode("latin-1") + body

    def expected(self) -> dict[str, Any]:
        """The parts of the recorded answer that are compared."""
        answer = self.recorded["response"]
        headers = {name.lower(): value for name, value in answer["headers"].items()}
        content = json.loads(_with_keys(json.dumps(answer["json"]))) if "json" in answer else _body(answer).decode("latin-1")
        return {"status": answer["status"], "headers": headers, "content": content}

    def seen(self, answer: RawResponse) -> dict[str, Any]:
        """The same of an answer of ours."""
        headers = {name: value for name, value in answer.headers.items() if name not in UNRECORDED}
        content: Any = answer.body.decode("latin-1")
        if "json" in self.recorded["response"]:
            content = json.loads(answer.body)
            names = self.recorded["response"]["json"].keys()
            content = {"keys": sorted(content)} if names == {"keys"} else content
        return {"status": answer.status, "headers": headers, "content": content}


def _body(message: dict[str, Any]) -> bytes:
    body = str(message["body_latin1"]).encode("latin-1")
    # Long bodies are one letter repeated and cut in the recording. A note on the home page stands for its content.
    return body + body[-1:] * (int(message["body_bytes"]) - len(body))


def _with_keys(text: str) -> str:
    for name, key in KEYS.items():
        text = text.replace(name, key)
    return text
