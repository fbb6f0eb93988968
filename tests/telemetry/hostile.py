"""Search service and model in one server that give everything away: documents full of canaries, and errors that echo the
whole request, headers included. What it does is asked for by a word in the request, such as `fault429`.
"""

from __future__ import annotations

import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from .canaries import CANARIES

FAULTS = ("400", "401", "402", "403", "404", "408", "429", "500", "502", "503", "504", "broken", "garbage", "slow", "empty")
SLOW_SECONDS = 3.0
_WANTED = re.compile(rf"fault({'|'.join(FAULTS)})", re.IGNORECASE)


class Hostile:
    """The server, on a free loopback port. `search` and `model` are its endpoints; `seen` counts requests by kind."""

    def __init__(self) -> None:
        self.seen: dict[str, int] = {}
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> Hostile:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def search(self) -> str:
        """The endpoint of the search service."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def model(self) -> str:
        """The endpoint of the model."""
        return f"{self.search}/model/v1"


class _Server(ThreadingHTTPServer):
    """Says nothing of clients that went away: slow and broken replies make them."""

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing to say."""


def document() -> dict[str, Any]:
    """A document that holds canaries wherever a text can be."""
    text, link, field = CANARIES["document_text"], CANARIES["link"], CANARIES["field_value"]
    return {
        **dict.fromkeys(("name", "school_name", "title", "body", "summary", "headteacher", "inspector", "outcome"), text),
        **dict.fromkeys(("phase", "type", "town", "postcode", "local_authority", "headquarters_town"), field),
        **dict.fromkeys(("id", "urn", "trust_id"), CANARIES["document_key"]),
        "chief_executive": field,
        "number_on_roll": 271,
        "is_open": True,
        "date": "2024-01-01T00:00:00Z",
        "url": f"https://{link}.example/{link}",
        "@search.score": 2.5,
        "@search.highlights": {"body": [text]},
    }


def search_reply(fault: str) -> Any:
    """A page of hits, which may be empty."""
    return {"value": [] if fault == "empty" else [document()], "@odata.count": 1}


def model_reply(fault: str) -> Any:
    """An answer with a citation and one without."""
    content = f"{CANARIES['model_reply']} [Evidence 1]." if fault != "empty" else ""
    message = {"role": "assistant", "content": content}
    return {
        "id": CANARIES["model_reply"],
        "object": "chat.completion",
        "created": 1,
        "model": CANARIES["model_reply"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }


def _handler(hostile: Hostile) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(b"")

        def do_POST(self) -> None:
            self._answer(self.rfile.read(int(self.headers.get("Content-Length", 0))))

        def _answer(self, body: bytes) -> None:
            said = body.decode("utf-8", "replace")
            found = _WANTED.search(said)
            fault = found[1].lower() if found else ""
            kind = "model" if self.path.startswith("/model") else "search"
            hostile.seen[f"{kind} {fault}"] = hostile.seen.get(f"{kind} {fault}", 0) + 1
            if fault == "broken":
                self.close_connection = True
                self.connection.close()
                return
            if fault == "slow":
                time.sleep(SLOW_SECONDS)
            self._send(*self._reply(kind, fault, said))

        def _reply(self, kind: str, fault: str, said: str) -> tuple[int, bytes]:
            if fault == "garbage":
                return 200, f"<html>{CANARIES['exception']} {said}".encode()
            if fault.isdigit():
                echo = f"{CANARIES['exception']} {self.path} {self.headers} {said}"
                return int(fault), json.dumps({"error": {"code": CANARIES["exception"], "message": echo}}).encode()
            if self.path.partition("?")[0].endswith("$count"):
                return 200, b"1"
            return 200, json.dumps(model_reply(fault) if kind == "model" else search_reply(fault)).encode()

        def _send(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Retry-After", "0")
            self.send_header("x-canary", CANARIES["exception"])
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class names it so
            """Say nothing."""

    return Handler
