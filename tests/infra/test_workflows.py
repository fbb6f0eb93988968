"""The workflows call what people call, pin what they use and hold no secret; each rule is seen to fail on a broken copy."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
import yaml

from scripts.bicep import INFRA, ROOT
from scripts.snapshots import NAMES

FOLDER = ROOT / ".github" / "workflows"
WORKFLOWS = sorted(path.name for path in FOLDER.glob("*.yml"))
PINNED = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40}|\./\.github/workflows/[\w-]+\.yml")
LOGIN = {"client-id", "tenant-id", "subscription-id"}
Workflow = Mapping[str, Any]


def read(name: str) -> str:
    """The text of one workflow."""
    return (FOLDER / name).read_text(encoding="utf-8")


def steps(workflow: Workflow) -> list[Mapping[str, Any]]:
    """Every step of every job; a job that calls another workflow counts as one step."""
    jobs = workflow["jobs"].values()
    return [step for job in jobs for step in job.get("steps", [job])]


def pins(text: str) -> Iterator[str]:
    """Actions are named by commit: a tag can be moved."""
    for step in steps(yaml.safe_load(text)):
        if "uses" in step and not PINNED.fullmatch(step["uses"]):
            yield f"{step['uses']} is not pinned"


def secrets(text: str) -> Iterator[str]:
    """No secret of the repository, no password, no publish profile."""
    yield from re.findall(r"secrets\.\w+|publish-profile|client-secret|\bcreds:", text)


def permissions(text: str) -> Iterator[str]:
    """Reading the code is all that a workflow may; a token for Azure only the job that signs in."""
    workflow = yaml.safe_load(text)
    if workflow.get("permissions") != {"contents": "read"}:
        yield "the workflow may more than read"
    for name, job in workflow["jobs"].items():
        signs_in = any("azure/login@" in step.get("uses", "") for step in job.get("steps", []))
        if (job.get("permissions", {}).get("id-token") == "write") != signs_in:
            yield f"{name}: id-token is for the job that signs in"


def login(text: str) -> Iterator[str]:
    """Azure is signed in to by OpenID Connect, with ids from variables."""
    for step in steps(yaml.safe_load(text)):
        if "azure/login@" in step.get("uses", "") and {
            key: str(value).startswith("${{ vars.") for key, value in step["with"].items()
        } != dict.fromkeys(LOGIN, True):
            yield "azure/login takes something else than ids from variables"


BREAKS: dict[Callable[[str], Iterator[str]], tuple[str, str]] = {
    pins: (r"actions/checkout@[0-9a-f]{40}", "actions/checkout@v4"),
    secrets: (r"vars\.AZURE_CLIENT_ID", "secrets.AZURE_CLIENT_ID"),
    permissions: (r"id-token: write", "id-token: none"),
    login: (r"tenant-id: .*", "client-secret: x"),
}


@pytest.mark.parametrize("name", WORKFLOWS)
@pytest.mark.parametrize("rule", BREAKS, ids=lambda rule: rule.__name__)
def test_workflow_keeps_rule(rule: Callable[[str], Iterator[str]], name: str) -> None:
    assert list(rule(read(name))) == []


@pytest.mark.parametrize("rule", BREAKS, ids=lambda rule: rule.__name__)
def test_rule_fails_on_broken_copy(rule: Callable[[str], Iterator[str]]) -> None:
    broken, count = re.subn(*BREAKS[rule], read("deploy.yml"))
    assert count
    assert list(rule(broken)) != []


def test_pull_requests_run_the_commands_of_the_makefile() -> None:
    workflow = yaml.safe_load(read("check.yml"))
    # YAML 1.1 reads the key `on` as true.
    assert "pull_request" in workflow[True]
    called = {step["run"] for step in steps(workflow) if "run" in step}
    assert {"make test", "make test-emulators", "make test-slow", "make package"} <= called
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert {command.split()[1] for command in called if command.startswith("make ")} <= targets


def test_nothing_is_deployed_unchecked() -> None:
    workflow = yaml.safe_load(read("deploy.yml"))
    assert workflow["jobs"]["check"]["uses"] == "./.github/workflows/check.yml"
    assert workflow["jobs"]["deploy"]["needs"] == "check"


def test_deployment_offers_each_parameter_file_and_gives_it_what_it_reads() -> None:
    workflow = yaml.safe_load(read("deploy.yml"))
    assert workflow[True]["workflow_dispatch"]["inputs"]["environment"]["options"] == list(NAMES)
    text = "".join((INFRA / f"main.{name}.bicepparam").read_text(encoding="utf-8") for name in NAMES)
    by_hand = {"AZURE_PRINCIPAL_ID", "AZURE_PRINCIPAL_TYPE"}
    assert set(re.findall(r"readEnvironmentVariable\('(\w+)'", text)) - by_hand <= set(workflow["jobs"]["deploy"]["env"])
