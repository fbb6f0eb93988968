"""Sources from the reply of a retrieve call: reference k is source k+1, and `[ref_id:k]` cites it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from shared.retrieval import InvalidRequest, Source, resolve, sources_from_retrieval

LINK = "https://a.example/1"


def _reply(references: list[Any], rows: Any = None) -> dict[str, Any]:
    text = json.dumps(rows) if rows is not None else "no JSON"
    return {"response": [{"role": "assistant", "content": [{"type": "text", "text": text}]}], "references": references}


def test_reply_as_it_came() -> None:
    reply = _reply(
        [
            {"type": "AzureSearchDoc", "id": "0", "docKey": "K0", "sourceData": {"urn": 1, "url": LINK}},
            {"type": "AzureSearchDoc", "id": "1", "docKey": "K1", "sourceData": None},
            {"type": "AzureSearchDoc", "id": "2", "docKey": None},
        ],
        [{"ref_id": 0, "title": "Oakfield", "terms": "", "content": "…"}, {"ref_id": 1, "title": " ", "content": "…"}],
    )

    sources = sources_from_retrieval(reply)

    assert sources == (
        Source(number=1, name="Oakfield", link=LINK, key="K0"),
        Source(number=2, name="K1", key="K1"),
        Source(number=3, name="Reference 2"),
    )
    shown = resolve("Good [ref_id:0], fine [ref_id:1].", sources, format="text", references=True)
    assert shown.answer == f"Good Oakfield ({LINK}), fine [K1]."


@pytest.mark.parametrize("rows", [None, {}, [1, {"ref_id": "x", "title": "A"}, {"ref_id": True, "title": "A"}]])
def test_text_that_tells_no_titles(rows: Any) -> None:
    assert [s.name for s in sources_from_retrieval(_reply([{"id": "0", "docKey": "K0"}], rows))] == ["K0"]


@pytest.mark.parametrize(
    "response", [None, [], ["x"], [{"content": None}], [{"content": ["x"]}], [{"content": [{"text": 5}]}]]
)
def test_response_of_any_shape(response: Any) -> None:
    assert sources_from_retrieval({"response": response, "references": []}) == ()


@pytest.mark.parametrize(
    ("reply", "path"),
    [
        ({}, "$.references"),
        ({"references": {}}, "$.references"),
        ({"references": [{}] * 1001}, "$.references"),
        ({"references": ["x"]}, "$.references[0]"),
        ({"references": [{"id": "0"}, {"id": "x"}]}, "$.references[1].id"),
        ({"references": [{"id": "-1"}]}, "$.references[0].id"),
        ({"references": [{"id": 1.5}]}, "$.references[0].id"),
        ({"references": [{"id": "1234567"}]}, "$.references[0].id"),
    ],
)
def test_what_is_no_reply(reply: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidRequest) as error:
        sources_from_retrieval(reply)

    assert error.value.code == "invalid_retrieval"
    assert [problem.path for problem in error.value.problems] == [path]
    with pytest.raises(InvalidRequest) as error:
        sources_from_retrieval(reply, path="$.retrieval")
    assert [problem.path for problem in error.value.problems] == [path.replace("$", "$.retrieval")]
