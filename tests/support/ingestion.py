"""A local ingestion server: takes the requests of the real Azure Monitor exporters and keeps every byte.

`with Ingestion() as ingestion:` serves on a free loopback port; `ingestion.connection_string` points there.
"""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

Envelope = dict[str, Any]
_POLL_SECONDS = 0.05


class Ingestion:
    """The server. `status` is its answer: 200, or a fault to see how the exporter takes it."""

    def __init__(self, *, status: int = 200) -> None:
        self.status = status
        self.requests: list[str] = []
        self.envelopes: list[Envelope] = []
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": _POLL_SECONDS}, daemon=True
        )

    def __enter__(self) -> Ingestion:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def connection_string(self) -> str:
        """The value for APPLICATIONINSIGHTS_CONNECTION_STRING."""
        address = f"http://127.0.0.1:{self._server.server_port}/"
        return f"InstrumentationKey=00000000-0000-0000-0000-000000000001;IngestionEndpoint={address};LiveEndpoint={address}"

    @property
    def text(self) -> str:
        """Everything received: addresses, headers and bodies."""
        with self._lock:
            return "\n".join(self.requests)

    def spans(self) -> list[Envelope]:
        """The dependencies received: `name`, `success`, `properties`, … each with its envelope's `tags`."""
        return self._data("RemoteDependencyData")

    def events(self) -> list[Envelope]:
        """The log records received."""
        return self._data("MessageData")

    def points(self) -> list[Envelope]:
        """The metric points received."""
        return self._data("MetricData")

    def wait_for(self, found: Callable[[Ingestion], object], *, seconds: float = 10.0) -> None:
        """Wait until something has arrived; an AssertionError when it has not in time."""
        until = time.monotonic() + seconds
        while not found(self):
            if time.monotonic() > until:
                raise AssertionError(f"not received in {seconds} s; got {len(self.envelopes)} envelopes")
            time.sleep(_POLL_SECONDS)

    def take(self, line: str, body: str) -> int:
        """Keep one request and give the status to answer."""
        with self._lock:
            self.requests.append(f"{line}\n{body}")
            if "/track" in line and self.status == 200:
                self.envelopes.extend(json.loads(body))
        return self.status

    def _data(self, base_type: str) -> list[Envelope]:
        with self._lock:
            return [
                {
                    **envelope["data"]["baseData"],
                    "tags": envelope.get("tags", {}),
                    "sampleRate": envelope.get("sampleRate"),
                }
                for envelope in self.envelopes
                if envelope["data"]["baseType"] == base_type
            ]


class _Server(ThreadingHTTPServer):
    """Says nothing of clients that went away: a process that ends does not wait for its reply."""

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing to say."""


def tree(spans: list[Envelope]) -> str:
    """Spans drawn as a tree by their parents, for docs and for people who look at a failing test."""
    children: dict[str, list[Envelope]] = {}
    ids = {span["id"] for span in spans}
    for span in spans:
        parent = span["tags"].get("ai.operation.parentId", "")
        children.setdefault(parent if parent in ids else "", []).append(span)
    return "\n".join(_branch(children, "", 0))


def _branch(children: dict[str, list[Envelope]], parent: str, depth: int) -> list[str]:
    lines = []
    for span in children.get(parent, []):
        said = " ".join(f"{key}={value}" for key, value in sorted(span.get("properties", {}).items()))
        lines.append(f"{'  ' * depth}{span['name']} ({'ok' if span['success'] else 'failed'}) {said}".rstrip())
        lines.extend(_branch(children, span["id"], depth + 1))
    return lines


def _handler(ingestion: Ingestion) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(b"")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self._answer(gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body)

        def _answer(self, body: bytes) -> None:
            text = body.decode("utf-8")
            status = ingestion.take(f"{self.requestline}\n{self.headers}", text)
            count = text.count('"iKey"')
            reply = json.dumps({"itemsReceived": count, "itemsAccepted": count, "errors": []}).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class names it so
            """Log nothing: the test reads the received requests."""

    return Handler
