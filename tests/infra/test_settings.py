"""The settings that Bicep writes, or lets an operator write, are those of the code, and the code takes them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from local.sample_settings import INSPECTIONS, SCHOOLS, TRUSTS
from scripts.bicep import INFRA, ROOT
from scripts.snapshots import NAMES, load, take
from shared.settings import INDEX_KEYS, SETTINGS, Settings, check_settings

from .reading import LOG_ALERT, QUEUE, app_settings, names, resources, value_at
from .template import copy_template, edited, needs_compiler

# The connection string of the emulator: never in Azure, where a value under this very name would hide the identity.
LOCAL_ONLY = {"BriefingStorage"}
# Settings of the platform, of the exporter and of the host; everything else is in the table of the README.
PLATFORM = re.compile(r"(?:APPLICATIONINSIGHTS|OTEL|PYTHON|WEBSITE|AzureWebJobsStorage_|AzureFunctionsJobHost_)_\w+")
# What Azure alone knows, in place of the expressions of a snapshot.
KNOWN_LATER = {
    "clientId": "66666666-6666-4666-8666-666666666666",
    "primaryEndpoints.blob": "https://account.blob.example.org/",
    "primaryEndpoints.queue": "https://account.queue.example.org/",
    "primaryEndpoints.table": "https://account.table.example.org/",
    "endpoint": "https://model.openai.example.org/",
}


def members(name: str) -> set[str]:
    """The members of one type in types.bicep."""
    text = (INFRA / "types.bicep").read_text(encoding="utf-8")
    body = text.split(f"type {name} = {{\n")[1].split("\n}\n")[0]
    return set(re.findall(r"^  (\w+): ", body, re.MULTILINE))


def written() -> set[str]:
    """Every name that some snapshot writes or the options take, without the platform's."""
    names = {name for snapshot in NAMES for name in app_settings(load(snapshot))}
    return {name for name in names if not PLATFORM.fullmatch(name)} | members("Options")


def resolved(settings: Mapping[str, str]) -> dict[str, str]:
    """The settings of a snapshot as they would reach the process."""

    def value(text: str) -> str:
        found = re.fullmatch(r"\[reference\('[^']*', '[^']*'\)\.([A-Za-z.]+)\]", text)
        return KNOWN_LATER[found[1]] if found and found[1] in KNOWN_LATER else text

    return {name: value(text) for name, text in settings.items()} | {
        "WEBSITE_INSTANCE_ID": "1",
        "WEBSITE_AUTH_ENABLED": "True",
    }


def test_bicep_writes_the_settings_of_the_code() -> None:
    assert written() == {setting.name for setting in SETTINGS} - LOCAL_ONLY


def test_bicep_takes_the_index_keys_of_the_code() -> None:
    assert members("Index") == set(INDEX_KEYS)


def test_no_option_overrides_what_the_deployment_decides() -> None:
    text = (INFRA / "modules" / "settings.bicep").read_text(encoding="utf-8")
    decided = set(re.findall(r"\b((?:AiAgents|BriefingStorage|AZURE)_\w+): ", text))
    assert {"AiAgents__Auth__Mode", "AiAgents__Model__Endpoint", "AZURE_CLIENT_ID"} <= decided
    assert members("Options") & decided == set()


@pytest.mark.parametrize("name", NAMES)
def test_code_takes_the_settings_of_the_snapshot(name: str) -> None:
    settings = check_settings(resolved(app_settings(load(name))))
    assert settings.missing == ()
    assert settings.in_azure
    assert settings.auth.mode == "entra"
    assert settings.auth.problem is None
    assert not settings.telemetry.sensitive
    assert settings.storage is not None
    assert settings.storage.client_id == KNOWN_LATER["clientId"]
    assert settings.retrieval is not None
    assert [index.name for index in settings.retrieval.indexes] == ["schools", "inspections", "trusts"]
    assert (settings.model is not None) is (name != "dev")


def test_indexes_are_those_of_the_sample_data() -> None:
    same = ("Name", "ContentFields", "NameField", "LinkField", "KeyField")
    deployed = json.loads(app_settings(load("prod"))["AiAgents__AISearch__Indexes"])
    assert [[index[key] for key in same] for index in deployed] == [
        [index[key] for key in same] for index in (SCHOOLS, INSPECTIONS, TRUSTS)
    ]


# In a process of its own: an app gives its functions once.
PROBE = """
import json, function_app
shown = {}
for function in function_app.app.get_functions():
    trigger = function.get_trigger()
    if trigger.type == "queueTrigger":
        shown[function.get_function_name()] = {key: str(value) for key, value in trigger.get_dict_repr().items()}
print(json.dumps(shown))
"""


@pytest.fixture(scope="module")
def queue_triggers() -> dict[str, dict[str, str]]:
    """The queue bindings of the app by function name, without any setting."""
    ran = subprocess.run([sys.executable, "-c", PROBE], cwd=ROOT, env={}, capture_output=True, text=True, check=True)
    triggers: dict[str, dict[str, str]] = json.loads(ran.stdout)
    return triggers


def test_functions_read_the_queues_that_are_made_by_the_identity(queue_triggers: dict[str, dict[str, str]]) -> None:
    triggers = queue_triggers
    assert sorted(trigger["queueName"] for trigger in triggers.values()) == sorted(names(load("dev"), QUEUE))
    assert {trigger["connection"] for trigger in triggers.values()} == {"BriefingStorage"}


def test_alert_finds_the_function_of_the_poison_queue(queue_triggers: dict[str, dict[str, str]]) -> None:
    poisoned = [name for name, trigger in queue_triggers.items() if trigger["queueName"].endswith("-poison")]
    (alert,) = [entry for entry in resources(load("dev"), LOG_ALERT) if entry["name"].endswith("poison-messages")]
    (word,) = re.findall(r'Name contains "(\w+)"', value_at(alert, "properties.criteria.allOf.0.query"))
    assert [name for name in queue_triggers if word in name] == poisoned


OPTIONS = """  AiAgents__AISearch__MinimumRelevanceFilter: '0.4'
  AiAgents__AISearch__MaxEvidenceCharacters: 20000
  AiAgents__AISearch__MaxRetryAttempts: 5
  AiAgents__AISearch__TimeoutSeconds: 15
  AiAgents__AISearch__Authentication__ManagedIdentityClientId: '77777777-7777-4777-8777-777777777777'
  AiAgents__Context__SearchTime: 'OnDemandFunctionCalling'
  AiAgents__Context__RecentMessageMemoryLimit: 3
  AiAgents__Context__RecentMessageRolesIncluded: ['user', 'assistant']
  AiAgents__Citations__AllowedLinkHosts: ['example.org']
  AiAgents__Briefings__DeadlineSeconds: 300
  AiAgents__MaxConcurrentRequests: 50
  AiAgents__Telemetry__HmacKeyId: '7'
"""


@pytest.fixture(scope="module")
def chosen(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The settings as the code reads them from a deployment with options, an agent and every kind of index member."""
    template = copy_template(tmp_path_factory.mktemp("options"))
    text = (template / "main.dev.bicepparam").read_text()
    agents = "[{ Name: 'a', MaxSubQueries: 2, Indexes: [{ Name: 'pupils', Filter: { equals: { open: true } } }] }]"
    text = edited(text, "param agents = knownAgents", f"param agents = concat(knownAgents, {agents})")
    text = edited(text, "  AiAgents__Context__Unfiltered: true\n", f"  AiAgents__Context__Unfiltered: true\n{OPTIONS}")
    indexes = "[{ Name: 'pupils', KeyField: 'urn', PermissionFilter: true, MinimumRelevanceFilter: '0.7' }]"
    text = edited(text, "param indexes = knownIndexes", f"param indexes = concat(knownIndexes, {indexes})")
    (template / "main.dev.bicepparam").write_text(text)
    assert take(template / "main.dev.bicepparam", "overwrite") == ""
    return check_settings(resolved(app_settings(load("dev", template))))


@needs_compiler
def test_code_takes_every_kind_of_option(chosen: Settings) -> None:
    assert chosen.retrieval is not None
    assert chosen.context is not None
    found: dict[str, Any] = {
        "relevance": chosen.retrieval.minimum_relevance,
        "characters": chosen.retrieval.max_evidence_characters,
        "deadline": chosen.briefings.deadline_seconds,
        "hosts": chosen.allowed_link_hosts,
        "requests": chosen.max_concurrent_requests,
    }
    assert found == {"relevance": 0.4, "characters": 20000, "deadline": 300, "hosts": ("example.org",), "requests": 50}


@needs_compiler
def test_code_takes_booleans_and_fractions_inside_lists(chosen: Settings) -> None:
    assert chosen.retrieval is not None
    index = chosen.retrieval.indexes[-1]
    assert (index.permission_filter, index.minimum_relevance) == (True, 0.7)
    agent = chosen.retrieval.agents[-1]
    assert (agent.name, agent.max_sub_queries) == ("a", 2)
    assert agent.indexes[0].filter is not None
