"""The model planner: what the model is asked, what plans are taken, and what an unreadable one is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from shared.answers import ModelIncomplete
from shared.answers.planner import ModelPlanner, queries_of
from shared.answers.writer import Draft, Usage
from shared.retrieval import MessageImage, MessageText, RetrieveMessage


class Model:
    """Says `text` and remembers what it was asked."""

    def __init__(self, text: str, usage: Usage | None = None) -> None:
        self.draft = Draft(text, usage)
        self.messages: list[dict[str, Any]] = []

    async def complete(self, messages: Sequence[dict[str, Any]]) -> Draft:
        self.messages = list(messages)
        return self.draft


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"queries": ["pets", "pet fees"]}', ("pets", "pet fees")),
        ('["pets"]', ("pets",)),
        ('```json\n{"queries": ["pets"]}\n```', ("pets",)),
        ('  {"queries": [" pets ", " "]}  ', ("pets",)),
        ('{"queries": []}', ()),
    ],
)
def test_plans(text: str, expected: tuple[str, ...]) -> None:
    assert queries_of(text) == expected


@pytest.mark.parametrize(
    "text",
    ["pets, pet fees", "", "{}", '{"queries": "pets"}', '{"queries": [1]}', "null", "5", '{"queries": ["a"', "[" * 100_000],
)
def test_a_plan_that_is_not_the_json_asked_for_has_a_name(text: str) -> None:
    with pytest.raises(ModelIncomplete, match="plan is not the JSON") as caught:
        queries_of(text)
    assert caught.value.code == "plan_unreadable"


async def test_the_conversation_goes_to_the_model_and_its_figures_come_back() -> None:
    model = Model('{"queries": ["a", "b", "c"]}', Usage(824, 36))
    messages = [
        RetrieveMessage(role="assistant", content=(MessageText("Hello."),)),
        RetrieveMessage(role="user", content=(MessageText("Is this"), MessageImage("https://x.example/a.png"))),
    ]
    plan = await ModelPlanner(model, takes_images=True).plan(messages, 2)
    assert (plan.queries, plan.input_tokens, plan.output_tokens) == (("a", "b"), 824, 36)
    system, *said = model.messages
    assert system["role"] == "system"
    assert "at most 2" in system["content"]
    assert said == [
        {"role": "assistant", "content": "Hello."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Is this"},
                {"type": "image_url", "image_url": {"url": "https://x.example/a.png"}},
            ],
        },
    ]


async def test_figures_that_are_not_known_stay_unknown() -> None:
    plan = await ModelPlanner(Model("[]")).plan([RetrieveMessage(role="user", content=(MessageText("a"),))], 3)
    assert (plan.queries, plan.input_tokens, plan.output_tokens) == ((), None, None)


def test_images_are_taken_only_where_it_was_said() -> None:
    assert not ModelPlanner(Model("[]")).takes_images
