"""Reads a workspace: a folder with one's own settings, indexes, documents and briefing definitions.

    settings.json          one object: app setting → value; a list or object counts as its JSON text
    indexes/<name>.json    an index definition as the search service takes it
    data/<name>.jsonl      its documents, or data/<name>.csv
    briefings/*.toml       briefing definitions

Each part may be missing. `python -m local.workspace new FOLDER [--from data.csv]` makes one to start from.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emulators.azure_search.errors import ServiceError
from emulators.azure_search.load import LoadError, read_documents, read_index
from emulators.azure_search.schema.definition import IndexDefinition, read_definition
from shared.briefing import load_definitions
from shared.settings import load_settings

from .csv_documents import read_csv
from .subprocesses import LocalRunError

INDEXES = "AiAgents__AISearch__Indexes"
ENDPOINT = "AiAgents__AISearch__Endpoint"
DEFINITIONS = "AiAgents__Briefings__DefinitionsFolder"
SETTINGS_FILE = "settings.json"


class WorkspaceError(LocalRunError):
    """A workspace cannot be served; the text has one line for each mistake, with file and key."""


@dataclass(frozen=True, slots=True)
class WorkspaceIndex:
    """An index of a workspace: its definition, and the file of its documents, if there is one."""

    definition: IndexDefinition
    data: Path | None

    @property
    def name(self) -> str:
        """The name that callers use."""
        return self.definition.name

    def documents(self) -> Iterator[dict[str, Any]]:
        """The documents as the search service takes them. Raises LoadError with file and line."""
        if self.data is None:
            return iter(())
        return read_csv(self.data, self.definition) if self.data.suffix == ".csv" else read_documents(self.data)

    def default_entry(self) -> dict[str, Any]:
        """The settings entry of an index that has none: all its text fields are content."""
        fields = [field for field in self.definition.by_path.values() if not field.fields and not field.vector]
        texts = [field.path for field in fields if field.element == "Edm.String" and field.retrievable]
        words = [field.path for field in fields if field.searchable]
        return {
            "Name": self.name,
            "ContentFields": texts,
            "KeyField": self.definition.key.path,
            **({"SearchFields": words} if words else {}),
        }


@dataclass(frozen=True, slots=True)
class Workspace:
    """What a folder holds. `settings` are texts, as the app reads them."""

    folder: Path
    settings: Mapping[str, str]
    indexes: tuple[WorkspaceIndex, ...]

    def app_settings(self, environ: Mapping[str, str], no_definitions: Path) -> tuple[dict[str, str], list[str]]:
        """The app's settings, and the names of those in which `environ` overrides the workspace.

        `no_definitions` is an empty folder: what is offered where the workspace names no briefing definitions.
        """
        own = {name: value for name, value in environ.items() if is_app_setting(name)}
        names = {name.lower() for name in own}
        kept = {name: value for name, value in self._complete(no_definitions).items() if name.lower() not in names}
        overridden = sorted(name for name in self.settings if name.lower() in names)
        return kept | own, overridden

    def _complete(self, no_definitions: Path) -> dict[str, str]:
        settings = dict(self.settings)
        briefings = self.folder / "briefings"
        settings.setdefault(DEFINITIONS, str(briefings.resolve() if briefings.is_dir() else no_definitions))
        numbered = any(name.lower().startswith(f"{INDEXES}__".lower()) for name in settings)
        entries = [] if numbered else _read_entries(settings.get(INDEXES, "[]"))
        if entries is not None and not numbered:
            named = {str(value) for entry in entries for key, value in entry.items() if key.lower() == "name"}
            entries += [index.default_entry() for index in self.indexes if index.name not in named]
            settings[INDEXES] = json.dumps(entries)
        return settings


def is_app_setting(name: str) -> bool:
    """Whether a variable of the environment is a setting of the app."""
    return name.lower().startswith(("aiagents__", "briefingstorage"))


def settings_as_text(settings: Mapping[str, Any]) -> dict[str, str]:
    """The values as an app setting holds them; a JSON `null` counts as absent."""
    values = {name: value for name, value in settings.items() if value is not None}
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in values.items()}


def local_settings(search: str, storage: str) -> dict[str, str]:
    """The settings of every local run: the search service's address, and the emulator's connection string."""
    return {
        ENDPOINT: search,
        "AiAgents__Auth__Mode": "open",
        "BriefingStorage": storage,
        "AzureWebJobsStorage": storage,
        "FUNCTIONS_WORKER_RUNTIME": "python",
    }


def read_workspace(folder: Path) -> Workspace:
    """The workspace in a folder. Raises WorkspaceError with every mistake that can be found without running it."""
    if not folder.is_dir():
        raise WorkspaceError(f"{folder}: there is no such folder; `python -m local.workspace new {folder}` makes one.")
    mistakes: list[str] = []
    settings = _read_settings(folder / SETTINGS_FILE, mistakes)
    indexes = _read_indexes(folder, mistakes)
    if (folder / "briefings").is_dir():
        problems = load_definitions(folder / "briefings").problems
        mistakes += [f"briefings/{problem.path}: {problem.message}" for problem in problems]
    if mistakes:
        raise WorkspaceError("\n".join(mistakes))
    return Workspace(folder, settings, indexes)


def check_settings(settings: Mapping[str, str], environ: Mapping[str, str]) -> None:
    """Raises WorkspaceError with one line for each setting that the app would refuse, with the place it comes from."""
    own = {name.lower() for name in environ}
    problems = load_settings(settings).problems
    lines = []
    for problem in problems:
        overridden = any(problem.setting.lower().startswith(name) for name in own if is_app_setting(name))
        lines.append(f"{'environment' if overridden else SETTINGS_FILE}: {problem.setting}: {problem.message}")
    if lines:
        raise WorkspaceError("\n".join(lines))


def _read_settings(path: Path, mistakes: list[str]) -> dict[str, str]:
    if not path.is_file():
        return {}
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        mistakes.append(f"{path.name}: Must be valid JSON: {error}.")
        return {}
    if not isinstance(settings, dict):
        mistakes.append(f"{path.name}: Must be one JSON object: app setting → value.")
        return {}
    return settings_as_text(settings)


def _read_entries(text: str) -> list[dict[str, Any]] | None:
    """The entries of the index setting; None where it is no list of objects, which the app itself reports."""
    try:
        entries = json.loads(text)
    except ValueError:
        return None
    return entries if isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries) else None


def _read_indexes(folder: Path, mistakes: list[str]) -> tuple[WorkspaceIndex, ...]:
    found: list[WorkspaceIndex] = []
    paths = sorted((folder / "indexes").glob("*.json"))
    for path in paths:
        try:
            definition = read_definition(read_index(path))
        except (LoadError, ServiceError) as error:
            mistakes.append(f"indexes/{path.name}: {str(error).removeprefix(f'{path.name}: ')}")
            continue
        if definition.name != path.stem:
            mistakes.append(f"indexes/{path.name}: name: Must be {path.stem}, as the file is called.")
        data = [folder / "data" / f"{path.stem}{ending}" for ending in (".jsonl", ".csv")]
        there = [file for file in data if file.is_file()]
        if len(there) > 1:
            mistakes.append(f"data/{path.stem}.csv: Remove this file or {path.stem}.jsonl; an index has one of them.")
        found.append(WorkspaceIndex(definition, there[0] if there else None))
    stems = {path.stem for path in paths}
    data_files = [file for file in sorted((folder / "data").glob("*")) if file.suffix in (".jsonl", ".csv")]
    orphans = [file for file in data_files if file.stem not in stems]
    mistakes += [f"data/{file.name}: Needs an index definition, indexes/{file.stem}.json." for file in orphans]
    return tuple(found)


def main() -> int:
    """Makes a new workspace; 1 with one line of reason when that fails."""
    from .proposal import create_workspace

    parser = argparse.ArgumentParser(prog="python -m local.workspace", description="Make a workspace to start from.")
    commands = parser.add_subparsers(dest="command", required=True)
    new = commands.add_parser("new", help="make a folder with an index, settings and a briefing definition")
    new.add_argument("folder", type=Path)
    new.add_argument("--from", dest="data", type=Path, help="a CSV or JSONL file; without it a small example is written")
    options = parser.parse_args()
    try:
        for line in create_workspace(options.folder, options.data):
            print(line)
    except (LocalRunError, LoadError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
