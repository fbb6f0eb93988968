"""The retrieval package is useful without the app: what it imports, and that its few needs alone are enough."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "shared" / "retrieval"
NEEDS = ("azure-search-documents", "azure-identity", "aiohttp", "comrak", "nh3")
OUTSIDE = {
    "azure.core": None,
    "azure.search": {"azure.py"},
    "azure.identity": {"credentials.py"},
    "aiohttp": {"azure.py"},
    "comrak": None,
    "nh3": None,
    "agent_framework": {"agent_framework.py"},
}
"""What the package imports that is not Python's own, and in which files, where that is settled."""

USE = """
import asyncio, sys
from shared.retrieval import (
    Hit, IndexSettings, IndexMisconfigured, Retrieval, RetrievalSettings, SearchFailed, odata, resolve, Source,
)

async def main():
    settings = RetrievalSettings(endpoint="http://127.0.0.1:9", indexes=(IndexSettings(name="docs"),), max_retry_attempts=0)
    retrieval = Retrieval(settings)
    try:
        await retrieval.search("docs", "oak", filter=odata("urn eq {urn}", urn="1"))
    except SearchFailed:
        print("no service, as expected")
    await retrieval.close()

asyncio.run(main())
print(resolve("Good [Evidence 1].", [Source(number=1, name="Oak", link="https://a.example/")]).answer)
unwanted = {"azure.functions", "pydantic", "openai", "tantivy", "azure.storage"} & set(sys.modules)
assert not unwanted, unwanted
"""


def _imports() -> Iterator[tuple[str, str]]:
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from ((file.name, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                yield file.name, node.module or ""


def test_package_imports_only_its_needs_and_each_seam_in_its_one_file() -> None:
    for file, module in _imports():
        if module.split(".")[0] in sys.stdlib_module_names:
            continue
        root = next((name for name in OUTSIDE if module == name or module.startswith(f"{name}.")), None)
        assert root is not None, f"{file} imports {module}"
        files = OUTSIDE[root]
        assert files is None or file in files, f"{file} imports {module}"


def test_import_loads_no_identity_library() -> None:
    code = "import sys, shared.retrieval; print('msal' in sys.modules, 'azure.identity' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)

    assert done.stdout.split() == ["False", "False"]


@pytest.mark.slow
def test_its_needs_alone_are_enough(tmp_path: Path) -> None:
    pins = dict(
        re.findall(r"^([a-z0-9-]+)==([^\s;]+)", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.MULTILINE)
    )
    venv.create(tmp_path / "venv", with_pip=True)
    python = str(tmp_path / "venv" / "bin" / "python")
    wanted = [f"{name}=={pins[name]}" for name in NEEDS]
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted], check=True, timeout=300
    )
    shutil.copytree(PACKAGE, tmp_path / "app" / "shared" / "retrieval", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "app" / "shared" / "__init__.py").touch()

    done = subprocess.run(
        [python, "-c", USE], capture_output=True, text=True, cwd=tmp_path / "app", timeout=120, check=False
    )

    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines()[0] == "no service, as expected"
    assert 'href="https://a.example/"' in done.stdout
