"""Runs a measured case of the original through our retrieval and the real SDK, and brings both results to one form."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from typing import Any

from shared.retrieval import (
    CallerError,
    Evidence,
    IndexSettings,
    ODataFilter,
    Retrieval,
    RetrievalError,
    RetrievalSettings,
    UnknownName,
    odata,
)
from shared.settings import load_settings
from tests.retrieval.doubles import ENDPOINT, CountingCredential, Scripted, ScriptedTransport, StillClock
from tests.truths import load_truth

Json = Any
FASTER = 100
"""Delays of the records are milliseconds of minutes; here they pass a hundred times faster."""

_HEADING = re.compile(r"^--- (.+) Evidence (\d+) ---$", re.MULTILINE)
_OTHER_BREAK = re.compile(r"([\v\f\x1c-\x1e\x85\u2028\u2029])  ")
_UNLIMITED = 500_000
_LABEL = re.compile(r"^[A-Za-z_ {}0-9/]*[A-Za-z_{}0-9]: ?")
_ERRORS = {
    "Azure Search query against": "search",
    "No Azure Search client configured": "unknown_index",
    "Failed to convert configuration value": "settings",
    "can't be used in a filter": "argument",
    "The operation was cancel": "cancelled",
    "A task was canceled": "cancelled",
}


class _Phase(Enum):
    PRIMARY = "Primary"


_TWO_LONG = [{"@search.score": 2, "content": "x" * 100_000}, {"@search.score": 1.5, "content": "y" * 100_000}]
LONG_BODIES: dict[str, list[Json]] = {
    "limit_default_190000": _TWO_LONG,
    "limit_default_one_of_200000": [{"@search.score": 1, "content": "x" * 200_000}],
    "limit_null_no_limit": _TWO_LONG,
    "limit_empty_text_no_limit": _TWO_LONG,
    "link_too_long": [{"@search.score": 1, "content": "Good.", "page": "https://a.example/" + "p" * 66_000}],
}
"""Bodies that the records only describe."""


def golden_cases(group: str) -> list[Json]:
    """The records of a group."""
    return list(load_truth("dfe-aisearch-golden")["groups"][group])


def expected(case: Json) -> Json:
    """The original's result, or the kind of its error."""
    if "error" in case:
        return {"error": _error_kind(case["error"])}
    result = case["result"]
    sources = [[source["number"], _text(source["name"]), _long(source["link"])] for source in result["sources"]]
    return {"text": _long(_evidence_text(result["text"])), "sources": sources}


def _error_kind(error: Json) -> str:
    message = error["message"]
    kind = next((kind for start, kind in _ERRORS.items() if start in message), "argument")
    return "cancelled" if error["type"].endswith("TaskCanceledException") else kind


def _text(value: Json) -> Json:
    """A text of the records: half an emoji is written there as code units."""
    if isinstance(value, dict) and "utf16" in value:
        units = bytes.fromhex("".join(unit[2:] + unit[:2] for unit in value["utf16"].split()))
        return units.decode("utf-16-le", "surrogatepass")
    return value


def _evidence_text(value: Json) -> Json:
    return _text(value)


def _long(value: Json) -> Json:
    """Long texts compare by their digest, as they are recorded."""
    if isinstance(value, dict):
        return [value["length"], value["sha256"]]
    if isinstance(value, str) and len(value) > 2000:
        return [len(value), hashlib.sha256(value.encode()).hexdigest()]
    return value


def unlabelled(text: str) -> str:
    """Evidence without the labels of its lines and the indent of the lines after, as the measured version wrote it."""
    parts: list[str] = []
    for part in text.split("\n\n--- "):
        lines = (part if part.startswith(("--- ", "No ")) or not parts else f"--- {part}").split("\n")
        parts.append(_unlabelled_block(lines))
    return "\n\n".join(parts)


def _unlabelled_block(lines: list[str]) -> str:
    if not _HEADING.match(lines[0]):
        return "\n".join(lines)
    values: list[str] = []
    note: list[str] = []
    for line in lines[1:]:
        if line.startswith("[") and "left out to keep" in line:
            note = ["", line]
        elif line.startswith("  ") and values:
            values[-1] += "\n" + line[2:]
        elif line:
            values.append(_LABEL.sub("", line, count=1))
    return "\n".join([lines[0], _OTHER_BREAK.sub(r"\1", " ".join(values)), *note])


def ours(evidence: Evidence) -> Json:
    """Our evidence in the form of `expected`."""
    sources = [[source.number, source.name, _long(source.link)] for source in evidence.sources]
    return {"text": _long(unlabelled(evidence.text)), "sources": sources}


def our_limit(case: Json) -> int | None:
    """The limit of a case in our measure, which counts the labels of the lines too."""
    made = case.get("constructed")
    limit = made["maxEvidenceCharacters"] if made else case["settings"].get("MaxEvidenceCharacters")
    text = _text(case.get("result", {}).get("text"))
    if not isinstance(limit, int) or not isinstance(text, str):
        return limit if isinstance(limit, int) else None
    return limit + len("content: ") * len(_HEADING.findall(text))


class Run:
    """One case, run: our result or error, and what was sent. With an `endpoint` over the network, else by the script."""

    def __init__(self, case: Json, endpoint: str | None = None) -> None:
        self.case = case
        self.endpoint = endpoint
        self.code = ""
        self.text = ""
        self.evidence: Evidence | None = None
        self.transport = ScriptedTransport(*_answers(case))
        self.credential = CountingCredential()
        self.clock = StillClock(holds=case["name"] == "cancelled_between_retries")

    async def result(self) -> Json:
        """Our result in the form of `expected`."""
        try:
            retrieval = self._retrieval()
            if retrieval is None:
                return {"error": "settings"}
            return await self._call(retrieval)
        except UnknownName:
            # The original calls a blank name a wrong argument.
            return {"error": "unknown_index" if (self.case["call"]["scope"] or "").strip() else "argument"}
        except CallerError:
            return {"error": "argument"}
        except RetrievalError as error:
            self.code = error.code
            return {"error": "search"}
        except asyncio.CancelledError:
            return {"error": "cancelled"}

    async def _call(self, retrieval: Retrieval) -> Json:
        call = self.case["call"]
        asked: dict[str, Any] = {"size": call["size"]} if "size" in call else {}
        if "filter" in call:
            filter_ = _filter(call["filter"])
            asked["filter"] = filter_
        limit = our_limit(self.case)
        work = asyncio.ensure_future(
            retrieval.evidence(call["scope"] or "", call["query"] or "", max_characters=limit, **asked)
        )
        if self.case["name"] == "cancelled_before":
            work.cancel()
        if "cancelledAfterMilliseconds" in self.case:
            await asyncio.wait_for(self.transport.started.wait(), 5)
            await asyncio.sleep(0.01)
            work.cancel()
        try:
            evidence = self.evidence = await work
            self.text = unlabelled(evidence.text)
            return ours(evidence)
        finally:
            await retrieval.close()

    def _retrieval(self) -> Retrieval | None:
        settings = _constructed(self.case) if "constructed" in self.case else _loaded(self.case["settings"])
        if settings is None:
            return None
        if self.case["name"].startswith("network_timeout"):
            settings = replace(settings, timeout_seconds=0.05)
        if self.endpoint is not None:
            return Retrieval(replace(settings, endpoint=self.endpoint), self.credential, clock=self.clock)
        return Retrieval(settings, self.credential, transport=self.transport, clock=self.clock)

    def sent(self) -> list[Json]:
        """Our requests as the records show them, without the version of the SDK's API."""
        return [
            {
                "method": request.method,
                "path": request.url.split("?")[0],
                "body": json.loads(str(request.content, "utf-8")),
                "authorization": request.headers["Authorization"].split()[0],
                "accept": request.headers["Accept"].replace(" ", ""),
            }
            for request in self.transport.requests
        ]


def _answers(case: Json) -> list[Scripted]:
    if case["name"] in LONG_BODIES:
        return [Scripted(body={"value": LONG_BODIES[case["name"]]})]
    return [_answer(response) for response in case.get("responses", [])] or [Scripted(body={"value": []})]


def _answer(response: Json) -> Scripted:
    body = response.get("body")
    raw = body["raw"].encode() if isinstance(body, dict) and "raw" in body else None
    return Scripted(
        status=response["status"],
        body=body,
        raw=body.encode() if isinstance(body, str) else raw,
        headers=response.get("headers", {}),
        delay=response.get("delayMilliseconds", 0) / 1000 / FASTER,
        dropped=response.get("connectionDropped", False),
    )


def _filter(written: str) -> ODataFilter | None:
    known = {
        "urn eq {999101}": odata("urn eq {urn}", urn=999101),
        'name eq {"St Mary\'s"}': odata("name eq {name}", name="St Mary's"),
        'Raw(" urn eq 999101 ")': ODataFilter.raw(" urn eq 999101 "),
        "(default)": None,
    }
    if written == "(blank interpolated string)":
        return odata("   ")
    if written == "phase eq {Phase.Primary}":
        return odata("phase eq {phase}", phase=_Phase.PRIMARY)  # type: ignore[arg-type]
    return known[written]


def _constructed(case: Json) -> RetrievalSettings:
    made = case["constructed"]
    fields = (made["index"] or {}).get("ContentFields") or made["contentFields"] or ()
    index = IndexSettings(name=case["call"]["scope"], content_fields=tuple(fields))
    return RetrievalSettings(endpoint=ENDPOINT, indexes=(index,), max_evidence_characters=_UNLIMITED)


def _loaded(section: Mapping[str, Json]) -> RetrievalSettings | None:
    """The settings section of a case through our loader; None when it is refused."""
    environ = {"AiAgents__AISearch__Endpoint": ENDPOINT}
    for name, value in section.items():
        # As a setting the limit starts at 400; the function takes any, and gets it from `our_limit`.
        if name != "Endpoint" and not (name == "MaxEvidenceCharacters" and isinstance(value, int)):
            environ[f"AiAgents__AISearch__{name}"] = value if isinstance(value, str) else json.dumps(value)
    loaded = load_settings(environ)
    return None if any(problem.setting.startswith("AiAgents__AISearch") for problem in loaded.problems) else loaded.retrieval
