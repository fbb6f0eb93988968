"""The original's cases that need a writer (`prompt_*`, `parallel_*`, `sequential_*`), run through answers of ours."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from shared.answers import Answer, AnswerOptions, AnswerTask, answer, answer_all
from shared.answers.model import messages_of
from shared.retrieval import Evidence, RetrievalError, Source
from tests.briefing.doubles import ScriptedWriter
from tests.truths import load_truth

LABEL = re.compile(r"^--- (.+?) Evidence (\d+) ---$", re.MULTILINE)
LINK = re.compile(r'<a href="([^"]*)"[^>]*>(.*?)</a>')
PARAGRAPH = re.compile(r"^<p>(.*)</p>$", re.DOTALL)
BRACKETED = re.compile(r"\[(Part of a trust of 12 academies\.|Second)\]")
PREFIXES = ("prompt_", "parallel_", "sequential_")
EVIDENCE_OF = {"with_sources": "two", "not_required": "two", "fails_check": "two"}


def cases() -> list[Any]:
    """The sixteen cases."""
    truth = load_truth("dfe-aisearch-golden")["groups"]["citations"]
    return [case for case in truth if case["name"].startswith(PREFIXES)]


def evidence_named(name: str) -> Evidence:
    """An evidence object of the cases as evidence of ours."""
    held = load_truth("dfe-aisearch-golden")["evidenceObjects"].get(name)
    if not held:
        return Evidence(text="")
    text = held["text"]
    if not isinstance(text, str):  # too long to be kept whole: built as it says
        text = "--- x Evidence 1 ---\n" + "a" * 200_000 + "\n\n--- x Evidence 2 ---\nb"
    sources = tuple(Source(number=source["number"], name=source["name"], link=source["link"]) for source in held["sources"])
    return Evidence(text=text, sources=sources, blocks=tuple(LABEL.split(text)[3::3]))


@dataclass
class Outcome:
    """What came out, in a form that both sides share: citations as `{number|name|link}`, and what the writer was sent."""

    output: str | None = None
    error: str | None = None
    calls: int = 0
    asked_to_cite: list[bool] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)


def expected(case: Any) -> Outcome:
    """The original's outcome."""
    sent = case.get("sentToModel", [])
    return Outcome(
        output=normal(case["output"]) if "output" in case else None,
        error="failed_checks" if "invalid answer twice" in str(case.get("error", "")) else None,
        calls=len(sent),
        asked_to_cite=["Cite the evidence" in str(messages[:2]) for messages in sent],
        rejected=[messages[-2].removeprefix("Assistant: ") for messages in sent if len(messages) > 2],
    )


async def run(case: Any) -> Outcome:
    """Ours for a `prompt_*` case."""
    own = (lambda text: "don't say Good" if "Good" in text else None) if "own_check_fails" in case["name"] else None
    if "own_check_not_required" in case["name"]:
        own = lambda text: "don't say Bad" if "Bad" in text else None  # noqa: E731
    writer = ScriptedWriter(list(case["answers"]))
    options = AnswerOptions(required=case["requiredCitations"], checks=(own,) if own else ())
    try:
        result = await answer(writer, case["prompt"], evidence_named(case["evidence"]), options)
    except RetrievalError as error:
        return Outcome(error=error.code)
    prompts = [messages_of(task)[1]["content"] for task in writer.tasks]
    return Outcome(
        output=normal(result.answer) if result.answer is not None else None,
        error=None if result.status == "completed" else result.status,
        calls=len(writer.tasks),
        asked_to_cite=["Cite the evidence" in prompt for prompt in prompts],
        rejected=[task.rejected.text for task in writer.tasks if task.rejected],
    )


async def run_all(case: Any) -> dict[str, str]:
    """Ours for a `parallel_*` case: each agent's answer or status."""
    agents = [entry["agent"] for entry in case["outputs"]]
    tasks = [
        AnswerTask(
            writer=ScriptedWriter([case["answer"]]),
            prompt="Do it",
            evidence=evidence_named(EVIDENCE_OF.get(agent, agent)),
            options=AnswerOptions(required=agent != "not_required"),
        )
        for agent in agents
    ]
    return {agent: _said(result) for agent, result in zip(agents, await answer_all(tasks), strict=True)}


def _said(result: Answer | RetrievalError) -> str:
    if isinstance(result, RetrievalError):
        return result.code
    return normal(result.answer) if result.answer is not None else result.status


def normal(text: str) -> str:
    """Without the paragraph around it, each citation as its name and link: ours has brackets where there is no link."""
    inner = PARAGRAPH.sub(r"\1", text.strip())
    linked = LINK.sub(lambda found: f"{{{found[2]}|{found[1]}}}", inner)
    return BRACKETED.sub(r"\1", linked)
