"""Makes a workspace from a bare CSV or JSONL file: proposes the types of its fields, the key, the name and the link.

A proposal is a start: a person edits `indexes/<name>.json` and `settings.json` before anything rests on them.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emulators.azure_search.load import LoadError, read_documents

from .csv_documents import FLAGS, INTEGER, parse_date, read_rows
from .subprocesses import LocalRunError

KEY = re.compile(r"[A-Za-z0-9_=-]+")
NUMBER = re.compile(r"-?\d+\.\d+")
LINK = re.compile(r"https?://\S+")
SMALLEST_INT32, LARGEST_INT32 = -(2**31), 2**31 - 1
ASKED_FIELDS = 12
EXAMPLE = """\
id,title,body,opened,url
1,Harbour Library,"A small library by the harbour, open on six days; it lends boats' charts.",1931-05-02,https://libraries.example.org/1
2,Hill Library,"A library in a former school; its reading room has a telescope.",1968-09-14,https://libraries.example.org/2
"""
DEFINITION = """\
# A briefing of one document of {index}. Add sections, searches and parameters; raise `version` with each change.
name = "{dashed}-profile"
version = 1
title = "Profile"

[parameters.{parameter}]
type = "string"
description = "The key of the document."

[[sections]]
name = "overview"
title = "Overview"
prompt = "{prompt}"

[[sections.searches]]
index = "{index}"
filter = "{field} eq {{{parameter}}}"
size = 5
"""


@dataclass(frozen=True, slots=True)
class Column:
    """A field as proposed. `unique` tells that each document has its own value, usable as a key."""

    name: str
    type: str
    unique: bool
    link: bool


def create_workspace(folder: Path, data: Path | None = None) -> list[str]:
    """Writes a workspace into a new or empty folder; returns lines that tell a person what was proposed.

    Raises LocalRunError or LoadError, and writes nothing then.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise LocalRunError(f"{folder}: Must be a new or an empty folder.")
    if data is not None and data.suffix not in (".csv", ".jsonl"):
        raise LocalRunError(f"{data}: Must be a .csv or .jsonl file.")
    name = "libraries" if data is None else _index_name(data.stem)
    with tempfile.TemporaryDirectory() as scratch:
        source = _write_example(Path(scratch)) if data is None else data
        columns = propose_columns(source)
        entry = propose_entry(name, columns)
        definition = {"name": name, "fields": [_field(column, entry["KeyField"]) for column in columns]}
        for part in ("indexes", "data", "briefings"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, folder / "data" / f"{name}{source.suffix}")
    _write_json(folder / "indexes" / f"{name}.json", definition)
    _write_json(folder / "settings.json", {"AiAgents__AISearch__Indexes": [entry]})
    _write_briefing(folder / "briefings", name, entry)
    shown = [f"  {member}: {entry[member]}" for member in ("KeyField", "NameField", "LinkField") if member in entry]
    return [f"{folder}: index {name} with {len(columns)} fields", *shown, f"Next: make serve WORKSPACE={folder}"]


def _write_example(folder: Path) -> Path:
    path = folder / "libraries.csv"
    path.write_text(EXAMPLE, encoding="utf-8")
    return path


def _write_briefing(folder: Path, index: str, entry: Mapping[str, Any]) -> None:
    key = entry["KeyField"]
    asked = [field.replace("_", " ") for field in entry["ContentFields"] if field != key][:ASKED_FIELDS]
    prompt = f"What are the {', '.join(asked)} of the record?" if asked else "Summarise the record."
    words = re.sub("[-_]+", "-", index).strip("-")
    dashed = words if words[0].isalpha() else f"index-{words}"
    text = DEFINITION.format(index=index, dashed=dashed, field=key, parameter=key.lower(), prompt=prompt)
    (folder / f"{dashed}-profile.toml").write_text(text, encoding="utf-8")


def propose_columns(data: Path) -> list[Column]:
    """The fields of a data file, by all its values. Raises LoadError."""
    values: dict[str, list[Any]] = {}
    rows = list(_rows(data))
    for row in rows:
        for field, value in row.items():
            values.setdefault(field, []).extend([] if value in (None, "") else [value])
    if not rows:
        raise LoadError(f"{data.name}: Must hold at least one document.")
    for field in values:
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,127}", field):
            raise LoadError(f"{data.name}, column {field}: A field name starts with a letter; letters, digits and _ follow.")
    return [_propose_column(field, found, len(rows)) for field, found in values.items()]


def propose_entry(index: str, columns: list[Column]) -> dict[str, Any]:
    """The settings entry of an index. Raises LoadError where no field can be the key."""
    key = next((column for column in columns if column.unique and not column.link), None)
    if key is None:
        raise LoadError(
            "No field can be the key. Add one with a different text in each document: letters, digits, _, - and = only."
        )
    texts = [column for column in columns if column.type == "Edm.String" and not column.link]
    name = _first_of(texts, ("name", "title")) or next((column for column in texts if column != key), key)
    link = next((column for column in columns if column.link), None)
    return {
        "Name": index,
        "ContentFields": [column.name for column in columns if not column.link],
        "NameField": name.name,
        **({"LinkField": link.name} if link else {}),
        "KeyField": key.name,
        "SearchFields": [column.name for column in columns if column in texts or column == key],
    }


def _first_of(columns: list[Column], words: Iterable[str]) -> Column | None:
    found = [column for word in words for column in columns if word in column.name.lower().split("_")]
    return found[0] if found else None


def _rows(data: Path) -> Iterable[Mapping[str, Any]]:
    return (row for _, row in read_rows(data)) if data.suffix == ".csv" else read_documents(data)


def _propose_column(name: str, values: list[Any], count: int) -> Column:
    texts = [value for value in values if isinstance(value, str)]
    unique = len(texts) == count and len(set(texts)) == count and all(KEY.fullmatch(text) for text in texts)
    link = bool(values) and len(texts) == len(values) and all(LINK.fullmatch(text) for text in texts)
    return Column(name, _type_of(values) if values else "Edm.String", unique, link)


def _type_of(values: list[Any]) -> str:
    if all(isinstance(value, list) and all(isinstance(member, str) for member in value) for value in values):
        return "Collection(Edm.String)"
    if any(isinstance(value, dict | list) for value in values):
        return "Edm.ComplexType"
    if all(_is_date(value) for value in values):
        return "Edm.DateTimeOffset"
    if all(isinstance(value, bool) or (isinstance(value, str) and value.strip().lower() in FLAGS) for value in values):
        return "Edm.Boolean"
    shown = ["true" if isinstance(value, bool) else str(value).strip() for value in values]
    # A leading zero belongs to a code, such as a telephone number, not to a quantity.
    if all(INTEGER.fullmatch(text) and not re.match(r"-?0\d", text) for text in shown):
        small = all(SMALLEST_INT32 <= int(text) <= LARGEST_INT32 for text in shown)
        return "Edm.Int32" if small else "Edm.Int64"
    if all(NUMBER.fullmatch(text) or INTEGER.fullmatch(text) for text in shown) and not any(
        re.match(r"-?0\d", text) for text in shown
    ):
        return "Edm.Double"
    return "Edm.String"


def _is_date(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        parse_date(value.strip())
    except ValueError:
        return False
    return True


def _field(column: Column, key: str) -> dict[str, Any]:
    if column.type == "Edm.ComplexType":
        raise LoadError(f"column {column.name}: Objects need an index definition of your own; write it by hand.")
    # A key is a text in the search service, also where it looks like a number.
    kind = "Edm.String" if column.name == key else column.type
    text = kind in ("Edm.String", "Collection(Edm.String)")
    return {
        "name": column.name,
        "type": kind,
        **({"key": True} if column.name == key else {}),
        "searchable": text and not column.link,
        "filterable": not column.link,
        "sortable": not column.link and not column.type.startswith("Collection("),
        "facetable": not column.link and column.name != key,
    }


def _index_name(stem: str) -> str:
    """An index name as the service takes it: lower case, letters and digits with single dashes."""
    name = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-")[:128]
    return name or "documents"


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
