"""What holds for the text of the template, resources that exist already included; no compiler is needed to see it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

import pytest

from scripts.bicep import INFRA

from .resource_rules import API_VERSIONS

Sources = Mapping[str, str]
RESOURCE = re.compile(r"^resource \w+ '([\w./]+)@([\w-]+)'", re.MULTILINE)


def sources() -> dict[str, str]:
    """Every Bicep file of the template by its place."""
    return {path.relative_to(INFRA).as_posix(): path.read_text(encoding="utf-8") for path in sorted(INFRA.rglob("*.bicep"))}


def versions(found: Sources) -> Iterator[str]:
    """Existing resources are read in the versions that new ones are made in."""
    for name, text in found.items():
        for kind, version in RESOURCE.findall(text):
            known = max(
                (known for known in API_VERSIONS if kind == known or kind.startswith(f"{known}/")), key=len, default=""
            )
            if API_VERSIONS.get(known) != version:
                yield f"{name}: {kind}@{version}"


def keys(found: Sources) -> Iterator[str]:
    """No function that gives keys, by any name."""
    for name, text in found.items():
        yield from (f"{name}: {call}" for call in re.findall(r"\blist[A-Z]\w*\(", text))


def purposes(found: Sources) -> Iterator[str]:
    """Each file opens by saying what it is for."""
    yield from (f"{name} says nothing of itself" for name, text in found.items() if not text.startswith("// "))


def orphans(found: Sources) -> Iterator[str]:
    """Each file is used by another, or by a parameter file."""
    used = "".join(found.values()) + "".join(path.read_text(encoding="utf-8") for path in INFRA.glob("*.bicepparam"))
    for name in found:
        if not re.search(rf"'(?:[./]|modules/)*(?:roles/)?{re.escape(name.rsplit('/', 1)[-1])}'", used):
            yield f"{name} is used by nobody"


def stated_scopes(found: Sources) -> Iterator[str]:
    """Role assignments stand in modules/roles, each with a scope of its own and a name made by guid()."""
    for name, text in found.items():
        for block in re.findall(r"roleAssignments@[^\n]*(.*?)\n\]", text, re.DOTALL):
            if not (name.startswith("modules/roles/") and "scope: " in block and "name: guid(" in block):
                yield f"{name}: a role assignment without its own scope or name"


BREAKS: dict[Callable[[Sources], Iterator[str]], tuple[str, str, str]] = {
    versions: ("modules/roles/search.bicep", "@2025-05-01", "@2023-11-01"),
    keys: ("modules/storage.bicep", "account.properties.primaryEndpoints.blob", "account.listKeys().keys[0].value"),
    purposes: ("roles.bicep", "// The", "The"),
    orphans: ("main.bicep", "'modules/auth.bicep'", "'modules/app.bicep'"),
    stated_scopes: ("modules/roles/storage.bicep", "scope: account", ""),
}


@pytest.mark.parametrize("rule", BREAKS, ids=lambda rule: rule.__name__)
def test_sources_keep_rule(rule: Callable[[Sources], Iterator[str]]) -> None:
    assert list(rule(sources())) == []


@pytest.mark.parametrize("rule", BREAKS, ids=lambda rule: rule.__name__)
def test_rule_fails_on_broken_copy(rule: Callable[[Sources], Iterator[str]]) -> None:
    broken = sources()
    name, good, bad = BREAKS[rule]
    assert good in broken[name]
    broken[name] = broken[name].replace(good, bad)
    assert list(rule(broken)) != []
