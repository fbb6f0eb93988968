"""Type checkers keep plain strings out of filters, as the original's compiler does: the measured lines in Python."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.retrieval.golden import golden_cases

ROOT = Path(__file__).parents[2]
HEAD = """\
from shared.retrieval import ODataFilter, Retrieval, odata

text: str = str(1)
flag: bool = bool(text)
retrieval: Retrieval = Retrieval.__new__(Retrieval)


async def searched() -> None:
"""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of code: whether pyright takes it, whether mypy does, and why it is not as the original where it is not."""

    code: str
    pyright: bool
    mypy: bool
    differs: str = ""


def _refused(code: str) -> Line:
    return Line(code, pyright=False, mypy=False)


def _built(code: str) -> Line:
    return Line(code, pyright=True, mypy=True)


def _only_pyright(code: str) -> Line:
    """A template that is no literal: mypy reads LiteralString as str."""
    return Line(code, pyright=False, mypy=True)


LINES = {
    "compile_plain_string": _refused('await retrieval.search("i", "q", filter="urn eq 1")'),
    "compile_string_variable": _refused('await retrieval.search("i", "q", filter=text)'),
    "compile_concatenated_strings": _only_pyright('odata("urn eq " + text)'),
    "compile_interpolated_plus_string_variable": _only_pyright('odata("urn eq {urn}" + text, urn=1)'),
    "compile_interpolated_plus_string_literal": Line(
        'odata("urn eq {urn}" + " and b eq 2", urn=1)',
        pyright=True,
        mypy=True,
        differs="two literals are one literal in Python",
    ),
    "compile_interpolated_plus_interpolated": _built('odata("a eq {a}" + " and b eq {b}", a=1, b=2)'),
    "compile_interpolated_without_values": _built('odata("open eq true")'),
    "compile_string_format": _only_pyright('odata("urn eq {}".format(text))'),
    "compile_raw_string_literal": _refused('await retrieval.evidence("i", "q", filter="""urn eq 1""")'),
    "compile_raw_interpolated": _built('odata("""urn eq {urn}""", urn=1)'),
    "compile_interpolated_in_a_string_variable": _only_pyright("filled: str = f'urn eq {text}'; odata(filled)"),
    "compile_interpolated_in_var": _only_pyright("other = f'urn eq {text}'; odata(other)"),
    "compile_formattable_string": _only_pyright("odata(f'urn eq {text}')"),
    "compile_cast_of_string": _refused('ODataFilter("urn eq 1")'),
    "compile_cast_of_interpolated": _built('made: ODataFilter = odata("urn eq {urn}", urn=1)'),
    "compile_conditional_two_interpolated": Line(
        'odata("a eq {a}", a=1) if flag else odata("b eq {b}", b=2)',
        pyright=True,
        mypy=True,
        differs="a conditional of two filters is a filter in Python",
    ),
    "compile_conditional_with_default": _refused('chosen: ODataFilter = odata("a eq {a}", a=1) if flag else None'),
    "compile_null": _refused("nothing: ODataFilter = None"),
    "compile_format_specifier": _only_pyright("odata(f'a eq {1.5:.2f}')"),
    "compile_alignment": _only_pyright("odata(f'a eq {1:5}')"),
    "compile_span_value": _refused('odata("a eq {a}", a=object())'),
    "compile_argument_plain_string": _refused('await retrieval.evidence("i", "q", filter="urn eq 1")'),
    "compile_argument_interpolated": _built('await retrieval.evidence("i", "q", filter=odata("urn eq {urn}", urn=5))'),
    "compile_constant_interpolated": _built('odata("a eq {n}", n="x")'),
    "compile_new_without_arguments": Line(
        "ODataFilter()", pyright=False, mypy=False, differs="a default struct is of .NET; here an absent filter is None"
    ),
}


def test_every_measured_line_has_its_counterpart() -> None:
    compiled = {case["name"]: case["compiles"] for case in golden_cases("filter") if "compiles" in case}

    assert {name for name, line in LINES.items() if not line.differs and line.pyright != compiled[name]} == set()
    assert LINES.keys() == compiled.keys()
    assert sum(bool(line.differs) for line in LINES.values()) <= 3


@pytest.mark.parametrize("checker", ["pyright", "mypy"])
def test_type_checker_takes_filters_and_refuses_strings(checker: str, tmp_path: Path) -> None:
    file = tmp_path / "snippet.py"
    file.write_text(HEAD + "".join(f"    {line.code}\n" for line in LINES.values()), encoding="utf-8")

    wrong = _pyright(file) if checker == "pyright" else _mypy(file, tmp_path)

    first = HEAD.count("\n") + 1
    refused = {name for number, name in enumerate(LINES, first) if number in wrong}
    assert min(wrong) >= first
    assert refused == {name for name, line in LINES.items() if not getattr(line, checker)}


def _pyright(file: Path) -> set[int]:
    settings = file.parent / "pyrightconfig.json"
    settings.write_text(json.dumps({"include": ["snippet.py"], "extraPaths": [str(ROOT)], "typeCheckingMode": "standard"}))
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "-p", str(settings)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=file.parent, timeout=300)
    found = json.loads(done.stdout)["generalDiagnostics"]
    return {entry["range"]["start"]["line"] + 1 for entry in found if entry["severity"] == "error"}


def _mypy(file: Path, cache: Path) -> set[int]:
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", str(cache), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=300)
    return {int(number) for number in re.findall(rf"{re.escape(file.name)}:(\d+): error", done.stdout)}
