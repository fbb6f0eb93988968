"""`POST /api/answers`: searches, evidence, writer, check and citations in one call (spec 8.1)."""

from __future__ import annotations

from functools import partial

from shared.briefing import AnswerOptions, answer

from .json_body import read_model
from .replies import Reply
from .routes import Call, Route
from .services import Services
from .wire.answers import AnswerBody, answer_json
from .wire.search import evidence_searches


async def handle_answers(services: Services, call: Call) -> Reply:
    """A checked answer to the prompt from the evidence of the searches."""
    body: AnswerBody = call.body
    evidence = await services.retrieval.evidence_of(evidence_searches(body.searches), caller=call.caller)
    options = AnswerOptions(
        required=body.required,
        format=body.format,
        check_figures=body.check_figures,
        allowed_hosts=services.settings.allowed_link_hosts,
    )
    return Reply(body=answer_json(await answer(await services.writer(), body.prompt, evidence, options)))


ANSWERS = Route(
    name="answers",
    handle=handle_answers,
    parse=partial(read_model, model=AnswerBody),
    needs=("retrieval", "model", "citations"),
)
