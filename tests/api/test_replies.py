"""Replies as bytes: whatever a stored document holds becomes JSON."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import pytest

from shared.api import SEARCH, Reply, Request, Services, respond
from shared.settings import load_settings
from tests.retrieval.doubles import CountingCredential, Scripted, ScriptedTransport

LARGEST = sys.float_info.max
BODIES = [
    ({"a": [1, 2.5, "é"]}, {"a": [1, 2.5, "é"]}),
    ({"a": math.inf, "b": [-math.inf, ({"c": math.nan},)]}, {"a": LARGEST, "b": [-LARGEST, [{"c": None}]]}),
    ({"a": "half \ud800 of it"}, {"a": "half ? of it"}),
    ([], []),
]


@pytest.mark.parametrize(("body", "read"), BODIES)
def test_every_body_is_json(body: Any, read: Any) -> None:
    assert json.loads(Reply(body=body).content().decode()) == read


def test_no_body_is_empty() -> None:
    assert Reply(status=204).content() == b""


async def test_a_document_with_a_number_beyond_a_float_is_shown() -> None:
    environ = {
        "AiAgents__AISearch__Endpoint": "https://unit.search.windows.net",
        "AiAgents__AISearch__Indexes": '[{"Name": "docs"}]',
    }
    page = Scripted(raw=b'{"value": [{"@search.score": 1, "number": 1e999}]}')
    services = Services(load_settings(environ), credential=CountingCredential(), transport=ScriptedTransport(page))
    reply = await respond(SEARCH, Request(method="POST", body=b'{"index": "docs", "query": "x"}'), services)
    await services.close()
    assert reply.status == 200
    assert json.loads(reply.content())["hits"][0]["fields"] == {"number": LARGEST}
