"""The house: which room may import which, what stays out of import time, and the names at the doors."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DEPLOYED = [ROOT / "function_app.py", *sorted((ROOT / "shared").rglob("*.py"))]

MAY_IMPORT = {
    "shared.retrieval": set[str](),
    "shared.telemetry": set[str](),
    "shared.answers": {"shared.retrieval"},
    "shared.briefing": {"shared.retrieval", "shared.answers"},
    "shared.settings": {"shared.retrieval", "shared.answers", "shared.briefing", "shared.telemetry"},
    "shared.api": {"shared.retrieval", "shared.answers", "shared.briefing", "shared.settings", "shared.telemetry"},
    "function_app": {"shared.api"},
}
"""Each room and the rooms it may import from."""

OUTSIDE_OF_RETRIEVAL = {"azure.search", "azure.identity", "azure.core", "aiohttp", "cmarkgfm", "comrak", "nh3"}
"""The libraries that retrieval may need: it is useful without the app."""
NEVER_DEPLOYED = {"emulators", "local", "scripts", "tests", "bench"}
ONE_FILE = (
    *("azure.functions", "azure.search", "azure.identity", "azure.storage", "azure.data.tables"),
    *("openai", "aiohttp", "nh3", "agent_framework"),
)
"""Libraries behind one seam each: one file of a room imports them."""
MOST_REPEATED_NAMES = 13
"""Names that their folders tell apart, such as `settings` and `errors` of each room."""
OPTIONAL_IN_RETRIEVAL = {"agent_framework"}
"""Installed only by those who want the provider for the Agent Framework."""


def module_of(path: Path) -> str:
    """Dotted name of a file."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    """The room of a module: the top two names under `shared`."""
    return ".".join(module.split(".")[:2]) if module.startswith("shared.") else module.split(".")[0]


def imports_of(path: Path) -> Iterator[str]:
    """Absolute names of every module that a file imports anywhere."""
    for node in ast.walk(tree_of(path)):
        yield from names_imported(path, node)


def imports_at_start(path: Path) -> Iterator[str]:
    """Absolute names of what a file imports when it is imported itself, down to the name after `import`."""
    for node in tree_of(path).body:
        if isinstance(node, ast.ImportFrom):
            for name in names_imported(path, node):
                yield from (f"{name}.{alias.name}" for alias in node.names)
        else:
            yield from names_imported(path, node)


@cache
def tree_of(path: Path) -> ast.Module:
    """A file, parsed once."""
    return ast.parse(path.read_text(encoding="utf-8"))


def names_imported(path: Path, node: ast.AST) -> Iterator[str]:
    """Absolute names of the modules that one statement imports."""
    module = module_of(path)
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
        yield ".".join([*base, *([node.module] if node.module else [])])


def test_imports_go_one_way() -> None:
    wrong: list[str] = []
    for path in DEPLOYED:
        room = room_of(module_of(path))
        for name in imports_of(path):
            beyond = name.startswith("shared.") and room_of(name) != room and room_of(name) not in MAY_IMPORT[room]
            trigger = name.startswith("azure.functions") and room != "function_app"
            if beyond or trigger or name.split(".")[0] in NEVER_DEPLOYED:
                wrong.append(f"{module_of(path)} imports {name}")
    assert wrong == []


def test_retrieval_needs_its_few_libraries_only() -> None:
    allowed = tuple(f"{name}." for name in OUTSIDE_OF_RETRIEVAL | OPTIONAL_IN_RETRIEVAL | {"shared.retrieval"})
    for path in (path for path in DEPLOYED if "retrieval" in path.parts):
        for name in imports_of(path):
            known = name.split(".")[0] in sys.stdlib_module_names or f"{name}.".startswith(allowed)
            assert known, f"{module_of(path)} imports {name}"


def test_each_library_is_imported_in_one_file_of_a_room() -> None:
    found: dict[tuple[str, str], set[str]] = {}
    for path in DEPLOYED:
        for name in imports_of(path):
            for library in (library for library in ONE_FILE if f"{name}.".startswith(f"{library}.")):
                found.setdefault((room_of(module_of(path)), library), set()).add(module_of(path))
    assert [files for files in found.values() if len(files) > 1] == []


def test_no_import_cycle() -> None:
    modules = {module_of(path): path for path in DEPLOYED}
    graph = {
        name: {_module(target, modules) for target in imports_at_start(path)} - {name, ""} for name, path in modules.items()
    }
    assert _cycle(graph) == []


def _module(name: str, modules: Mapping[str, Path]) -> str:
    """The module that a dotted name stands for or lies in; empty for a library."""
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name


def _cycle(graph: Mapping[str, set[str]]) -> list[str]:
    """One cycle of a graph, or nothing. That a module imports the package it lies in makes none."""
    try:
        tuple(TopologicalSorter({name: after - {name.rpartition(".")[0]} for name, after in graph.items()}).static_order())
    except CycleError as error:
        return list(error.args[1])
    return []


HEAVY = (
    *("openai", "azure.monitor", "opentelemetry.sdk", "azure.storage", "azure.identity"),
    *("tantivy", "mcp", "agent_framework"),
)
"""Libraries that are imported when first used: a start of the app must be quick (30 s limit of the platform)."""


def test_importing_the_app_with_an_empty_environment_loads_nothing_heavy() -> None:
    code = (
        "import sys; sys.path.insert(0, '.'); import function_app; "
        "print(len(function_app.app.get_functions())); "
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], cwd=ROOT, env={}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    count, heavy = done.stdout.splitlines()
    assert int(count) > 20
    assert heavy == "[]"


@pytest.mark.parametrize("name", [room for room in MAY_IMPORT if room != "function_app"])
def test_each_door_lists_its_names(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__all__ == sorted(module.__all__, key=_order)
    for exported in module.__all__:
        assert hasattr(module, exported), f"{name}.{exported} does not exist"


def _order(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions, as the linter sorts them."""
    kind = 0 if name.isupper() else 1 if name[0].isupper() else 2
    return kind, name


def test_functions_have_a_ceiling() -> None:
    for path in DEPLOYED:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or 0) - node.lineno
                assert length <= 45, f"{path.name}: {node.name} has {length} lines"


def test_no_reference_points_out_of_the_repository() -> None:
    """A reader of a clone has the docs pages, the standards and the service's documentation."""
    pages = [*(ROOT / "docs").glob("*.md"), *ROOT.glob("*.md"), *(ROOT / "infra").rglob("*.bicep")]
    folders = ("shared", "emulators", "local", "scripts", "tests", "bench")
    sources = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    word = "spec" + " "
    found = [str(path) for path in (*pages, *sources) if re.search(rf"\b{word}\d", path.read_text(encoding="utf-8"))]
    assert found == []


def test_few_file_names_of_the_app_are_used_twice() -> None:
    names = Counter(path.stem for path in DEPLOYED if path.stem != "__init__")
    repeated = {name: count for name, count in names.items() if count > 1}
    assert len(repeated) <= MOST_REPEATED_NAMES, repeated


def test_every_file_says_what_it_is_for() -> None:
    silent = [module_of(path) for path in DEPLOYED if tree_of(path).body and not ast.get_docstring(tree_of(path))]
    assert silent == []
