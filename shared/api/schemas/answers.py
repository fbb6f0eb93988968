"""Bodies of `/api/answers`."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from shared.answers import Answer, Usage, Writer
from shared.retrieval import MAX_SEARCHES, Source

from .base import Body, Query
from .citations import Format, citation_json, citation_problem_json
from .search import EvidenceSearchBody, source_json


class AnswerBody(Body):
    """Body of `POST /api/answers`."""

    prompt: Query
    searches: Annotated[list[EvidenceSearchBody], Field(min_length=1, max_length=MAX_SEARCHES)]
    required: bool = True
    format: Format = "html"
    check_figures: bool = False


def answer_json(answer: Answer) -> dict[str, Any]:
    """The reply of `/api/answers`: an answer that failed its checks is only in `uncheckedAnswer`."""
    reply: dict[str, Any] = {
        "status": answer.status,
        "answer": answer.answer,
        "valid": answer.valid,
        "citations": [citation_json(citation) for citation in answer.citations],
        "sources": sources_json(answer.sources, frozenset(citation.number for citation in answer.citations)),
        "problems": [citation_problem_json(problem) for problem in answer.problems],
        "writer": writer_json(answer.writer),
        "usage": usage_json(answer.usage),
    }
    if answer.more_problems:
        reply["moreProblems"] = answer.more_problems
    return reply if answer.unchecked_answer is None else reply | {"uncheckedAnswer": answer.unchecked_answer}


def sources_json(sources: tuple[Source, ...], cited: frozenset[int]) -> list[dict[str, Any]]:
    """Sources with whether the text cites them."""
    return [source_json(source) | {"cited": source.number in cited} for source in sources]


def writer_json(writer: Writer) -> dict[str, Any]:
    """Who wrote: the kind, and the model when it was one."""
    return {"kind": writer.kind} | ({} if writer.model is None else {"model": writer.model})


def usage_json(usage: Usage | None) -> dict[str, int] | None:
    """Tokens as the model counted them."""
    return None if usage is None else {"inputTokens": usage.input_tokens, "outputTokens": usage.output_tokens}
