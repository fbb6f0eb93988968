"""`POST /api/answers`: searches, evidence, writer, check and citations in one call."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from shared.answers import AnswerOptions, answer
from shared.retrieval import EvidenceSearch

from .json import body_as
from .requests import Request
from .responses import Reply
from .routes import Call, Route
from .schemas.answers import AnswerBody, answer_json
from .schemas.search import evidence_searches
from .services import Services


class AnswerCall(NamedTuple):
    """A body and its searches."""

    body: AnswerBody
    searches: list[EvidenceSearch]


def read_answer(request: Request) -> AnswerCall:
    """The body of an answer request with its filters built."""
    body: AnswerBody = body_as(AnswerBody)(request)
    return AnswerCall(body, evidence_searches(body.searches))


async def handle_answers(services: Services, call: Call) -> Reply:
    """A checked answer to the prompt from the evidence of the searches."""
    asked: AnswerCall = call.body
    body = asked.body
    evidence = await services.retrieval.evidence_of(asked.searches, caller=call.caller)
    options = AnswerOptions(
        required=body.required,
        format=body.format,
        check_figures=body.check_figures,
        allowed_hosts=services.settings.allowed_link_hosts,
    )
    with services.signals.span("answer", kept=len(evidence.sources)) as span:
        made = await answer(await services.writer(), body.prompt, evidence, options)
        span.set(
            outcome=made.status,
            writer=made.writer.kind,
            attempt=made.tries,
            valid=made.valid,
            problems=len(made.problems) + made.more_problems,
            characters=len(made.text or ""),
        )
    for code, times in Counter(problem.code for problem in made.problems).items():
        services.signals.count("app.citations.problems", times, problem=code)
    return Reply(body=answer_json(made))


ANSWERS = Route(
    name="answers",
    handle=handle_answers,
    read=read_answer,
    needs=("retrieval", "model", "citations"),
)
