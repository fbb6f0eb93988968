"""The deployment guide says what the template does: roles, resources, parameters, outputs, alerts, costs that add up."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from scripts.bicep import INFRA, ROOT
from scripts.inventory import ROLES, Grant, grants, resource_table, role_table
from scripts.snapshots import NAMES, load
from shared.briefing import load_definitions

from .reading import LOG_ALERT, METRIC_ALERT, app_settings, names

GUIDE = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")
APP = {
    "Monitoring Metrics Publisher": "Application Insights",
    "Search Index Data Reader": "search service",
    "Storage Blob Data Owner": "storage account",
    "Storage Queue Data Contributor": "storage account",
    "Storage Table Data Contributor": "storage account",
}
MODEL_USER = "Cognitive Services OpenAI User"
SENDER = "Storage Queue Data Message Sender"
# Who may do what, as it was decided: least privilege, on the resource itself.
DECIDED = {
    "dev": {
        *(Grant("app", role, scope) for role, scope in APP.items()),
        Grant("operator", "Search Service Contributor", "search service"),
        Grant("operator", "Search Index Data Contributor", "search service"),
        Grant("operator", SENDER, "briefing queue"),
    },
    "prod": {
        *(Grant("app", role, scope) for role, scope in APP.items()),
        Grant("app", MODEL_USER, "model account"),
        Grant("search service", MODEL_USER, "model account"),
    },
    "private": {
        *(Grant("app", role, scope) for role, scope in APP.items()),
        Grant("app", MODEL_USER, "model account"),
        Grant("sender", SENDER, "briefing queue"),
    },
}


def part(name: str) -> str:
    """What stands between the two marks of a part of the guide."""
    return GUIDE.split(f"<!-- {name} -->\n")[1].split(f"<!-- /{name} -->")[0].strip()


def rows(name: str) -> list[list[str]]:
    """The cells of a table of the guide, without its head."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in part(name).splitlines()[2:]]


@pytest.mark.parametrize("name", NAMES)
def test_roles_are_those_decided_and_no_more(name: str) -> None:
    found = grants(load(name))
    assert set(found) == DECIDED[name]
    assert len(found) == len(DECIDED[name])


def test_guide_shows_the_roles_of_the_snapshots() -> None:
    assert part("roles") == role_table({name: load(name) for name in NAMES})


def test_guide_shows_the_resources_of_the_snapshots() -> None:
    assert part("resources") == resource_table({name: load(name) for name in NAMES})


def test_roles_of_the_template_are_those_that_are_granted() -> None:
    text = (INFRA / "roles.bicep").read_text(encoding="utf-8")
    assert set(re.findall(r"'([0-9a-f-]{36})'", text)) == set(ROLES)


def test_guide_explains_every_parameter() -> None:
    parameters = re.findall(r"^param (\w+) ", (INFRA / "main.bicep").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(re.findall(r"`(\w+)`", " ".join(row[0] for row in rows("parameters")))) == sorted(parameters)


def test_every_parameter_is_described() -> None:
    text = (INFRA / "main.bicep").read_text(encoding="utf-8")
    parameters = re.findall(r"^param (\w+) ", text, re.MULTILINE)
    described = re.findall(r"^@description\('[^']+'\)\n(?:@.*\n)*param (\w+) ", text, re.MULTILINE)
    assert described == parameters


def test_guide_uses_outputs_that_exist() -> None:
    used = set(re.findall(r"\$\{?([A-Z][A-Z_]+_(?:ENDPOINT|NAME|ID))\b", GUIDE)) - {"APPLICATION_INSIGHTS_NAME"}
    assert used
    assert used <= set(load("dev")["outputs"])


def test_outputs_are_in_the_form_that_azd_takes_and_hold_no_secret() -> None:
    assert all(re.fullmatch(r"[A-Z][A-Z_]+", name) for snapshot in NAMES for name in load(snapshot)["outputs"])


def test_guide_explains_every_alert() -> None:
    made = {name for kind in (LOG_ALERT, METRIC_ALERT) for name in names(load("prod"), kind)}
    explained = re.findall(r"^\| ([a-z][a-z-]+) \| ", GUIDE.split("## Alerts")[1].split("## Costs")[0], re.MULTILINE)
    assert [name for name in made if not name.endswith(tuple(explained))] == []
    assert [name for name in explained if name != "alert" and not any(full.endswith(name) for full in made)] == []


def test_idle_costs_add_up() -> None:
    *lines, total = rows("costs")
    totals = [0.0, 0.0, 0.0]
    for line in lines:
        amounts, price, costs = [float(cell) for cell in line[1:4]], float(line[4]), [float(cell) for cell in line[5:]]
        assert costs == pytest.approx([amount * price for amount in amounts], abs=0.006), line[0]
        totals = [sum(pair) for pair in zip(totals, costs, strict=True)]
    assert [float(cell.strip("*")) for cell in total[5:]] == pytest.approx(totals, abs=0.006)


def test_load_costs_add_up() -> None:
    *lines, total = rows("load")
    for line in lines:
        assert float(line[3]) == pytest.approx(float(line[1]) * float(line[2]), abs=0.006), line[0]
    assert float(total[3].strip("*")) == pytest.approx(sum(float(line[3]) for line in lines), abs=0.006)


def test_idle_costs_count_what_is_made() -> None:
    found = {row[0]: [int(float(cell)) for cell in row[1:4]] for row in rows("costs")[:-1]}
    for what, kind in (
        ("private endpoints", "Microsoft.Network/privateEndpoints"),
        ("private DNS zones", "Microsoft.Network/privateDnsZones"),
        ("log alerts, every five minutes", LOG_ALERT),
        ("metric alerts", METRIC_ALERT),
    ):
        assert found[what] == [len(names(load(name), kind)) for name in NAMES], what


@pytest.mark.parametrize("block", re.findall(r"```bash\n(.*?)```", GUIDE, re.DOTALL), ids=lambda block: block.split()[0])
def test_commands_of_the_guide_are_well_formed(block: str) -> None:
    shell = block.replace("<object id of the caller's service principal or user>", "1")
    assert subprocess.run(["bash", "-n"], input=shell, capture_output=True, text=True, check=False).stderr == ""


def test_files_that_the_guide_names_exist() -> None:
    named = set(re.findall(r"`((?:infra|docs|local|\.github)/[\w./-]+\.\w+)`", GUIDE))
    assert len(named) >= 4
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_message_of_the_guide_is_one_that_the_app_takes() -> None:
    message = json.loads(GUIDE.split("--content '")[1].split("'")[0])
    definition = load_definitions().exactly(message["briefing"], message["version"])
    assert definition is not None
    assert definition.values(message["parameters"]) == message["parameters"]


def test_deployed_indexes_are_enough_for_every_briefing() -> None:
    deployed = {index["Name"] for index in json.loads(app_settings(load("prod"))["AiAgents__AISearch__Indexes"])}
    assert {index for definition in load_definitions().items for index in definition.indexes} <= deployed


def test_app_roles_are_those_of_the_code() -> None:
    roles = json.loads((INFRA / "app-roles.json").read_text(encoding="utf-8"))
    text = (ROOT / "docs" / "callers.md").read_text(encoding="utf-8")
    assert {role["value"] for role in roles} == set(re.findall(r"^\| `(\w+\.\w+)` \|", text, re.MULTILINE))
    assert len({role["id"] for role in roles}) == len(roles)
    assert all(role["isEnabled"] and role["allowedMemberTypes"] == ["User", "Application"] for role in roles)


def test_azd_finds_the_template_and_the_app() -> None:
    text = Path(ROOT / "azure.yaml").read_text(encoding="utf-8")
    module = re.search(r"^  module: (\S+)$", text, re.MULTILINE)
    assert module is not None
    assert (INFRA / f"{module[1]}.bicepparam").exists()
    assert re.search(r"^services:\n  app:\n", text, re.MULTILINE)
