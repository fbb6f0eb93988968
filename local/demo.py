"""The main job end to end, over the app's real routes and its real queue; prints what they answered."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp

from .stack import SAMPLE
from .subprocesses import LocalRunError

BATCH = 50
FINISH_SECONDS = 90.0
FINAL = frozenset({"completed", "failed_checks", "no_evidence", "failed", "rejected", "cancelled"})


class Walk:
    """One walk over an app at `app`; every step raises LocalRunError unless the app answered as it should."""

    def __init__(self, app: str, session: aiohttp.ClientSession, say: Callable[[str], None]) -> None:
        self._app = app
        self._session = session
        self._say = say

    async def whole(self) -> None:
        """Readiness, search, evidence, citations, an answer, one briefing, a batch."""
        await self._ready()
        await self._search()
        await self._other_words()
        evidence = await self._evidence()
        await self._citations(evidence)
        await self._answer()
        await self._briefing()
        await self._batch()

    async def _call(self, method: str, route: str, body: Any = None, expect: int = 200) -> Any:
        async with self._session.request(method, f"{self._app}/{route}", json=body) as reply:
            text = await reply.text()
            if reply.status != expect:
                raise LocalRunError(f"{method} /api/{route} answered {reply.status}, not {expect}: {text[:300]}")
            return json.loads(text) if "json" in reply.content_type else text

    def _title(self, text: str) -> None:
        self._say(f"\n── {text} " + "─" * max(0, 70 - len(text)))

    async def _ready(self) -> None:
        self._title("GET /api/health/ready")
        ready = await self._call("GET", "health/ready")
        self._say(", ".join(f"{check['name']} {'ok' if check['ok'] else check['code']}" for check in ready["checks"]))

    async def _search(self) -> None:
        self._title("POST /api/search – schools: St Mary's choir")
        page = await self._call("POST", "search", {"index": "schools", "query": "St Mary's choir", "top": 3, "count": True})
        for hit in page["hits"]:
            self._say(
                f"{hit['number']}. {hit['score']:.3f}  {hit['source']['name']}  {hit['source']['link'] or '(no link)'}"
            )
        if not page["hits"] or "St Mary's" not in page["hits"][0]["source"]["name"]:
            raise LocalRunError("The search did not find St Mary's first.")

    async def _other_words(self) -> None:
        self._title("POST /api/search – inspections by meaning: child protection issues")
        page = await self._call("POST", "search", {"index": "inspections", "query": "child protection issues", "top": 8})
        for hit in page["hits"][:3]:
            self._say(f"{hit['number']}. {hit['rerankerScore']:.2f}  {hit['source']['name']}: {hit['captions'][0]['text']}")
        if not any("safeguarding concerns" in hit["fields"]["body"] for hit in page["hits"]):
            raise LocalRunError("The search did not find what stands there in other words.")

    async def _evidence(self) -> Any:
        self._title("POST /api/evidence – a school by filter, and its inspections")
        searches = [
            {"index": "schools", "query": "engineering", "filter": {"equals": {"urn": "900016"}}, "size": 2},
            {"index": "inspections", "query": "engineering car", "filter": {"equals": {"urn": "900016"}}, "size": 1},
        ]
        evidence = await self._call("POST", "evidence", {"searches": searches})
        self._say(evidence["text"])
        if len(evidence["sources"]) != 2 or evidence["sources"][0]["link"] is not None:
            raise LocalRunError("The evidence is not the school without a link and its inspection.")
        return evidence

    async def _citations(self, evidence: Any) -> None:
        self._title("POST /api/citations – an answer with its markers resolved")
        answer = "The school is built around engineering [Evidence 1]; pupils race an electric car [Evidence 2]."
        self._say(f"written:  {answer}")
        for form in ("html", "text"):
            body = {"answer": answer, "sources": evidence["sources"], "format": form}
            resolved = await self._call("POST", "citations", body)
            self._say(f"{form + ':':9} {resolved['answer'].strip()}")
            if not resolved["valid"] or len(resolved["citations"]) != 2 or "[Evidence" in resolved["answer"]:
                raise LocalRunError("The answer's markers were not resolved.")

    async def _answer(self) -> None:
        self._title("POST /api/answers – the extractive writer")
        search = {"index": "inspections", "query": "safeguarding concerns", "filter": {"equals": {"urn": "900002"}}}
        body = {"prompt": "Were there safeguarding concerns?", "searches": [search], "format": "text"}
        answer = await self._call("POST", "answers", body)
        self._say(f"{answer['status']}: {answer['answer']}")
        if answer["status"] != "completed" or "safeguarding" not in answer["answer"]:
            raise LocalRunError("The answer does not tell of the safeguarding concerns.")

    async def _briefing(self) -> None:
        self._title("POST /api/briefings – one briefing through the queue")
        name = f"walk-{uuid.uuid4().hex[:8]}"
        item = {"id": name, "briefing": "school-profile", "parameters": {"urn": "900001"}}
        await self._call("POST", "briefings", {"briefings": [item]}, expect=202)
        record = await self._finished(name)
        if record["status"] != "completed":
            raise LocalRunError(f"The briefing ended as {record['status']}: {record.get('reason')}")
        self._say(await self._call("GET", f"briefings/{name}?format=text"))

    async def _finished(self, briefing: str) -> Any:
        deadline = asyncio.get_running_loop().time() + FINISH_SECONDS
        while asyncio.get_running_loop().time() < deadline:
            record = await self._call("GET", f"briefings/{briefing}")
            if record["status"] in FINAL:
                return record
            await asyncio.sleep(0.2)
        raise LocalRunError(f"The briefing {briefing} was not finished within {FINISH_SECONDS:.0f} seconds.")

    async def _batch(self) -> None:
        self._title(f"POST /api/briefings – a batch of {BATCH} with its progress")
        items = [{"briefing": "school-profile", "parameters": {"urn": urn}} for urn in _sample_urns(BATCH)]
        batch = (await self._call("POST", "briefings", {"briefings": items}, expect=202))["batchId"]
        deadline = asyncio.get_running_loop().time() + FINISH_SECONDS
        while asyncio.get_running_loop().time() < deadline:
            progress = await self._call("GET", f"batches/{batch}")
            self._bar(progress)
            if progress["percent"] == 100 and progress["total"] == BATCH:
                break
            await asyncio.sleep(0.3)
        counts = progress["counts"]
        self._say("\n" + ", ".join(f"{status} {count}" for status, count in counts.items() if count))
        if counts.get("completed") != BATCH:
            raise LocalRunError(f"Not every briefing of the batch was completed: {counts}")

    def _bar(self, progress: Any) -> None:
        """The progress on one line, drawn over itself in a terminal and once at the end elsewhere."""
        width = min(40, shutil.get_terminal_size().columns - 30)
        done = round(width * progress["percent"] / 100)
        line = f"[{'█' * done}{'·' * (width - done)}] {progress['percent']:3.0f} % of {progress['total']}"
        if sys.stdout.isatty():
            print(f"\r{line}", end="", flush=True)
        elif progress["percent"] == 100:
            self._say(line)


def _sample_urns(count: int) -> list[str]:
    lines = Path(SAMPLE / "data" / "schools.jsonl").read_text(encoding="utf-8").splitlines()
    urns = [json.loads(line)["urn"] for line in lines]
    return [urns[place % len(urns)] for place in range(count)]
