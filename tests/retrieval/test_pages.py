"""The example of the evidence page is what the code makes of it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from shared.retrieval.evidence.evidence import Found, build_evidence
from shared.retrieval.search.results import Hit, HitPage
from tests.retrieval.set_up import index_of

PAGE = (Path(__file__).parents[2] / "docs" / "evidence.md").read_text(encoding="utf-8")


def test_evidence_page_shows_real_text() -> None:
    document = json.loads(re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)[0])
    text = re.findall(r"```text\n(.*?)\n```", PAGE, re.DOTALL)[0]
    index = index_of(name="schools", content_fields=("name", "address", "pupils", "tags", "open", "note", "url"))

    evidence = build_evidence([Found(index=index, page=HitPage(hits=(Hit(fields=document, score=1.0),)))], 0.5, 190_000)

    assert evidence.text == text
    assert [source.link for source in evidence.sources] == ["https://schools.example/900001"]
