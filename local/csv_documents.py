"""Reads the documents of a CSV file; the index definition gives the type of each column.

The file is UTF-8 with one header line and commas, quoted as in RFC 4180. A blank cell is `null`; a list is a JSON list.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

from emulators.azure_search.load import LoadError
from emulators.azure_search.schema.definition import IndexDefinition
from emulators.azure_search.schema.fields import Field

INTEGERS = ("Edm.Int32", "Edm.Int64", "Edm.Int16", "Edm.SByte", "Edm.Byte")
NUMBERS = ("Edm.Double", "Edm.Single")
FLAGS = {"true": True, "false": False}
INTEGER = re.compile(r"-?\d{1,19}", re.ASCII)


def read_rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Each row with the number of its last line. Raises LoadError with file and line."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            reader = csv.reader(file, strict=True)
            header = [name.strip() for name in next(reader, [])]
            if len(set(header)) != len(header) or not all(header):
                raise LoadError(f"{path.name}, line 1: Must name each column once.")
            for row in reader:
                if row and len(row) != len(header):
                    raise LoadError(
                        f"{path.name}, line {reader.line_num}: Must have {len(header)} cells; it has {len(row)}."
                    )
                if row:
                    yield reader.line_num, dict(zip(header, row, strict=True))
        except UnicodeDecodeError:
            raise LoadError(f"{path.name}: Must be UTF-8; save it as “CSV UTF-8”.") from None
        except csv.Error as error:
            raise LoadError(f"{path.name}, line {reader.line_num}: not valid CSV: {error}.") from None


def read_csv(path: Path, definition: IndexDefinition) -> Iterator[dict[str, Any]]:
    """The documents of a file. Raises LoadError with file, line and column."""
    fields = {field.name: field for field in definition.fields}
    for line, row in read_rows(path):
        unknown = next((name for name in row if name not in fields), None)
        if unknown is not None:
            raise LoadError(f"{path.name}, line 1, column {unknown}: Not a field of the index {definition.name}.")
        document = {}
        for name, cell in row.items():
            try:
                document[name] = parse_cell(cell, fields[name])
            except ValueError as error:
                raise LoadError(f"{path.name}, line {line}, column {name}: {error}") from None
        yield document


def parse_cell(cell: str, field: Field) -> Any:
    """The value of a cell by the type of its field. Raises ValueError."""
    text = cell.strip()
    if not text:
        return None
    if field.collection or field.complex:
        try:
            return json.loads(text)
        except ValueError:
            raise ValueError('Must be JSON, such as ["a", "b"].') from None
    if field.type in INTEGERS:
        if not INTEGER.fullmatch(text):
            raise ValueError("Must be an integer.")
        return int(text)
    if field.type in NUMBERS:
        return _parse_number(text)
    if field.type == "Edm.Boolean":
        if text.lower() not in FLAGS:
            raise ValueError("Must be true or false.")
        return FLAGS[text.lower()]
    return parse_date(text) if field.type == "Edm.DateTimeOffset" else cell


def _parse_number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError("Must be a number.")
    return number


def parse_date(text: str) -> str:
    """A date, or a date-time with a zone, in ISO 8601; a date becomes its midnight in UTC. Raises ValueError."""
    try:
        if len(text) == len("2020-01-31"):
            return f"{date.fromisoformat(text).isoformat()}T00:00:00Z"
        if datetime.fromisoformat(text).tzinfo is not None:
            return text
    except ValueError:
        pass
    raise ValueError("Must be a date such as 2020-01-31, or a date-time with a zone such as 2020-01-31T12:00:00Z.")
