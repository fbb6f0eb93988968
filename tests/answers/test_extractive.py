"""The extractive writer: the right line for questions in natural words, deterministic, and cited."""

from __future__ import annotations

import html
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.answers import Draft, ExtractiveWriter, Task
from shared.answers.extractive import extract
from shared.answers.literal import escape_markdown, unescape_markdown
from shared.retrieval import Evidence, Source, resolve
from tests.briefing.doubles import evidence_from, sample
from tests.support.counted_work import is_linear


def text_of(prompt: str, evidence: Evidence, **members: Any) -> str:
    """What is written, as a reader of plain text sees it."""
    return unescape_markdown(extract(Task(prompt=prompt, evidence=evidence, **members)).text)


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
        pytest.param("合唱团", evidence_from([{"name": "学校", "text": "学校有一个合唱团。"}]), ["合唱团"], id="chinese"),
    ],
)
def test_picked_lines(prompt: str, evidence: Evidence, lines: list[str]) -> None:
    text = text_of(prompt, evidence)
    for line in lines:
        assert line in text
    assert "[Evidence " in text


def test_look_alike_schools_are_told_apart_by_the_longer_name() -> None:
    schools = [
        {"name": "Holy Trinity CofE Primary School, NW3", "town": "A"},
        {"name": "Holy Trinity CofE Primary School", "town": "B"},
    ]
    for school, number in zip(schools, (1, 2), strict=True):
        text = text_of(f"In which town is {school['name']}?", evidence_from(schools))
        assert text == f"town: {school['town']} [Evidence {number}]"


def test_without_required_citations_nothing_is_cited() -> None:
    text = text_of("Who was the inspector?", INSPECTIONS, required=False)
    assert "Ravi Patel" in text
    assert "[Evidence" not in text


def test_a_synthesis_keeps_the_markers_of_its_sections() -> None:
    material = (
        "## First\n- name: A [Evidence 1]\n- number_on_roll: 3 [Evidence 1]\n\n## Second\n- number_on_roll: 5 [Evidence 2]"
    )
    text = text_of("Compare the number on roll.", INSPECTIONS, material=material)
    assert text == "- number_on_roll: 3 [Evidence 1]\n- number_on_roll: 5 [Evidence 2]"


def test_a_synthesis_takes_something_of_each_section_and_of_each_document_in_it() -> None:
    lines = [f"- {field} [Evidence {n}]" for n in (1, 2) for field in (f"date: 202{n}", f"outcome: Good {n}")]
    first = "\n".join(("## Outcomes", *lines))
    material = f"{first}\n\n## Focus\nSafeguarding is weak. [Evidence 3]\n\n## Other\nNothing fits. [Evidence 4]"
    text = text_of("Summarise the outcomes and safeguarding.", INSPECTIONS, material=material)
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
    text = text_of(f"Who is the headteacher of {school['name']}?", evidence)
    assert text == f"headteacher: {school['headteacher']} [Evidence 3]"


HOTELS = evidence_from(
    [
        {
            "hotelName": "Secret Point",
            "description": "Located on the main road of the city. Free Wi-Fi is included. The pool was refurbished in 2019.",
            "address/city": "New York",
            "address/postalCode": "10022",
            "Room rate [1]": 129.5,
            "rating": 3.6,
            "parkingIncluded": False,
            "lastRenovationDate": "1970-01-18T05:00:00Z",
            "phoneNumber": "01632 960123",
        },
        {"hotelName": "Old Town Inn", "address/city": "Boston", "Room rate [1]": 80, "rating": 4.1, "parkingIncluded": True},
    ],
    "hotels",
    "hotelName",
)
SCHOOL = evidence_from(
    [
        {
            "name": "Oakfield Primary School",
            "phase": "Primary",
            "town": "Harrowby",
            "headteacher": "Jo Byrne",
            "headteacher_email": "jo@example.org",
            "number_on_roll": 398,
            "percentage_free_school_meals": 12,
            "open_date": "1998-09-01T00:00:00Z",
            "is_open": True,
            "formula": "2*3*4 __init__ ~~~ `x` [y](z)",
        }
    ]
)
ANSWERED = [
    (HOTELS, "Which city is Secret Point in?", ["address/city: New York"]),
    (HOTELS, "What is the room rate at Old Town Inn?", ["Room rate [1]: 80"]),
    (HOTELS, "Is parking included at Old Town Inn?", ["parkingIncluded: true"]),
    (HOTELS, "What is the phone number of Secret Point?", ["phoneNumber: 01632 960123"]),
    (HOTELS, "When was Secret Point last renovated?", ["lastRenovationDate: 1970-01-18T05:00:00Z"]),
    (HOTELS, "When was the pool refurbished?", ["The pool was refurbished in 2019."]),
    (HOTELS, "rating and city of Secret Point", ["address/city: New York", "rating: 3.6"]),
    (HOTELS, "Which hotels are in Boston?", ["hotelName: Old Town Inn"]),
    (SCHOOL, "Is Oakfield a primary school?", ["phase: Primary"]),
    (SCHOOL, "Is Oakfield in Harrowby?", ["town: Harrowby"]),
    (SCHOOL, "Is Oakfield open?", ["is_open: true"]),
    (SCHOOL, "When did it open?", ["open_date: 1998-09-01T00:00:00Z"]),
    (SCHOOL, "Who is the headteacher of Oakfield?", ["headteacher: Jo Byrne"]),
    (SCHOOL, "What is the name of the headteacher?", ["headteacher: Jo Byrne"]),
    (SCHOOL, "What is the formula?", ["formula: 2*3*4 __init__ ~~~ `x` [y](z)"]),
]


@pytest.mark.parametrize(("evidence", "prompt", "lines"), ANSWERED, ids=[row[1] for row in ANSWERED])
def test_what_is_asked_for_and_nothing_else(evidence: Evidence, prompt: str, lines: list[str]) -> None:
    given = [line.removeprefix("- ").rpartition(" [Evidence ")[0] for line in text_of(prompt, evidence).splitlines()]
    assert given == lines


UNANSWERED = [
    (HOTELS, "Does Secret Point have a gym?"),
    (HOTELS, "How many rooms does Secret Point have?"),
    (HOTELS, "Which hotel has the best rating?"),
    (HOTELS, "What is the check-in time at Secret Point?"),
    (HOTELS, "What is the star rating of Secret Point?"),
    (SCHOOL, "What is the phone number of Oakfield?"),
    (SCHOOL, "What is the Ofsted rating of Oakfield?"),
    (SCHOOL, "Who was the headteacher of Oakfield in 1950?"),
    (SCHOOL, "What is the town of Elmwood Primary School?"),
    (SCHOOL, "Is Oakfield in Bath?"),
    (SCHOOL, "Is Oakfield a secondary school?"),
    (SCHOOL, "What is the capital of France?"),
    (SCHOOL, "Why did Oakfield open?"),
    (SCHOOL, "Oakfield Primary School"),
    (SCHOOL, "?"),
    (REPORT, "What does the report say about swimming?"),
    (REPORT, "Who is the head?"),
]


@pytest.mark.parametrize(("evidence", "prompt"), UNANSWERED, ids=[row[1] for row in UNANSWERED])
def test_what_the_evidence_does_not_tell_is_not_answered(evidence: Evidence, prompt: str) -> None:
    draft = extract(Task(prompt=prompt, evidence=evidence))
    assert (draft.text, draft.answered) == ("", False)


def test_what_no_line_tells_is_named_beside_an_answer() -> None:
    draft = extract(Task(prompt="What are the town, fax number and headteacher of Oakfield?", evidence=SCHOOL))
    assert draft.text.splitlines() == ["- town: Harrowby [Evidence 1]", "- headteacher: Jo Byrne [Evidence 1]"]
    assert draft.not_told == ("fax number",)


@given(st.text(alphabet=st.characters(blacklist_categories=("Cs", "Cc", "Cn", "Zl", "Zp"))))
def test_literal_text_is_shown_as_it_is(text: str) -> None:
    flat = " ".join(text.split())
    escaped = escape_markdown(flat)
    assert unescape_markdown(escaped) == flat
    shown = resolve(f"{escaped} [Evidence 1]", [Source(number=1, name="S")], format="html").answer
    assert html.unescape(shown) == f"<p>{flat} [S]</p>\n" or not flat


@pytest.mark.parametrize("prompt", ["What is the value?", "Which town is School 77 in?", "What about the weather?"])
def test_work_grows_with_the_evidence(prompt: str) -> None:
    def written(hits: list[dict[str, Any]]) -> Draft:
        return extract(Task(prompt=prompt, evidence=evidence_from(hits)))

    hits = [{"name": f"School {n}", "town": f"Town {n}", "text": "Word by word. " * 35} for n in range(240)]
    assert is_linear(written, hits[:60], hits)
