"""The house: which room may import which, what stays out of import time, and the names at the doors."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from collections.abc import Iterator
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
"""The libraries that retrieval may need: it is useful without the app (spec 1)."""
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
    """Absolute names of everything a file imports."""
    module = module_of(path)
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            name = ".".join([*base, *([node.module] if node.module else [])])
            if name == "shared":
                yield from (f"shared.{alias.name}" for alias in node.names)
            else:
                yield name


@pytest.mark.parametrize("path", DEPLOYED, ids=module_of)
def test_imports_go_one_way(path: Path) -> None:
    room = room_of(module_of(path))
    for name in imports_of(path):
        assert not name.startswith(("emulators", "local", "scripts", "tests", "bench")), f"{name} is never deployed"
        if name.startswith("shared.") and room_of(name) != room:
            assert room_of(name) in MAY_IMPORT[room], f"{room} imports {name}"
        if name.startswith("azure.functions"):
            assert room == "function_app"


@pytest.mark.parametrize("path", [p for p in DEPLOYED if "retrieval" in p.parts], ids=module_of)
def test_retrieval_needs_its_few_libraries_only(path: Path) -> None:
    for name in imports_of(path):
        top = name.split(".")[0]
        if top in sys.stdlib_module_names or name.startswith("shared.retrieval"):
            continue
        allowed = OUTSIDE_OF_RETRIEVAL | OPTIONAL_IN_RETRIEVAL
        assert any(name == known or name.startswith(known + ".") for known in allowed), name


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
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or 0) - node.lineno
                assert length <= 45, f"{path.name}: {node.name} has {length} lines"


@pytest.mark.parametrize("path", DEPLOYED, ids=module_of)
def test_every_file_says_what_it_is_for(path: Path) -> None:
    if path.read_text(encoding="utf-8").strip():
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), "a docstring is missing at the top"
