"""`POST /api/answers`: searches, evidence, writer, check and citations in one call (spec 8.1)."""

from __future__ import annotations

from collections import Counter
from functools import partial

from shared.briefing import AnswerOptions, answer

from .json_body import body_as
from .long_work import away_when, is_long
from .replies import Reply
from .routes import Call, Route
from .services import Services
from .wire.answers import AnswerBody, answer_json
from .wire.search import evidence_searches


async def handle_answers(services: Services, call: Call) -> Reply:
    """A checked answer to the prompt from the evidence of the searches."""
    body: AnswerBody = call.body
    searches = await away_when(is_long(call.request), partial(evidence_searches, body.searches))
    evidence = await services.retrieval.evidence_of(searches, caller=call.caller)
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
    read=body_as(AnswerBody),
    needs=("retrieval", "model", "citations"),
)
