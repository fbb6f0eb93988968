"""Bad parameters stop the deployment before anything is made, with a message that says what is wrong.

One parameter by itself is refused when the parameters are built; two that contradict each other when the deployment is
validated, which the snapshot does here without Azure.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.bicep import INFRA, run
from scripts.snapshots import ENVIRONMENT, NAMES, SUBSCRIPTION, take

from .template import copy_template, edited, needs_compiler

pytestmark = [needs_compiler, pytest.mark.slow]

_MORE = "param indexes = knownIndexes"  # further parameters are put before this line
_AGENTS = "param agents = knownAgents"
_MORE_AGENTS = "param agents = concat(knownAgents, [{ Name: 'a', Indexes: [{ Name: 'pupils' }] }])"
_OPTIONS = "  AiAgents__Context__Unfiltered: true\n"
_CONTEXT = "AiAgents__Context__Index: 'inspections'"
_PUBLIC = "network = { kind: 'public' }"
_CLIENT = "readEnvironmentVariable('ENTRA_CLIENT_ID', '')"

# Good text of main.dev.bicepparam, bad text, what the message says.
REFUSED_WHEN_BUILT = {
    "no instances": ("maximumInstances: 10", "maximumInstances: 0", "minimum allowable value is 1"),
    "too many instances": ("maximumInstances: 10", "maximumInstances: 5000", "maximum allowable value is 1000"),
    "no concurrency": ("httpConcurrency: 32", "httpConcurrency: 0", "minimum allowable value is 1"),
    "unknown memory": ("instanceMemory: 2048", "instanceMemory: 1024", "2048 | 4096 | 512"),
    "unknown Python": ("pythonVersion: '3.12'", "pythonVersion: '3.9'", "'3.11' | '3.12' | '3.13'"),
    "unknown ranker tier": ("semantic: 'free'", "semantic: 'fre'", "'disabled' | 'free' | 'standard'"),
    "unknown search tier": ("sku: 'basic'", "sku: 'free'", "'basic' | 'standard'"),
    "odd partitions": ("partitions: 1", "partitions: 5", "maximum allowable value is 4"),
    "private inbound without network": (
        _PUBLIC,
        "network = { kind: 'public', inbound: 'private' }",
        '"inbound" is not allowed',
    ),
    "network without addresses": (_PUBLIC, "network = { kind: 'private', inbound: 'public' }", '"addressPrefix"'),
    "model without deployment": ("{ kind: 'none' }", "{ kind: 'existing', name: 'm1', resourceGroup: 'g' }", '"deployment"'),
    "unknown kind of search": ("kind: 'new'", "kind: 'shared'", "'existing' | 'new'"),
    "existing search without group": ("kind: 'new'", "kind: 'existing'\n  name: 'shared'", '"resourceGroup"'),
    "misspelt member": ("semantic: 'free'", "semantics: 'free'", '"semantic"'),
    "nothing kept": (
        "container: 'briefings'\n  retentionDays: 30",
        "container: 'briefings'\n  retentionDays: 0",
        "value is 1",
    ),
    "short name": ("'AZURE_ENV_NAME', 'dev'", "'AZURE_ENV_NAME', 'd'", "minimum allowable length is 2"),
    "unknown setting": (_OPTIONS, "  AiAgents__AISearch__Endpont: 'x'\n", 'Endpont" is not allowed'),
    "content in telemetry": (
        _OPTIONS,
        "  AiAgents__Telemetry__EnableSensitiveTelemetryData: 'true'\n",
        'EnableSensitiveTelemetryData" is not allowed',
    ),
    "sender without id": (_MORE, "param senders = ['']\nparam indexes = knownIndexes", "minimum allowable length is 36"),
    "deadline beyond the host's": (
        _OPTIONS,
        "  AiAgents__Briefings__DeadlineSeconds: 600\n",
        "maximum allowable value is 540",
    ),
}


@pytest.fixture(scope="module")
def refusals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the compiler says of each bad parameter file, all built in one run."""
    template = copy_template(tmp_path_factory.mktemp("parameters"))
    good_text = (template / "main.dev.bicepparam").read_text()
    for place, (good, bad, _) in enumerate(REFUSED_WHEN_BUILT.values()):
        (template / f"bad-{place}.bicepparam").write_text(edited(good_text, good, bad))
    lines = run("build-params", "--pattern", f"{template}/bad-*.bicepparam", environment=ENVIRONMENT).stderr.splitlines()
    return {
        case: "\n".join(line for line in lines if f"bad-{place}." in line) for place, case in enumerate(REFUSED_WHEN_BUILT)
    }


@pytest.mark.parametrize("case", REFUSED_WHEN_BUILT)
def test_bad_parameter_is_refused_when_built(case: str, refusals: dict[str, str]) -> None:
    assert REFUSED_WHEN_BUILT[case][2] in refusals[case]
    assert ") : Error " in refusals[case]


# Each group is one parameter file with several contradictions, since all are told at once: good text, bad text, message
# (no text: the case above brought it in).
CONTRADICTIONS = (
    {
        "blank client id": (
            _CLIENT,
            "''\n  tenantId: 'example.org'\n  allowedApplications: ['portal']",
            "entra.clientId is no application id",
        ),
        "application by name": ("", "", "entra.allowedApplications holds something else than client ids"),
        "tenant by name": ("", "", "entra.tenantId is no tenant id"),
        "warmer than allowed": (
            "alwaysReady: 0",
            "alwaysReady: 11",
            "hosting.alwaysReady (11) is over hosting.maximumInstances (10)",
        ),
        "basic with many replicas": (
            "replicas: 1",
            "replicas: 4",
            "search.sku basic has at most 3 replicas and 3 partitions",
        ),
        "ranker off but used": (
            "semantic: 'free'",
            "semantic: 'disabled'",
            "schools has a SemanticConfiguration, but search.semantic",
        ),
        "index twice": (
            _MORE,
            "param indexes = concat(knownIndexes, [{ Name: 'schools' }])",
            "indexes name the same index twice",
        ),
        "done queue in a circle": (
            "queue: 'briefings'",
            "queue: 'briefings'\n  doneQueue: 'briefings'",
            "briefings.doneQueue is the briefing",
        ),
        "alert to nobody": ("emails: []", "emails: ['']", "watch.emails holds an address without @"),
        "small network": (
            _PUBLIC,
            "network = { kind: 'private', addressPrefix: '10.0.0.0/27', inbound: 'public' }",
            "network.addressPrefix is smaller than /24",
        ),
        "plain key": (
            _OPTIONS,
            "  AiAgents__Telemetry__HmacKey: 'c2VjcmV0'\n",
            "AiAgents__Telemetry__HmacKey is not a Key Vault reference",
        ),
        "context without filter": ("", "", "AiAgents__Context__Index needs either"),
    },
    {
        "client id of nobody": (_CLIENT, "'00000000-0000-0000-0000-000000000000'", "entra.clientId is no application id"),
        "one instance in three zones": (
            "alwaysReady: 0\n  zoneRedundant: false",
            "alwaysReady: 1\n  zoneRedundant: true",
            "hosting.alwaysReady is 1 in a zone-redundant plan",
        ),
        "too many units": (
            "sku: 'basic'\n  replicas: 1\n  partitions: 1",
            "sku: 'standard'\n  replicas: 12\n  partitions: 4",
            "search.replicas × search.partitions is 48: at most 36",
        ),
        "agent of an unknown index": (
            _AGENTS,
            _MORE_AGENTS + "\nparam allowedOrigins = ['*']",
            "agents: a names the index pupils, which is not among indexes",
        ),
        "every origin": ("", "", "allowedOrigins holds *"),
        "capital queue": ("queue: 'briefings'", "queue: 'Briefings'", "are written in lower case"),
        "name with an underscore": (
            "'AZURE_ENV_NAME', 'dev'",
            "'AZURE_ENV_NAME', 'my_env'",
            "environmentName my_env is no name",
        ),
        "hmac without key": (
            _OPTIONS,
            _OPTIONS + "  AiAgents__Telemetry__Redactor: 'hmac'\n  AiAgents__AISearch__Authentication__ClientSecret: 'x'\n",
            "AiAgents__Telemetry__HmacKey is not set",
        ),
        "context of an unknown index": (
            _CONTEXT,
            _CONTEXT.replace("inspections", "pupils"),
            "Index names pupils, which is not",
        ),
        "plain secret": ("", "", "AiAgents__AISearch__Authentication__ClientSecret is not a Key Vault reference"),
    },
    {
        "done queue is the poison queue": (
            "queue: 'briefings'",
            "queue: 'a-b'\n  doneQueue: 'a-b-poison'",
            "its poison queue: final",
        )
    },
)


@pytest.fixture(scope="module")
def contradictions(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What is told of each group."""
    template = copy_template(tmp_path_factory.mktemp("contradictions"))
    good_text = (template / "main.dev.bicepparam").read_text()
    told = []
    for place, group in enumerate(CONTRADICTIONS):
        text = good_text
        for good, bad, _ in group.values():
            text = edited(text, good, bad)
        (template / f"group{place}.bicepparam").write_text(text)
        told.append(take(template / f"group{place}.bicepparam", "overwrite"))
    return told


@pytest.mark.parametrize(("place", "case"), [(place, case) for place, group in enumerate(CONTRADICTIONS) for case in group])
def test_contradiction_is_refused_when_validated(place: int, case: str, contradictions: list[str]) -> None:
    assert "could not be completed" in contradictions[place]
    assert CONTRADICTIONS[place][case][2] in contradictions[place]


@pytest.mark.parametrize("name", NAMES)
def test_parameters_build_without_any_environment(name: str) -> None:
    ran = run("build-params", INFRA / f"main.{name}.bicepparam", "--stdout")
    assert (ran.returncode, ran.stderr) == (0, "")


def test_missing_ids_are_named_before_anything_is_made(tmp_path: Path) -> None:
    parameters = copy_template(tmp_path) / "main.prod.bicepparam"
    told = run("snapshot", parameters, "--mode", "overwrite", "--subscription-id", SUBSCRIPTION, "--location", "x").stderr
    assert "ENTRA_CLIENT_ID" in told
    assert "ALERT_EMAIL" in told
