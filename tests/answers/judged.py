"""Judged questions over the schools data and the sample: what a right answer gives, and what nothing tells.

Questions about fields are made from the phrasings below and schools drawn by a seed; those about running text were written
by hand over the sample's inspection reports. `HELD` and `FRESH` were asked when the writer was made. At the first asking
177 and 138 of 200 were right, and 97 and 95 of 100 rightly unanswered; what was added after them are everyday verbs and
words, no phrase of a question.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shared.retrieval import Evidence
from tests.briefing.doubles import evidence_from, sample, shown
from tests.truths import school_lines


@dataclass(frozen=True)
class Judged:
    """A question over evidence. `lines` are all that a right answer holds; without any the question is not answered.

    `spare` more lines may stand beside them.
    """

    prompt: str
    evidence: Evidence
    lines: frozenset[str]
    spare: int = 0

    def is_right(self, text: str) -> bool:
        """Whether an answer is right; an empty one says that the evidence does not tell."""
        given = {line.removeprefix("- ") for line in text.splitlines()}
        if not self.lines:
            return not given
        return self.lines <= given and len(given - self.lines) <= self.spare


ONE_FIELD: Mapping[str, Sequence[str]] = {
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
ONE_FIELD_HELD: Mapping[str, Sequence[str]] = {
    "town": ("{name} is in which town?", "Can you tell me where {name} is located?"),
    "postcode": ("I need the postcode for {name}", "postcode of {name}"),
    "local_authority_name": ("Name the local authority of {name}.", "Under which council does {name} fall?"),
    "establishment_type": ("What sort of school is {name}?", "type of establishment, {name}"),
    "number_on_roll": ("What is {name}'s total number of pupils?", "Number of pupils at {name}?"),
    "girls_on_roll": ("girls on roll at {name}", "Please give me the count of girls at {name}."),
    "boys_on_roll": ("How many of the pupils at {name} are boys?", "boys on roll, {name}"),
    "percentage_free_school_meals": ("free school meals percentage of {name}", "How many percent get free meals at {name}?"),
    "percentage_sen_support": ("SEN support percentage, {name}", "What share of {name}'s pupils get SEN support?"),
    "percentage_english_not_first_language": ("What is the EAL percentage of {name}?",),
    "open_date": ("What is the opening date of {name}?", "open date of {name}"),
    "is_lead_school": ("Is {name} designated as a lead school?",),
    "urn": ("URN of {name}?", "Which URN does {name} have?"),
}
ONE_FIELD_FRESH: Mapping[str, Sequence[str]] = {
    "town": ("What is the town for {name}?", "In which town does {name} lie?"),
    "postcode": ("Could I have {name}'s postcode?", "Look up the post code of {name}"),
    "local_authority_name": (
        "Who is the responsible local authority of {name}?",
        "To which local authority does {name} report?",
    ),
    "establishment_type": ("{name} is what type of establishment?", "Is there a type recorded for {name}?"),
    "number_on_roll": ("How many pupils does {name} have?", "How many students are enrolled at {name}?"),
    "girls_on_roll": ("How many girls go to {name}?", "How many female students does {name} have?"),
    "boys_on_roll": ("What is the count of boys at {name}?", "How many boys study at {name}?"),
    "percentage_free_school_meals": ("What proportion of {name}'s pupils receive free school meals?",),
    "percentage_sen_support": ("What is the percentage of pupils on SEN support at {name}?",),
    "open_date": ("Since when has {name} been open?", "When was {name} established?"),
    "urn": ("What unique reference number does {name} have?", "Give the URN for {name}"),
}
PHRASES: Mapping[str, Sequence[str]] = {
    "town": ("town",),
    "postcode": ("postcode", "postal code"),
    "local_authority_name": ("local authority", "council"),
    "establishment_type": ("type of school", "type"),
    "number_on_roll": ("number on roll", "number of pupils"),
    "girls_on_roll": ("number of girls", "girls on roll"),
    "boys_on_roll": ("number of boys", "boys on roll"),
    "percentage_free_school_meals": ("percentage of free school meals", "share of pupils with free school meals"),
    "percentage_sen_support": ("percentage of SEN support",),
    "open_date": ("opening date",),
    "urn": ("URN",),
}
SEVERAL = (
    "What are the {list} of {name}?",
    "Give me the {list} of {name}.",
    "Please tell me {name}'s {list}.",
    "For {name}: {list}",
    "I need to know the {list} for {name}",
)
NOT_TOLD = (
    "What is the phone number of {name}?",
    "What is {name}'s Ofsted rating?",
    "What is the email address of {name}?",
    "Who is the headteacher of {name}?",
    "Who was the headteacher of {name} in 1950?",
    "What is the capital of France?",
    "How many teachers work at {name}?",
    "What is the capacity of {name}?",
    "Does {name} have a swimming pool?",
    "What is the religious character of {name}?",
    "When did {name} close?",
    "Who chairs the governors of {name}?",
    "What is the budget of {name}?",
    "How many pupils at {name} have a laptop?",
    "Which exam board does {name} use?",
    "What is the uniform of {name}?",
    "What is the attendance rate at {name}?",
    "Why was {name} founded?",
    "Which school has the most pupils?",
    "How many pupils did {name} have in 1987?",
    "What is the postcode of Zzyzx Priory School?",
    "How is the weather in {town}?",
    "What is the average class size at {name}?",
    "Is {name} a boarding school?",
)
NOT_TOLD_HELD = (
    "What is the fax number of {name}?",
    "How was {name} rated by inspectors?",
    "Which sports are taught at {name}?",
    "What is the website of {name}?",
    "Who founded {name}?",
    "How many classrooms does {name} have?",
    "What is the term start date at {name}?",
    "How many girls at {name} play football?",
    "What percentage of teachers at {name} get free school meals?",
    "What percentage of pupils at {name} passed mathematics?",
    "Who is the mayor of {town}?",
    "Which is the largest school?",
    "Translate the name of {name} into Welsh.",
    "What is 17 times 23?",
    "Was {name} better in 2019 than in 2018?",
    "How many pupils will {name} have next year?",
    "What is the postcode of Ambleforth Hall Academy?",
    "Can parents park at {name}?",
    "What is the age range of {name}?",
    "Write a poem about the sea.",
)
NOT_TOLD_FRESH = (
    "Who is the deputy head of {name}?",
    "What are the opening hours of {name}?",
    "How far is {name} from the station?",
    "What was the number on roll of {name} in 2005?",
    "How many applications did {name} receive?",
    "Does {name} have a nursery?",
    "What is the gender policy of {name}?",
    "Which trust does {name} belong to?",
    "What percentage of pupils at {name} are persistently absent?",
    "What are the GCSE results of {name}?",
    "Is {name} near the sea?",
    "How old is the building of {name}?",
    "Which language is taught at {name}?",
    "Who owns {name}?",
    "What is the admission number of {name}?",
    "How many siblings attend {name}?",
    "Which is the best school?",
    "What is the telephone number for {name}?",
    "Who is the prime minister?",
    "Give me the recipe for an apple pie.",
)
TEXT = (
    ("I002", "How do pupils read?", "Pupils read well by the end of Year 2."),
    ("I002", "What does the report say about attendance?", "Attendance is above the national average."),
    ("I004", "Were there safeguarding concerns?", "There were safeguarding concerns at the time of the visit"),
    ("I004", "How is mathematics taught?", "Teaching of mathematics is strong."),
    ("I006", "What is said about music?", "Behaviour is calm and music is a strength."),
    ("I006", "Do governors know the school?", "Governors know the school well."),
    ("I008", "What do older pupils lead?", "Older pupils lead worship and look after younger ones."),
    (
        "I010",
        "Tell me about the geography curriculum.",
        "The curriculum in geography is new",
    ),
    ("I014", "How good is the unit for hearing-impaired pupils?", "The unit for hearing-impaired pupils is excellent."),
    ("I014", "What does the report say about staff turnover?", "Staff turnover has been high."),
    ("I016", "What happened to the laboratories?", "After the flood the school rebuilt its laboratories."),
    ("I018", "When does careers advice start?", "Careers advice is thorough and starts in Year 7."),
    ("I020", "How regularly is homework set in languages?", "Homework is set less regularly in languages"),
    ("I022", "What do families praise?", "Families praise the speech therapy."),
    ("I024", "Has the school closed?", "The school has since closed."),
    ("I026", "Is phonics taught consistently?", "Phonics is taught consistently."),
    ("I026", "What is said about outdoor space?", "Outdoor space for the youngest children is limited."),
    ("I028", "How many languages do pupils speak?", "Pupils speak two languages confidently."),
    ("I030", "What do pupils build and race?", "Pupils build and race an electric car."),
    ("I030", "How much time do art and drama have?", "Art and drama have little time on the timetable."),
    ("I032", "Was the plan for pupils with special needs out of date?", "The published plan for pupils with special needs"),
    ("I034", "What does the breakfast club do?", "The breakfast club helps many pupils to arrive on time."),
    ("I036", "What do leaders check?", "Leaders check the quality of work placements."),
    ("I038", "Is debating a strength?", "Debating is a strength of the school."),
    ("I040", "Who works with the boat builder?", "Students value the work with the boat builder."),
    ("I042", "What is the kitchen garden used for?", "The kitchen garden is used to teach science."),
    ("I044", "Why was pastoral care strengthened?", "Pastoral care has been strengthened since the last visit"),
    ("I046", "Where do most pupils return to?", "Most pupils return to a mainstream school within a year."),
)
TEXT_NOT_TOLD = (
    "What does the report say about swimming?",
    "Who is the chair of governors?",
    "How many pupils sit A levels?",
    "Is there a sixth form?",
    "What does the report say about the school's finances?",
    "How many books does the library hold?",
    "Does the school offer Latin?",
    "Which trust runs the school?",
    "What is the lunch menu?",
    "Who painted the Mona Lisa?",
    "What happened in 1972?",
    "How large is the playground?",
    "Which buses stop at the school?",
    "What do parents pay for school trips?",
    "How are ICT lessons organised?",
    "When was the gym built?",
    "Why did the deputy head resign?",
    "What is the pupil to teacher ratio?",
    "Is the chemistry teacher qualified?",
    "Which awards has the choir won?",
)


def one_field(seed: int, questions: Mapping[str, Sequence[str]] = ONE_FIELD) -> Iterator[Judged]:
    """200 questions about a field of one of one, three or ten schools."""
    chance, made = random.Random(seed), 0
    while made < 200:
        schools, place = _drawn(chance)
        wanted = chance.choice(list(questions))
        if schools[place][wanted] is None:
            continue
        question = chance.choice(questions[wanted]).format(name=schools[place]["name"])
        yield Judged(question, evidence_from(schools), frozenset([_line(schools[place], wanted, place)]))
        made += 1


def several_fields(seed: int) -> Iterator[Judged]:
    """100 questions about two to six fields of a school."""
    chance = random.Random(seed)
    for _ in range(100):
        schools, place = _drawn(chance)
        school = schools[place]
        told = [name for name in PHRASES if school[name] is not None]
        wanted = chance.sample(told, chance.randint(2, min(6, len(told))))
        phrases = [chance.choice(PHRASES[name]) for name in wanted]
        joined = f"{', '.join(phrases[:-1])} and {phrases[-1]}"
        question = chance.choice(SEVERAL).format(list=joined, name=school["name"])
        yield Judged(question, evidence_from(schools), frozenset(_line(school, name, place) for name in wanted))


def not_told(seed: int, questions: Sequence[str] = NOT_TOLD) -> Iterator[Judged]:
    """100 questions that no field tells."""
    chance = random.Random(seed)
    for number in range(100):
        schools, place = _drawn(chance)
        school = schools[place]
        question = questions[number % len(questions)].format(name=school["name"], town=school["town"])
        yield Judged(question, evidence_from(schools), frozenset())


def running_text() -> Iterator[Judged]:
    """Questions that a sentence of a report answers; one more sentence may stand beside it."""
    reports = {report["id"]: report for report in sample("inspections")}
    for report, prompt, sentence in TEXT:
        evidence = _report(reports[report])
        [line] = [text for text in _sentences(reports[report]["body"]) if text.startswith(sentence)]
        yield Judged(prompt, evidence, frozenset([f"{line} [Evidence 1]"]), spare=1)


def text_not_told() -> Iterator[Judged]:
    """Questions that no sentence of a report answers."""
    reports = [report for report in sample("inspections") if report["id"] in {row[0] for row in TEXT}]
    for number, prompt in enumerate(TEXT_NOT_TOLD * 5):
        yield Judged(prompt, _report(reports[number % len(reports)]), frozenset())


def _report(report: Mapping[str, Any]) -> Evidence:
    return evidence_from([{"title": report["title"], "body": report["body"]}], "inspections", "title")


def _sentences(text: str) -> list[str]:
    return [f"{sentence.rstrip('.')}." for sentence in text.split(". ")]


def _drawn(chance: random.Random) -> tuple[list[dict[str, Any]], int]:
    """Schools of which one is asked about; no other has its name."""
    schools = [json.loads(line) for line in school_lines()]
    while True:
        drawn = chance.sample(schools, chance.choice((1, 3, 10)))
        place = chance.randrange(len(drawn))
        if sum(other["name"] == drawn[place]["name"] for other in drawn) == 1:
            return drawn, place


def _line(school: Mapping[str, Any], field: str, place: int) -> str:
    return f"{field}: {shown(school[field])} [Evidence {place + 1}]"
