"""The extractive writer: the right line for questions in natural words, deterministic, and cited."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.answers import ExtractiveWriter, Task
from shared.answers.extractive import extract
from shared.retrieval import Evidence
from tests.briefing.doubles import evidence_from, sample, shown
from tests.truths import school_lines

QUESTIONS: Mapping[str, Sequence[str]] = {
    "town": ("Which town is {name} in?", "Where is {name}?", "In what town or city would I find {name}?"),
    "postcode": ("What is the postcode of {name}?", "Tell me {name}'s postal code"),
    "local_authority_name": (
        "Which local authority is responsible for {name}?",
        "Which council runs {name}?",
        "What local authority does {name} belong to?",
    ),
    "establishment_type": ("What type of school is {name}?", "What kind of establishment is {name}?"),
    "number_on_roll": (
        "How many pupils are on roll at {name}?",
        "How many students attend {name}?",
        "What is the number on roll of {name}?",
        "How big is {name}?",
        "How many children go to {name}?",
    ),
    "girls_on_roll": ("How many girls are there at {name}?", "What is the number of female pupils at {name}?"),
    "boys_on_roll": ("How many boys attend {name}?", "How many male students are on roll at {name}?"),
    "percentage_free_school_meals": (
        "What percentage of pupils at {name} get free school meals?",
        "What share of the children at {name} are eligible for free meals?",
        "What is the FSM rate of {name}?",
    ),
    "percentage_sen_support": (
        "What percentage of pupils have SEN support at {name}?",
        "What proportion of pupils at {name} have special educational needs?",
    ),
    "percentage_english_not_first_language": (
        "What percentage of pupils at {name} do not have English as their first language?",
        "What share of pupils at {name} speak English as an additional language?",
    ),
    "open_date": ("When did {name} open?", "On what date was {name} opened?", "When was {name} founded?"),
    "is_lead_school": ("Is {name} a lead school?",),
    "urn": ("What is the URN of {name}?", "What is the unique reference number of {name}?"),
}


def _asked(seed: int) -> Iterator[tuple[str, Evidence, str]]:
    """200 questions about single fields: question, evidence of one to ten schools, and the line that answers it."""
    schools = [json.loads(line) for line in school_lines()]
    chance = random.Random(seed)
    made = 0
    while made < 200:
        shown_schools = chance.sample(schools, chance.choice((1, 3, 10)))
        place = chance.randrange(len(shown_schools))
        school, wanted = shown_schools[place], chance.choice(list(QUESTIONS))
        namesakes = sum(other["name"] == school["name"] for other in shown_schools)
        if school[wanted] is None or namesakes > 1:
            continue
        question = chance.choice(QUESTIONS[wanted]).format(name=school["name"])
        line = f"{wanted}: {shown(school[wanted])} [Evidence {place + 1}]"
        yield question, evidence_from(shown_schools), line
        made += 1


@pytest.mark.parametrize("seed", [1, 2])
def test_the_right_line_answers_a_question_about_a_field(seed: int) -> None:
    answers = [(extract(Task(prompt=question, evidence=evidence)), line) for question, evidence, line in _asked(seed)]
    right = sum(answer == line for answer, line in answers)
    print(f"right line alone: {right} of {len(answers)}")
    assert right >= 190


INSPECTIONS = evidence_from(
    [
        {
            "id": "I1",
            "school_name": "A School",
            "date": "2019-03-13T00:00:00Z",
            "outcome": "Good",
            "inspector": "Ravi Patel",
        },
        {"id": "I2", "school_name": "A School", "date": "2024-11-02T00:00:00Z", "outcome": "Poor", "inspector": "Jo Byrne"},
    ],
    "inspections",
    "id",
)
REPORT = evidence_from(
    [
        {
            "title": "Report",
            "body": "Leaders have raised expectations across the school. Pupils read well by the end of Year 2. "
            "Safeguarding records were not kept up to date, and the head has changed how concerns are logged.",
        }
    ],
    "inspections",
    "title",
)


@pytest.mark.parametrize(
    ("prompt", "evidence", "lines"),
    [
        pytest.param(
            "What were the date and outcome of each inspection?",
            INSPECTIONS,
            [
                "date: 2019-03-13T00:00:00Z [Evidence 1]",
                "outcome: Good [Evidence 1]",
                "date: 2024-11-02T00:00:00Z [Evidence 2]",
                "outcome: Poor [Evidence 2]",
            ],
            id="several fields of each block",
        ),
        pytest.param("Who was the inspector?", INSPECTIONS, ["Ravi Patel", "Jo Byrne"], id="a person"),
        pytest.param(
            "What does the report say about safeguarding?",
            REPORT,
            ["Safeguarding records were not kept up to date, and the head has changed how concerns are logged."],
            id="a sentence of prose",
        ),
        pytest.param("Summarise.", REPORT, ["Leaders have raised expectations across the school."], id="no word fits"),
        pytest.param("学校在哪里", evidence_from([{"name": "学校", "town": "北京"}]), ["学校"], id="chinese"),
    ],
)
def test_picked_lines(prompt: str, evidence: Evidence, lines: list[str]) -> None:
    text = extract(Task(prompt=prompt, evidence=evidence))
    for line in lines:
        assert line in text
    assert "[Evidence " in text


def test_look_alike_schools_are_told_apart_by_the_longer_name() -> None:
    schools = [
        {"name": "Holy Trinity CofE Primary School, NW3", "town": "A"},
        {"name": "Holy Trinity CofE Primary School", "town": "B"},
    ]
    for school, number in zip(schools, (1, 2), strict=True):
        text = extract(Task(prompt=f"In which town is {school['name']}?", evidence=evidence_from(schools)))
        assert text == f"town: {school['town']} [Evidence {number}]"


def test_without_required_citations_nothing_is_cited() -> None:
    text = extract(Task(prompt="Who was the inspector?", evidence=INSPECTIONS, required=False))
    assert "Ravi Patel" in text
    assert "[Evidence" not in text


def test_a_synthesis_keeps_the_markers_of_its_sections() -> None:
    material = (
        "## First\n- name: A [Evidence 1]\n- number_on_roll: 3 [Evidence 1]\n\n## Second\n- number_on_roll: 5 [Evidence 2]"
    )
    text = extract(Task(prompt="Compare the number on roll.", evidence=INSPECTIONS, material=material))
    assert text == "- number_on_roll: 3 [Evidence 1]\n- number_on_roll: 5 [Evidence 2]"


def test_a_synthesis_takes_something_of_each_section_and_of_each_document_in_it() -> None:
    lines = [f"- {field} [Evidence {n}]" for n in (1, 2) for field in (f"date: 202{n}", f"outcome: Good {n}")]
    first = "\n".join(("## Outcomes", *lines))
    material = f"{first}\n\n## Focus\nSafeguarding is weak. [Evidence 3]\n\n## Other\nNothing fits. [Evidence 4]"
    text = extract(Task(prompt="Summarise the outcomes and safeguarding.", evidence=INSPECTIONS, material=material))
    assert text.splitlines() == [
        "- outcome: Good 1 [Evidence 1]",
        "- outcome: Good 2 [Evidence 2]",
        "- Safeguarding is weak. [Evidence 3]",
        "- Nothing fits. [Evidence 4]",
    ]


async def test_the_stream_is_the_whole_text() -> None:
    task = Task(prompt="What were the date and outcome of each inspection?", evidence=INSPECTIONS)
    writer = ExtractiveWriter()
    pieces = [draft.text async for draft in writer.stream(task)]
    assert len(pieces) == 4
    assert "".join(pieces) == (await writer.write(task)).text


async def test_long_evidence_is_read_in_a_thread_with_the_same_answer() -> None:
    many = evidence_from(
        [{"name": f"School {number}", "town": f"Town {number}", "text": "word " * 10} for number in range(400)]
    )
    draft = await ExtractiveWriter().write(Task(prompt="In which town is School 123?", evidence=many))
    assert draft.text == "town: Town 123 [Evidence 124]"


@given(st.text(max_size=200), st.lists(st.dictionaries(st.text(min_size=1, max_size=20), st.text(max_size=200)), max_size=4))
def test_any_prompt_over_any_evidence_gives_the_same_text_twice(prompt: str, documents: list[dict[str, Any]]) -> None:
    task = Task(prompt=prompt, evidence=evidence_from(documents))
    assert extract(task) == extract(task)


def test_sample_questions() -> None:
    evidence = evidence_from(sample("schools"))
    school = sample("schools")[2]
    text = extract(Task(prompt=f"Who is the headteacher of {school['name']}?", evidence=evidence))
    assert text == f"headteacher: {school['headteacher']} [Evidence 3]"
