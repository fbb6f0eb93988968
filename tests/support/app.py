"""The app's handlers over the embedded search service in process: quick, and with the real SDK in between."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np

from emulators.azure_search.analysis.embedding import MiniLm, Vectors
from emulators.azure_search.load import load, read_documents, read_index
from emulators.azure_search.service import SearchService
from emulators.azure_search.transport import EmbeddedTransport
from local.sample_settings import app_settings
from shared.api import Reply, Request, Route, Services, respond
from shared.settings import load_settings

SAMPLE = Path(__file__).resolve().parents[2] / "local" / "sample"
EMULATOR = "UseDevelopmentStorage=true"


class RememberedEmbeddings:
    """The local model, asked once for each text: hundreds of tests load the same documents."""

    def __init__(self) -> None:
        self._model = MiniLm()
        self._known: dict[str, Any] = {}
        self.dimensions = self._model.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known |= dict(zip(new, self._model.embed(new), strict=True))
        return np.stack([self._known[text] for text in texts])


EMBEDDINGS = RememberedEmbeddings()


async def sample_service() -> SearchService:
    """An embedded service with the sample data."""
    service = SearchService(embedder=EMBEDDINGS)
    for name in ("schools", "inspections", "trusts"):
        await load(service, read_index(SAMPLE / f"indexes/{name}.json"), read_documents(SAMPLE / f"data/{name}.jsonl"))
    return service


class App:
    """Calls of routes as the host makes them, without the host."""

    def __init__(self, services: Services) -> None:
        self.services = services

    async def call(self, route: Route, body: Any = None, **given: Any) -> Reply:
        """The reply of `route`; a body that is no bytes goes as JSON."""
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        headers = {"content-type": "application/json"} | given.pop("headers", {})
        return await respond(route, Request(method="POST", headers=headers, body=raw, **given), self.services)


@asynccontextmanager
async def app_over(service: SearchService | None, settings: Mapping[str, str] | None = None) -> AsyncIterator[App]:
    """The app with the sample settings, changed by `settings`, over `service`; without one over the network."""
    environ = app_settings("http://127.0.0.1:9", EMULATOR) | dict(settings or {})
    services = Services(load_settings(environ), transport=EmbeddedTransport(service) if service else None)
    try:
        yield App(services)
    finally:
        await services.close()


def body_of(reply: Reply) -> Any:
    """The reply's JSON."""
    return json.loads(reply.content())
