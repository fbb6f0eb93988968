"""The deployment package holds exactly what runs: unpacked, installed in a clean environment, imported without settings."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from scripts.package import ROOT, build, packaged_files

# What a person sees of it: the top level and, below it, one package of Python with its data.
TOP_LEVEL = {"function_app.py", "host.json", "requirements.txt", "shared"}
SUFFIXES = {".py", ".toml", ".css"}
# Found in the folder of the package, without the repository: functions and the time that the import took.
HEAVY = (
    "openai",
    "azure.monitor.opentelemetry",
    "azure.storage.blob",
    "azure.identity",
    "tantivy",
    "mcp",
    "emulators",
    "local",
    "scripts",
)
PROBE = f"""
import json, sys
import function_app
functions = sorted(function.get_function_name() for function in function_app.app.get_functions())
heavy = [name for name in {HEAVY!r} if name in sys.modules]
print(json.dumps(dict(functions=functions, heavy=heavy)))
"""


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, built and unpacked."""
    folder = tmp_path_factory.mktemp("package")
    build(folder / "app.zip")
    with zipfile.ZipFile(folder / "app.zip") as package:
        package.extractall(folder / "app")
    return folder / "app"


def test_package_holds_exactly_what_runs(unpacked: Path) -> None:
    files = [path.relative_to(unpacked) for path in unpacked.rglob("*") if path.is_file()]
    assert {path.parts[0] for path in files} == TOP_LEVEL
    assert {path.suffix for path in files if path.parts[0] == "shared"} <= SUFFIXES


def test_package_holds_every_file_of_the_app(unpacked: Path) -> None:
    app = {path.relative_to(ROOT).as_posix() for path in (ROOT / "shared").rglob("*") if path.suffix in SUFFIXES}
    assert app <= {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*")}


def test_same_files_make_the_same_bytes(tmp_path: Path) -> None:
    first, second = tmp_path / "1.zip", tmp_path / "2.zip"
    for path in (first, second):
        build(path)
    assert first.read_bytes() == second.read_bytes()


STRAYS = (
    "local.settings.json",
    ".env",
    ".venv/lib/x.py",
    "node_modules/x/index.js",
    "shared/__pycache__/x.pyc",
    "tests/test_x.py",
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project with what must stay at home."""
    for name in (*STRAYS, "function_app.py", "shared/local/docs/x.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    shutil.copy(ROOT / ".funcignore", tmp_path)
    return tmp_path


def test_package_leaves_secrets_tools_and_tests_at_home(project: Path) -> None:
    assert [path.relative_to(project).as_posix() for path in packaged_files(project)] == [
        "function_app.py",
        "shared/local/docs/x.py",
    ]


@pytest.mark.parametrize("stray", STRAYS)
def test_rule_fails_without_the_ignore_file(stray: str, project: Path) -> None:
    (project / ".funcignore").write_text("")
    assert stray in {path.relative_to(project).as_posix() for path in packaged_files(project)}


def interpreter(version: str) -> str | None:
    """A Python of that version: the one that runs the tests, one on the PATH, or one that pyenv keeps."""
    if sys.version_info[:2] == tuple(map(int, version.split("."))):
        return sys.executable
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [shutil.which(f"python{version}"), *map(str, sorted(kept.glob(f"{version}.*/bin/python")))]
    for candidate in filter(None, candidates):
        if subprocess.run([candidate, "--version"], capture_output=True, check=False).returncode == 0:
            return candidate
    return None


def command(*arguments: str | Path, folder: Path | None = None, bare: bool = False) -> str:
    """What a command printed, in a folder and (bare) with no environment at all; it must end well."""
    ran = subprocess.run([*arguments], cwd=folder, env={} if bare else None, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.slow
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_package_runs_in_a_clean_environment(
    version: str, unpacked: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = interpreter(version)
    if base is None:
        pytest.skip(f"Python {version} is not installed here")
    command(base, "-m", "venv", tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    command(python, "-m", "pip", "install", "--disable-pip-version-check", "-r", unpacked / "requirements.txt")
    found = json.loads(command(python, "-c", PROBE, folder=unpacked, bare=True))
    assert {"search", "evidence", "citations", "briefing", "live", "ready"} <= set(found["functions"])
    assert found["heavy"] == []
    zipped = (unpacked.parent / "app.zip").stat().st_size
    packages = (tmp_path / "venv" / "lib" / f"python{version}" / "site-packages").rglob("*")
    installed = sum(path.stat().st_size for path in packages if path.is_file())
    with capsys.disabled():
        print(
            f"\nPython {version}: package {zipped:,} bytes, its requirements {installed:,}; "
            f"{len(found['functions'])} functions"
        )
