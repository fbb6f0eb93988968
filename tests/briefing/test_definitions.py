"""Definitions: read from TOML, refused with file, key and reason, their parameters typed."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from shared.briefing import DefinitionsBroken, load_definitions
from shared.briefing.definitions import Definitions, fill_text, read_definition
from shared.briefing.parameters import Parameter, check_parameters
from shared.retrieval import UnknownName
from tests.briefing.doubles import INDEXES, SAMPLE, sample

GOOD = """
name = "test"
version = 1
title = "Test"

[parameters.urn]
type = "string"

[[sections]]
name = "one"
title = "One"
prompt = "What of {urn}?"

[[sections.searches]]
index = "schools"
query = "{urn}"
filter = "urn eq {urn}"
"""


def _written(folder: Path, text: str, name: str = "test.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_the_shipped_definitions_are_sound_and_read_sample_indexes() -> None:
    definitions = load_definitions()
    assert definitions.problems == ()
    assert {item.name for item in definitions.items} >= {"school-profile", "inspection-summary", "school-comparison"}
    assert {index for item in definitions.items for index in item.indexes} <= {index.name for index in INDEXES}


def test_shipped_filters_name_fields_of_the_sample_data() -> None:
    for definition in load_definitions().items:
        values = definition.values(
            {"urn": "900001", "first_urn": "900001", "second_urn": "900002", "since": "2020-01-01T00:00:00Z", "focus": "x"}
        )
        for search in (search for section in definition.sections for search in section.searches):
            built = search.fill_filter(values)
            assert built is not None
            words = set(built.text.replace("(", " ").split())
            assert words & sample(search.index)[0].keys()
    assert SAMPLE.exists()


def test_a_good_file_is_a_definition(tmp_path: Path) -> None:
    definition, problems = read_definition(_written(tmp_path, GOOD))
    assert problems == ()
    assert definition is not None
    assert (definition.name, definition.version, definition.indexes) == ("test", 1, ("schools",))
    search = definition.sections[0].searches[0]
    values = definition.values({"urn": "o'x {urn}"})
    assert search.fill_query(values) == "o'x {urn}"
    built = search.fill_filter(values)
    assert built is not None
    assert built.text == "urn eq 'o''x {urn}'"
    assert definition.schema == {
        "type": "object",
        "properties": {"urn": {"type": "string", "minLength": 1, "maxLength": 1000}},
        "required": ["urn"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("change", "key", "reason"),
    [
        (("version = 1", "version = 0"), "version", "greater than or equal to 1"),
        (("version = 1", 'version = "1"'), "version", "valid integer"),
        (("version = 1", ""), "version", "required"),
        (('title = "Test"', 'title = " "'), "title", "match pattern"),
        (('name = "test"', 'name = "Test X"'), "name", "match pattern"),
        (('name = "test"', 'name = "other"'), "name", "file's name must begin"),
        (('type = "string"', 'type = "text"'), "parameters.urn.type", "Input should be"),
        (('type = "string"', 'type = "string"\ndefault = 5'), "parameters.urn.default", "must be a text"),
        (('type = "string"', 'type = "string"\nsize = 5'), "parameters.urn.size", "not permitted"),
        (("[parameters.urn]", "[parameters.Urn]"), "parameters.Urn", "match pattern"),
        (('prompt = "What of {urn}?"', 'prompt = "What of {other}?"'), "sections[0].prompt", "{other} is no parameter"),
        (('prompt = "What of {urn}?"', 'prompt = "What of {Urn}?"'), "sections[0].prompt", "{Urn} is no parameter"),
        (('query = "{urn}"', 'query = "{x}"'), "sections[0].searches[0].query", "{x} is no parameter"),
        (('filter = "urn eq {urn}"', 'filter = "urn eq {x}"'), "sections[0].searches[0].filter", "{x} is no parameter"),
        (('filter = "urn eq {urn}"', "filter = \"urn eq '{urn}'\""), "sections[0].searches[0].filter", "outside quotes"),
        (('filter = "urn eq {urn}"', 'filter = "urn = {urn}"'), "sections[0].searches[0].filter", ""),
        (('filter = "urn eq {urn}"', 'filter = "urn in {urn}"'), "sections[0].searches[0].filter", "list"),
        (('filter = "urn eq {urn}"', ""), "sections[0].searches[0]", "unfiltered = true"),
        (
            ('filter = "urn eq {urn}"', 'filter = "urn eq {urn}"\nunfiltered = true'),
            "sections[0].searches[0]",
            "unfiltered = true",
        ),
        (('filter = "urn eq {urn}"', 'filter = "urn eq {urn}"\nsize = 0'), "sections[0].searches[0].size", "1"),
        (('name = "one"', 'name = "one"\nextra = 1'), "sections[0].extra", "not permitted"),
        (("[[sections.searches]]", "[[sections.searchess]]"), "sections[0].searches", "required"),
        (("[[sections]]", "[[sections"), "", "is not TOML"),
    ],
)
def test_a_mistake_is_named_by_file_key_and_reason(tmp_path: Path, change: tuple[str, str], key: str, reason: str) -> None:
    assert change[0] in GOOD
    _, problems = read_definition(_written(tmp_path, GOOD.replace(change[0], change[1], 1)))
    assert problems
    assert any(problem.path == f"test.toml: {key}" and reason in problem.message for problem in problems), problems


def test_sections_and_synthesis_are_checked_too(tmp_path: Path) -> None:
    doubled = GOOD + GOOD[GOOD.index("[[sections]]") :] + '\n[synthesis]\ntitle = "S"\nprompt = "{none}"\n'
    _, problems = read_definition(_written(tmp_path, doubled))
    assert {problem.path for problem in problems} == {"test.toml: sections", "test.toml: synthesis.prompt"}


def test_an_unfiltered_search_says_so(tmp_path: Path) -> None:
    definition, problems = read_definition(_written(tmp_path, GOOD.replace('filter = "urn eq {urn}"', "unfiltered = true")))
    assert problems == ()
    assert definition is not None
    assert definition.sections[0].searches[0].fill_filter({"urn": "1"}) is None


def test_versions_stand_beside_each_other_and_a_version_twice_is_a_problem(tmp_path: Path) -> None:
    _written(tmp_path, GOOD)
    _written(tmp_path, GOOD.replace("version = 1", "version = 2"), "test-2.toml")
    definitions = load_definitions(tmp_path)
    assert definitions.problems == ()
    assert definitions.newest("test").version == 2
    first = definitions.exactly("test", 1)
    assert first is not None
    assert definitions.exactly("test", 3) is None
    assert [item.version for item in definitions.listed()] == [2, 1]
    _written(tmp_path, GOOD, "test-3.toml")
    assert "defined twice" in load_definitions(tmp_path).problems[0].message


def test_a_bad_file_stops_submissions_but_not_the_reading_of_others(tmp_path: Path) -> None:
    _written(tmp_path, GOOD)
    _written(tmp_path, "x", "bad.toml")
    definitions = load_definitions(tmp_path)
    assert definitions.exactly("test", 1) is not None
    with pytest.raises(DefinitionsBroken, match="definition is wrong") as raised:
        definitions.newest("test")
    assert raised.value.problems[0].path.startswith("bad.toml")


def test_an_unknown_name_is_unknown() -> None:
    with pytest.raises(UnknownName, match="no briefing of this name") as raised:
        Definitions(()).newest("x")
    assert raised.value.code == "unknown_definition"


TEXT = Parameter(name="p", type="string", pattern="[a-z]+", max_length=5)
CHOICE = Parameter(name="p", type="string", allowed=("a", "b"))
FREE = Parameter(name="p", type="string", required=False, default="")
WHOLE = Parameter(name="p", type="integer", minimum=1, maximum=9)
BROKEN = Parameter(name="p", type="number", maximum=1.5)
FLAG = Parameter(name="p", type="boolean")
DATE = Parameter(name="p", type="date-time")
LIST = Parameter(name="p", type="string-list", max_length=3)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        (TEXT, "abc"),
        (CHOICE, "a"),
        (FREE, ""),
        (WHOLE, 9),
        (BROKEN, 1),
        (BROKEN, -0.5),
        (FLAG, False),
        (DATE, "2020-01-01T00:00:00Z"),
        (DATE, "2020-01-01T00:00:00+02:00"),
        (LIST, []),
        (LIST, ["a", "bcd"]),
    ],
)
def test_values_of_the_right_type(parameter: Parameter, value: Any) -> None:
    assert check_parameters((parameter,), {"p": value}, "$") == ()


@pytest.mark.parametrize(
    ("parameter", "value", "reason"),
    [
        (TEXT, "ABC", "form that the definition"),
        (TEXT, "abcdef", "at most 5 characters"),
        (TEXT, "", "must not be blank"),
        (TEXT, " ", "must not be blank"),
        (TEXT, 5, "must be a text"),
        (TEXT, None, "must be a text"),
        (TEXT, "a\n", "form"),
        (Parameter(name="p", type="string"), "a\x00", "control characters"),
        (Parameter(name="p", type="string"), "\ud800", "half characters"),
        (CHOICE, "c", "one of the texts"),
        (WHOLE, 1.0, "whole number"),
        (WHOLE, True, "whole number"),
        (WHOLE, "1", "whole number"),
        (WHOLE, 0, "at least 1"),
        (WHOLE, 10, "at most 9"),
        (WHOLE, 2**70, "whole number"),
        (BROKEN, 1.6, "at most 1.5"),
        (BROKEN, float("nan"), "must be a number"),
        (BROKEN, float("inf"), "must be a number"),
        (BROKEN, 10**400, "must be a number"),
        (BROKEN, True, "must be a number"),
        (FLAG, "true", "true or false"),
        (FLAG, 1, "true or false"),
        (DATE, "2020-01-01", "date and time with a zone"),
        (DATE, "2020-01-01T00:00:00", "zone"),
        (DATE, "2020-01-01T00:00:00+23:59", "at most 14 hours"),
        (DATE, "2020-01-01T00:00:00-14:01", "at most 14 hours"),
        (DATE, "2020-01-01T00:00:00+00:00:30", "whole minutes"),
        (DATE, "soonT", "date and time"),
        (DATE, 5, "date and time"),
        (LIST, "a", "list of texts"),
        (LIST, ["abcd"], "entry that must have at most 3"),
        (LIST, [1], "entry that must be a text"),
        (LIST, ["a"] * 101, "at most 100 entries"),
    ],
)
def test_values_of_a_wrong_type(parameter: Parameter, value: Any, reason: str) -> None:
    [problem] = check_parameters((parameter,), {"p": value}, "$.parameters")
    assert (problem.path, problem.code) == ("$.parameters.p", "invalid_parameter")
    assert reason in problem.message


def test_schemas_of_all_types() -> None:
    assert WHOLE.schema() == {"type": "integer", "minimum": 1, "maximum": 9}
    assert FLAG.schema() == {"type": "boolean"}
    assert DATE.schema() == {"type": "string", "format": "date-time"}
    assert LIST.schema() == {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 3}, "maxItems": 100}
    assert CHOICE.schema()["enum"] == ["a", "b"]
    assert FREE.schema() == {"type": "string", "maxLength": 1000, "default": ""}


def test_values_in_texts_are_put_in_once() -> None:
    values = {"a": "{b}", "b": True, "c": ["x", "y"], "d": 1.5, "e": datetime(2020, 1, 1, tzinfo=UTC)}
    assert fill_text("{a} {b} {c} {d} {e} {} { a }", values) == "{b} true x, y 1.5 2020-01-01T00:00:00+00:00 {} { a }"
