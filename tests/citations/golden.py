"""Runs a measured citation case of the original through ours and brings both results to one form.

In that form each citation is `{number|name|link}`, so that neither side's markup hides a difference; ours is taken in the
`text` format, which keeps other Markdown as the original does. The original's `&lt;` is read as `<`.
"""

from __future__ import annotations

import html
import re
from functools import lru_cache
from typing import Any

from shared.retrieval import CitationStream, InvalidRequest, Source, resolve
from shared.retrieval.citations.figures import evidence_blocks
from shared.retrieval.citations.links import normal_link
from shared.retrieval.citations.sentinels import clean_name
from tests.truths import load_truth

Json = Any
WRITER_CASES = ("prompt_", "parallel_", "sequential_")
"""They run a writer: its own tests hold them."""

_ANCHOR = re.compile(r'<a href="([^"]*)">(.*?)</a>', re.DOTALL)
_CITED = re.compile(r"\[Evidence (\d{1,6})\]")


@lru_cache(maxsize=1)
def _truth() -> Json:
    return load_truth("dfe-aisearch-golden")


def golden_cases(group: str) -> list[Json]:
    """The measured cases of a group that need no writer."""
    cases = _truth()["groups"][group]
    return [case for case in cases if not case["name"].startswith(WRITER_CASES)]


def text_of(value: Json) -> str:
    """A text of the records; null is read as empty, half an emoji is an object."""
    if isinstance(value, dict):
        return bytes.fromhex(value["utf16"].replace(" ", "")).decode("utf-16-be", "surrogatepass")
    return value or ""


def _sources(raw: list[Json]) -> tuple[Source, ...]:
    return tuple(
        Source(number=s["number"], name=text_of(s["name"]), link=s.get("linkAsWritten") or s.get("link")) for s in raw
    )


def _case_sources(case: Json) -> tuple[Source, ...]:
    if "evidenceCount" in case:
        return tuple(Source(number=n, name=f"Source {n}") for n in range(1, case["evidenceCount"] + 1))
    if "evidence" in case:
        evidence = _truth()["evidenceObjects"].get(case["evidence"] or "")
        return _sources(evidence["sources"]) if evidence else ()
    if "result" in case:
        return _sources(case["result"]["sources"])
    return _sources(case.get("sources", [])) or (Source(number=1, name="Source 1"),) * ("removed" in case)


def expected(case: Json) -> str:
    """The original's result in the common form: `invalid` for a failed check, `refused` for evidence that it refuses."""
    name = case["name"]
    if name.startswith("count_"):
        return str(case["countEvidence"])
    if "accepted" in case:
        return "accepted"
    if name.startswith("evidence_") or (name.startswith("render_") and "error" in case):
        return "refused"
    if "error" in case or (case.get("check") and not case["check"].startswith("(not checked")):
        return "invalid"
    if name.startswith("check_"):
        return "valid"
    shown = next(case[key] for key in ("output", "wholeOutput", "rendered", "removed") if key in case)
    return _original_form(case, text_of(shown), _case_sources(case))


def _required(case: Json) -> bool:
    return bool(case.get("requiredCitations", "removed" not in case))


def _original_form(case: Json, shown: str, sources: tuple[Source, ...]) -> str:
    cited = [int(number) for number in _CITED.findall(text_of(case.get("answer")))] if _required(case) else []
    by_name = {clean_name(source.name): source for source in sources}

    def linked(anchor: re.Match[str]) -> str:
        name = clean_name(html.unescape(anchor[2]))
        return f"{{{by_name[name].number if name in by_name else '?'}|{name}|{html.unescape(anchor[1])}}}"

    shown = _ANCHOR.sub(linked, shown)
    for source in sources:
        written = _encoded(source.name.strip())
        if written and f"|{clean_name(source.name)}|" not in shown:
            # The name may stand in the answer as well: the citations are the last of them.
            parts = shown.rsplit(written, cited.count(source.number))
            shown = f"{{{source.number}|{clean_name(source.name)}|}}".join(parts)
    return shown.replace("&lt;", "<")


def _encoded(name: str) -> str:
    """.NET's HtmlEncode."""
    name = name.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    escaped = html.escape(name, quote=True).replace("&#x27;", "&#39;")
    return "".join(f"&#{ord(c)};" if 0xA0 <= ord(c) <= 0xFF or ord(c) > 0xFFFF else c for c in escaped)


def ours(case: Json) -> str:
    """Our result in the common form."""
    if case["name"].startswith("count_"):
        return str(max(evidence_blocks(text_of(case["text"])), default=0))
    if case["name"].startswith("evidence_"):
        return _accepts(case)
    sources = _case_sources(case)
    try:
        result = resolve(text_of(case.get("answer")), sources, format="text", required=_required(case))
    except InvalidRequest:
        return "refused"
    if not result.valid:
        return "invalid"
    return "valid" if case["name"].startswith("check_") else our_form(result.answer, sources)


def our_form(shown: str, sources: tuple[Source, ...]) -> str:
    for source in sources:
        name, link = clean_name(source.name), normal_link(source.link)
        written = f"{name} ({link})" if link else f"[{name}]"
        shown = shown.replace(written, f"{{{source.number}|{name}|{link or ''}}}")
    return shown.replace("&lt;", "<")


def _accepts(case: Json) -> str:
    try:
        resolve("", _sources(case["sources"]), required=False)
    except InvalidRequest:
        return "refused"
    return "accepted"


def streamed(case: Json, size: int) -> str:
    """Our joined text of the answer in pieces of `size`, each in a stream made from the last state."""
    answer, sources, required = text_of(case["answer"]), _case_sources(case), _required(case)
    stream, parts = CitationStream(sources, format="text", required=required), []
    for start in range(0, len(answer), size):
        parts.append(stream.feed(answer[start : start + size]))
        stream = CitationStream(sources, format="text", required=required, state=stream.state)
    return "".join((*parts, stream.feed("", final=True)))


def whole(case: Json) -> str:
    """Our text of the answer as one."""
    return resolve(text_of(case["answer"]), _case_sources(case), format="text", required=_required(case)).answer


def shortened(form: str) -> str:
    """The common form with the two usual citations as «1» and «2», as the table of deviations writes them."""
    first = "{1|Rated Good in March 2024.|https://reports.example.gov.uk/provider/21/999101}"
    return form.replace(first, "«1»").replace("{2|Part of a trust of 12 academies.|}", "«2»")
