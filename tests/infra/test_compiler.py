"""The template compiles without a remark, its snapshots say what it does, and what is wrong in it is remarked on.

These tests need the Bicep compiler; those on the committed snapshots do not.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.bicep import INFRA, run
from scripts.snapshots import NAMES, take

from .template import copy_template, edited, needs_compiler

pytestmark = needs_compiler

SOURCES = sorted(path.relative_to(INFRA).as_posix() for path in (*INFRA.rglob("*.bicep"), *INFRA.rglob("*.bicepparam")))


@pytest.mark.parametrize("arguments", [("build", "--stdout"), ("lint",)], ids=lambda arguments: arguments[0])
def test_template_has_no_diagnostics(arguments: tuple[str, ...]) -> None:
    ran = run(arguments[0], INFRA / "main.bicep", *arguments[1:])
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize("name", NAMES)
def test_snapshot_says_what_the_template_does(name: str) -> None:
    assert take(INFRA / f"main.{name}.bicepparam", "validate") == ""


def test_snapshot_check_fails_when_the_template_changed(tmp_path: Path) -> None:
    template = copy_template(tmp_path)
    storage = template / "modules" / "storage.bicep"
    storage.write_text(edited(storage.read_text(), "allowSharedKeyAccess: false", "allowSharedKeyAccess: true"))
    assert "allowSharedKeyAccess" in take(template / "main.dev.bicepparam", "validate")


def test_sources_are_formatted(tmp_path: Path) -> None:
    template = copy_template(tmp_path)
    for pattern in ("*.bicep", "*.bicepparam"):
        assert run("format", "--pattern", f"{template}/**/{pattern}").returncode == 0
    assert [name for name in SOURCES if (template / name).read_bytes() != (INFRA / name).read_bytes()] == []


# What the compiler finds by itself, now that every rule is an error: file, good text, broken text, the code it names.
BROKEN_SOURCES = {
    "wrong type": ("modules/app.bicep", "httpsOnly: true", "httpsOnly: 'yes'", "BCP036"),
    "misspelt property": ("modules/app.bicep", "instanceMemoryMB", "instanceMemoryMb", "BCP089"),
    "misspelt switch": ("modules/search.bicep", "disableLocalAuth:", "disableLocalAuths:", "BCP089"),
    "version without types": ("modules/search.bicep", "2025-05-01", "1999-01-01", "BCP081"),
    "old version": ("modules/identity.bicep", "2024-11-30", "2018-11-30", "use-recent-api-versions"),
    "unused parameter": ("modules/app.bicep", "param name string", "param name string\nparam x string", "no-unused-params"),
    "secret in an output": (
        "modules/monitoring.bicep",
        "string = workspace.id",
        "string = workspace.listKeys().primarySharedKey",
        "outputs-should-not-contain-secrets",
    ),
    "address of one cloud": ("modules/auth.bicep", "${tenantId}/v2.0", "https://vault.azure.net", "no-hardcoded-env-urls"),
    "name known too late": (
        "main.bicep",
        "accountName: accountName",
        "accountName: storage.outputs.id",
        "what-if-short-circuiting",
    ),
}


@pytest.fixture(scope="module")
def remarks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the compiler says of each broken copy, all compiled in one run."""
    root = tmp_path_factory.mktemp("broken")
    for place, (name, good, broken, _) in enumerate(BROKEN_SOURCES.values()):
        (root / str(place)).mkdir()
        source = copy_template(root / str(place)) / name
        source.write_text(edited(source.read_text(), good, broken))
    lines = run("build", "--pattern", f"{root}/**/main.bicep").stderr.splitlines()
    return {
        case: "\n".join(line for line in lines if f"{root}/{place}/" in line) for place, case in enumerate(BROKEN_SOURCES)
    }


@pytest.mark.slow
@pytest.mark.parametrize("case", BROKEN_SOURCES)
def test_broken_source_is_remarked_on(case: str, remarks: dict[str, str]) -> None:
    assert BROKEN_SOURCES[case][3] in remarks[case]


def test_misspelt_index_key_does_not_build(tmp_path: Path) -> None:
    indexes = copy_template(tmp_path) / "indexes.bicep"
    indexes.write_text(edited(indexes.read_text(), "KeyField: 'id'", "IdField: 'id'"))
    ran = run("build", indexes, "--stdout")
    assert '"IdField" is not allowed' in ran.stderr
    assert ran.returncode != 0
