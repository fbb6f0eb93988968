"""A Retrieval on doubles, in one line."""

from __future__ import annotations

from typing import Any

from shared.retrieval import IndexSettings, Retrieval, RetrievalSettings
from tests.retrieval.doubles import ENDPOINT, CountingCredential, ScriptedTransport, StillClock


def index_of(**settings: Any) -> IndexSettings:
    """Settings of an index called `docs`."""
    return IndexSettings(**{"name": "docs", **settings})


def retrieval_of(transport: ScriptedTransport, *indexes: IndexSettings, **settings: Any) -> Retrieval:
    """Retrieval over a scripted service; `clock`, `credential` and `signals` may be given among the settings."""
    clock = settings.pop("clock", None) or StillClock()
    credential = settings.pop("credential", None) or CountingCredential()
    signals = {"signals": settings.pop("signals")} if "signals" in settings else {}
    made = RetrievalSettings(endpoint=ENDPOINT, indexes=indexes or (index_of(),), **settings)
    return Retrieval(made, credential, transport=transport, clock=clock, **signals)
