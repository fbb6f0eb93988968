"""Workspaces: one line with file and key for each mistake, defaults for what is missing, the environment over the folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from emulators.azure_search.load import LoadError
from local.proposal import create_workspace, propose_columns
from local.run import file_times
from local.stack import SAMPLE, running_stack
from local.subprocesses import LocalRunError, free_port
from local.workspace import Workspace, WorkspaceError, check_settings, local_settings, read_workspace
from tests.support.app import EMULATOR

FIELDS: list[dict[str, Any]] = [
    {"name": "id", "type": "Edm.String", "key": True},
    {"name": "title", "type": "Edm.String", "searchable": True},
    {"name": "secret", "type": "Edm.String", "searchable": False, "retrievable": False},
    {"name": "size", "type": "Edm.Int32"},
    {"name": "share", "type": "Edm.Double"},
    {"name": "open", "type": "Edm.Boolean"},
    {"name": "since", "type": "Edm.DateTimeOffset"},
    {"name": "tags", "type": "Collection(Edm.String)"},
]
INDEX: dict[str, Any] = {"name": "things", "fields": FIELDS}
NO_SECTIONS = 'name = "a"\nversion = 1\ntitle = "A"\n'
HEADER = "id,title,secret,size,share,open,since,tags\n"


def write(folder: Path, files: dict[str, Any]) -> Path:
    """A folder with these files; what is no text goes as JSON."""
    for name, value in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return folder


MISTAKES: list[tuple[str, dict[str, Any], str]] = [
    ("no JSON", {"settings.json": "{"}, "settings.json: Must be valid JSON: "),
    ("a list", {"settings.json": []}, "settings.json: Must be one JSON object: app setting → value."),
    ("index no JSON", {"indexes/things.json": "{"}, "indexes/things.json: not valid JSON."),
    ("other name", {"indexes/other.json": INDEX}, "indexes/other.json: name: Must be other, as the file is called."),
    (
        "unknown member",
        {"indexes/things.json": {**INDEX, "fields": [{**FIELDS[0], "typ": "x"}]}},
        "indexes/things.json: ",
    ),
    ("data alone", {"data/things.csv": HEADER}, "data/things.csv: Needs an index definition, indexes/things.json."),
    (
        "data twice",
        {"indexes/things.json": INDEX, "data/things.csv": HEADER, "data/things.jsonl": ""},
        "data/things.csv: Remove this file or things.jsonl; an index has one of them.",
    ),
    (
        "definition",
        {"briefings/a.toml": 'name = "a"\nversion = 1\ntitle = "A"\n'},
        "briefings/a.toml: sections: Field required",
    ),
]


@pytest.mark.parametrize(("files", "line"), [case[1:] for case in MISTAKES], ids=[case[0] for case in MISTAKES])
def test_a_mistake_is_one_line_with_file_and_key(files: dict[str, Any], line: str, tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError) as error:
        read_workspace(write(tmp_path, files))
    lines = str(error.value).splitlines()
    assert len(lines) == 1
    assert lines[0].startswith(line)


def test_all_mistakes_are_told_together(tmp_path: Path) -> None:
    write(tmp_path, {"settings.json": "{", "data/things.csv": HEADER})
    with pytest.raises(WorkspaceError) as error:
        read_workspace(tmp_path)
    assert len(str(error.value).splitlines()) == 2


def test_a_missing_folder_is_told_with_its_cure(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match=r"no such folder; `python -m local.workspace new .*` makes one"):
        read_workspace(tmp_path / "nowhere")


def complete(workspace: Workspace, environ: dict[str, str] | None = None) -> tuple[dict[str, str], list[str]]:
    """The app's settings over an empty folder of definitions."""
    own, overridden = workspace.app_settings(environ or {}, workspace.folder)
    return local_settings("http://127.0.0.1:9", EMULATOR) | own, overridden


def test_an_index_without_entry_is_served_with_its_text_fields(tmp_path: Path) -> None:
    settings, _ = complete(read_workspace(write(tmp_path, {"indexes/things.json": INDEX})))
    entry = {"Name": "things", "ContentFields": ["id", "title", "tags"], "KeyField": "id"}
    found = json.loads(settings["AiAgents__AISearch__Indexes"])
    assert [{key: found[0][key] for key in entry}] == [entry]
    assert "secret" not in found[0]["SearchFields"]
    check_settings(settings, {})


def test_an_entry_of_the_workspace_stays_as_it_is(tmp_path: Path) -> None:
    entry = {"name": "things", "ContentFields": ["title"]}
    files = {"indexes/things.json": INDEX, "settings.json": {"AiAgents__AISearch__Indexes": [entry]}}
    settings, _ = complete(read_workspace(write(tmp_path, files)))
    assert json.loads(settings["AiAgents__AISearch__Indexes"]) == [entry]


def test_the_environment_wins_and_is_told(tmp_path: Path) -> None:
    write(tmp_path, {"settings.json": {"AiAgents__MaxConcurrentRequests": 7, "AiAgents__AISearch__TimeoutSeconds": 9}})
    settings, overridden = complete(read_workspace(tmp_path), {"AIAGENTS__MAXCONCURRENTREQUESTS": "5", "PATH": "/bin"})
    assert overridden == ["AiAgents__MaxConcurrentRequests"]
    assert {name: value for name, value in settings.items() if "concurrent" in name.lower()} == {
        "AIAGENTS__MAXCONCURRENTREQUESTS": "5"
    }
    assert settings["AiAgents__AISearch__TimeoutSeconds"] == "9"


@pytest.mark.parametrize(("environ", "place"), [({}, "settings.json"), ({"AiAgents__Model__Scop": "x"}, "environment")])
def test_a_setting_that_the_app_refuses_is_told_with_its_place(environ: dict[str, str], place: str, tmp_path: Path) -> None:
    write(tmp_path, {"settings.json": {"AiAgents__Model__Scop": "x"}, "indexes/things.json": INDEX})
    settings, _ = complete(read_workspace(tmp_path), environ)
    with pytest.raises(WorkspaceError, match=rf"^{place}: AiAgents__Model__Scop: \S[^\n]*$"):
        check_settings(settings, environ)


def test_the_sample_is_a_workspace_that_the_app_takes() -> None:
    workspace = read_workspace(SAMPLE)
    assert [index.name for index in workspace.indexes] == ["inspections", "schools", "trusts"]
    check_settings(complete(workspace)[0], {})


def test_cells_become_values_of_the_fields_types(tmp_path: Path) -> None:
    rows = HEADER + '007,"a, ""b""",,12,1.5,TRUE,2020-01-31,"[""x""]"\n8,,,,,,,\n'
    workspace = read_workspace(write(tmp_path, {"indexes/things.json": INDEX, "data/things.csv": rows}))
    first, second = workspace.indexes[0].documents()
    assert first == {
        "id": "007",
        "title": 'a, "b"',
        "secret": None,
        "size": 12,
        "share": 1.5,
        "open": True,
        "since": "2020-01-31T00:00:00Z",
        "tags": ["x"],
    }
    assert second == {"id": "8"} | dict.fromkeys(list(first)[1:])


CELLS = [
    ("id,size\n1,2.5\n", "things.csv, line 2, column size: Must be an integer."),
    ("id,share\n1,nan\n", "things.csv, line 2, column share: Must be a number."),
    ("id,open\n1,yes\n", "things.csv, line 2, column open: Must be true or false."),
    ("id,since\n1,2020-01-31T10:00:00\n", "things.csv, line 2, column since: Must be a date such as 2020-01-31"),
    ("id,tags\n1,x\n", "things.csv, line 2, column tags: Must be JSON"),
    ("id,colour\n1,red\n", "things.csv, line 1, column colour: Not a field of the index things."),
    ("id,id\n1,2\n", "things.csv, line 1: Must name each column once."),
    ("id,title\n1\n", "things.csv, line 2: Must have 2 cells; it has 1."),
    ('id,title\n1,"a"b\n', "things.csv, line 2: not valid CSV: "),
]


@pytest.mark.parametrize(("text", "line"), CELLS, ids=[case[1][:60] for case in CELLS])
def test_a_wrong_cell_is_told_with_line_and_column(text: str, line: str, tmp_path: Path) -> None:
    workspace = read_workspace(write(tmp_path, {"indexes/things.json": INDEX, "data/things.csv": text}))
    with pytest.raises(LoadError) as error:
        list(workspace.indexes[0].documents())
    assert str(error.value).startswith(line)


TYPES = [
    (["1", "20"], "Edm.Int32"),
    (["1", "3000000000"], "Edm.Int64"),
    (["1", "2.5"], "Edm.Double"),
    (["01632 1", "2"], "Edm.String"),
    (["007", "8"], "Edm.String"),
    (["true", "False"], "Edm.Boolean"),
    (["2020-01-31", "2021-01-01T10:00:00Z"], "Edm.DateTimeOffset"),
    (["", "5"], "Edm.Int32"),
    (["", ""], "Edm.String"),
]


@pytest.mark.parametrize(("values", "kind"), TYPES, ids=[f"{'|'.join(values)}" for values, _ in TYPES])
def test_types_are_proposed_from_all_values(values: list[str], kind: str, tmp_path: Path) -> None:
    rows = "".join(f"{place},{value}\n" for place, value in enumerate(values))
    data = write(tmp_path, {"x.csv": f"id,value\n{rows}"}) / "x.csv"
    assert propose_columns(data)[1].type == kind


def test_a_proposal_is_a_workspace_that_the_app_takes(tmp_path: Path) -> None:
    rows = "Ref,label_name,page\nA-1,First,https://example.org/1\nA-2,First,https://example.org/2\n"
    create_workspace(tmp_path / "own", write(tmp_path, {"My Things.csv": rows}) / "My Things.csv")
    workspace = read_workspace(tmp_path / "own")
    settings, _ = complete(workspace)
    check_settings(settings, {})
    entry = json.loads(settings["AiAgents__AISearch__Indexes"])[0]
    assert [entry[key] for key in ("Name", "KeyField", "NameField", "LinkField")] == [
        "my-things",
        "Ref",
        "label_name",
        "page",
    ]
    assert 'filter = "Ref eq {ref}"' in (tmp_path / "own/briefings/my-things-profile.toml").read_text(encoding="utf-8")


def test_no_workspace_is_made_over_something_or_without_a_key(tmp_path: Path) -> None:
    data = write(tmp_path, {"x.csv": "a,b\n1,2\n1,2\n"}) / "x.csv"
    with pytest.raises(LocalRunError, match="Must be a new or an empty folder"):
        create_workspace(tmp_path)
    with pytest.raises(LoadError, match="No field can be the key"):
        create_workspace(tmp_path / "new", data)
    assert not (tmp_path / "new").exists()


def test_a_change_is_seen(tmp_path: Path) -> None:
    before = file_times(write(tmp_path, {"settings.json": {}}))
    write(tmp_path, {"briefings/a.toml": ""})
    assert set(file_times(tmp_path)) - set(before) == {tmp_path / "briefings/a.toml"}


@pytest.mark.slow
async def test_a_new_workspace_is_served_to_a_finished_briefing(tmp_path: Path) -> None:
    create_workspace(tmp_path / "own")
    said: list[str] = []
    async with running_stack(free_port(), said.append, folder=tmp_path / "own") as stack, aiohttp.ClientSession() as session:
        async with session.get(f"{stack.app}/health/ready") as reply:
            assert reply.status == 200, await reply.text()
        body = {"briefings": [{"id": "one", "briefing": "libraries-profile", "parameters": {"id": "2"}}]}
        async with session.post(f"{stack.app}/briefings", json=body) as reply:
            assert reply.status == 202, await reply.text()
        status = ""
        while status not in ("completed", "failed", "no_evidence", "failed_checks"):
            async with session.get(f"{stack.app}/briefings/one") as reply:
                status = (await reply.json())["status"]
        async with session.get(f"{stack.app}/briefings/one?format=text") as reply:
            page = await reply.text()
    assert status == "completed"
    assert "A library in a former school" in page
    assert "loaded libraries: 2 documents" in said
