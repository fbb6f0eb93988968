"""Loading of the settings: both index forms, strict values, every problem by name and none by value."""

from __future__ import annotations

import json
from typing import Any

import pytest

from shared.settings import SETTINGS, SettingsError, check_settings, load_settings, queue_name

ENDPOINT = {"AiAgents__AISearch__Endpoint": "https://x.search.windows.net"}
INDEXES = "AiAgents__AISearch__Indexes"
AGENT = "AiAgents__KnowledgeAgents"
MINIMAL = {**ENDPOINT, INDEXES: '[{"Name": "schools"}]'}


def with_index(**members: Any) -> dict[str, str]:
    """The smallest good environment with one index of these members."""
    return {**ENDPOINT, INDEXES: json.dumps([{"Name": "schools", **members}])}


def problems_of(environ: dict[str, str]) -> dict[str, str]:
    """Setting → message of every problem."""
    return {problem.setting: problem.message for problem in load_settings(environ).problems}


def test_minimal() -> None:
    settings = check_settings(MINIMAL)
    assert settings.retrieval is not None
    assert [index.name for index in settings.retrieval.indexes] == ["schools"]
    assert settings.auth.mode == "function"
    assert settings.storage is None


def test_empty_environment_names_what_is_missing() -> None:
    settings = load_settings({})
    assert {p.setting for p in settings.problems} == {"AiAgents__AISearch__Endpoint", INDEXES}
    missing = {p.setting for p in settings.missing}
    assert missing == {
        "AiAgents__Context__Index",
        "BriefingStorage__queueServiceUri",
        "BriefingStorage__blobServiceUri",
    }


FULL = {
    "Name": "schools",
    "ContentFields": ["name", "town"],
    "NameField": "name",
    "LinkField": "url",
    "KeyField": "urn",
    "ReturnFields": ["name"],
    "PermissionFilter": True,
    "SemanticConfiguration": "default",
    "VectorFields": ["v"],
    "SemanticFallback": True,
    "FilterFields": ["urn", "town"],
    "RequiredFilterFields": ["urn"],
    "MinimumRelevanceFilter": 0.25,
    "MinimumRerankerScore": 1.5,
    "AllowedRoles": ["Readers"],
    "Labels": {"town": "Town", "rooms/rate": "Room rate"},
}


def numbered(entry: dict[str, Any]) -> dict[str, str]:
    """The .NET form of one index entry."""
    flat: dict[str, str] = {}
    for key, value in entry.items():
        if isinstance(value, dict):
            flat |= {f"{INDEXES}__0__{key}__{path}": text for path, text in value.items()}
        elif isinstance(value, list):
            flat |= {f"{INDEXES}__0__{key}__{place}": text for place, text in enumerate(value)}
        else:
            flat[f"{INDEXES}__0__{key}"] = str(value)
    return flat


def test_both_forms_of_the_index_list_give_the_same() -> None:
    listed = check_settings({**ENDPOINT, INDEXES: json.dumps([FULL])})
    flat = check_settings({**ENDPOINT, **numbered(FULL)})
    assert listed == flat
    assert listed.retrieval is not None
    index = listed.retrieval.indexes[0]
    assert (index.minimum_relevance, index.minimum_reranker_score, index.permission_filter) == (0.25, 1.5, True)


def test_keys_ignore_case_in_both_forms() -> None:
    folded = {key.upper(): value for key, value in FULL.items()}
    expected = check_settings({**ENDPOINT, INDEXES: json.dumps([FULL])})
    assert check_settings({**ENDPOINT, INDEXES: json.dumps([folded])}) == expected
    assert check_settings({k.lower(): v for k, v in {**ENDPOINT, **numbered(FULL)}.items()}) == expected


def test_numbered_entries_keep_their_order_beyond_ten() -> None:
    flat = {f"{INDEXES}__{place}__Name": f"index-{place}" for place in range(12)}
    settings = check_settings({**ENDPOINT, **flat})
    assert settings.retrieval is not None
    assert [index.name for index in settings.retrieval.indexes] == [f"index-{place}" for place in range(12)]


BROKEN = [
    ("both forms", {**MINIMAL, f"{INDEXES}__0__Name": "a"}, INDEXES, "both forms"),
    ("no json", {**ENDPOINT, INDEXES: "{"}, INDEXES, "not valid JSON"),
    ("no list", {**ENDPOINT, INDEXES: "{}"}, INDEXES, "JSON list"),
    ("key twice", {**ENDPOINT, INDEXES: '[{"Name": "a", "Name": "b"}]'}, INDEXES, "not valid JSON"),
    ("key twice in other case", {**ENDPOINT, INDEXES: '[{"Name": "a", "name": "b"}]'}, f"{INDEXES}[0]", "key twice"),
    ("empty list", {**ENDPOINT, INDEXES: "[]"}, INDEXES, "at least one index"),
    ("unknown key", with_index(Contentfield=["a"]), f"{INDEXES}[0].Contentfield", "not a known key"),
    ("name missing", {**ENDPOINT, INDEXES: '[{"KeyField": "a"}]'}, f"{INDEXES}[0].Name", "required"),
    ("name blank", {**ENDPOINT, INDEXES: '[{"Name": " "}]'}, f"{INDEXES}[0].Name", "required"),
    ("name twice", {**ENDPOINT, INDEXES: '[{"Name": "a"}, {"Name": "a"}]'}, f"{INDEXES}[1].Name", "earlier entry"),
    ("text for a list", with_index(ContentFields="title"), f"{INDEXES}[0].ContentFields", "list of texts"),
    ("blank entry", with_index(VectorFields=[" "]), f"{INDEXES}[0].VectorFields", "none of them blank"),
    ("no roles", with_index(AllowedRoles=[]), f"{INDEXES}[0].AllowedRoles", "leave the key out"),
    ("flag", with_index(PermissionFilter="yes"), f"{INDEXES}[0].PermissionFilter", "true or false"),
    ("share", with_index(MinimumRelevanceFilter=2), f"{INDEXES}[0].MinimumRelevanceFilter", "from 0 to 1"),
    ("floor", with_index(MinimumRerankerScore=-1), f"{INDEXES}[0].MinimumRerankerScore", "from 0 to 4"),
    ("label twice", with_index(Labels={"a": "X", "b": "X"}), f"{INDEXES}[0].Labels.A", "label of another field"),
    ("label is a field", with_index(ContentFields=["a", "b"], Labels={"a": "b"}), f"{INDEXES}[0].Labels.A", "another field"),
    ("label with colon", with_index(Labels={"a": "x: y"}), f"{INDEXES}[0].Labels.A", "colon"),
    (
        "required but not allowed",
        with_index(FilterFields=["a"], RequiredFilterFields=["b"]),
        f"{INDEXES}[0].RequiredFilterFields",
        "FilterFields does not allow",
    ),
    ("http", {**MINIMAL, "AiAgents__AISearch__Endpoint": "http://x.example"}, "AiAgents__AISearch__Endpoint", "https://"),
    ("ftp", {**MINIMAL, "AiAgents__AISearch__Endpoint": "ftp://x.example"}, "AiAgents__AISearch__Endpoint", "https://"),
    (
        "credentials",
        {**MINIMAL, "AiAgents__AISearch__Endpoint": "https://u:SECRET@x.example"},
        "AiAgents__AISearch__Endpoint",
        "without user name",
    ),
    (
        "placeholder",
        {**MINIMAL, "AiAgents__AISearch__Endpoint": "https://<name>.search.windows.net"},
        "AiAgents__AISearch__Endpoint",
        "with a host",
    ),
    (
        "broken address",
        {**MINIMAL, "AiAgents__AISearch__Endpoint": "https://[::1"},
        "AiAgents__AISearch__Endpoint",
        "cannot be read",
    ),
    (
        "relevance",
        {**MINIMAL, "AiAgents__AISearch__MinimumRelevanceFilter": "0,5"},
        "AiAgents__AISearch__MinimumRelevanceFilter",
        "Must be a number",
    ),
    (
        "nan",
        {**MINIMAL, "AiAgents__AISearch__MinimumRelevanceFilter": "NaN"},
        "AiAgents__AISearch__MinimumRelevanceFilter",
        "Must be a number",
    ),
    (
        "few characters",
        {**MINIMAL, "AiAgents__AISearch__MaxEvidenceCharacters": "399"},
        "AiAgents__AISearch__MaxEvidenceCharacters",
        "from 400",
    ),
    ("typo", {**MINIMAL, "AiAgents__AISearch__TimeoutSecond": "3"}, "AiAgents__AISearch__TimeoutSecond", "not a known"),
    ("secret missing", {**MINIMAL, "AiAgents__AISearch__Authentication__TenantId": "t",
                        "AiAgents__AISearch__Authentication__ClientId": "c"},
     "AiAgents__AISearch__Authentication__ClientSecret", "required beside"),
    ("two identities", {**MINIMAL, "AiAgents__AISearch__Authentication__TenantId": "t",
                        "AiAgents__AISearch__Authentication__ManagedIdentityClientId": "c"},
     "AiAgents__AISearch__Authentication__ManagedIdentityClientId", "Stands alone"),
    ("authority", {**MINIMAL, "AiAgents__AISearch__Authentication__AuthorityHost": "http://login.example"},
     "AiAgents__AISearch__Authentication__AuthorityHost", "https://"),
    ("hosts", {**MINIMAL, "AiAgents__Citations__AllowedLinkHosts": '["a", {}]'},
     "AiAgents__Citations__AllowedLinkHosts", "list of texts"),
    ("host with scheme", {**MINIMAL, "AiAgents__Citations__AllowedLinkHosts": '["https://SECRET.example"]'},
     "AiAgents__Citations__AllowedLinkHosts", "hosts alone"),
    ("host with port", {**MINIMAL, "AiAgents__Citations__AllowedLinkHosts": '["a.example:443"]'},
     "AiAgents__Citations__AllowedLinkHosts", "hosts alone"),
    ("wildcard host", {**MINIMAL, "AiAgents__Citations__AllowedLinkHosts": '["*.example"]'},
     "AiAgents__Citations__AllowedLinkHosts", "hosts alone"),
    ("concurrency", {**MINIMAL, "AiAgents__MaxConcurrentRequests": "0"}, "AiAgents__MaxConcurrentRequests", "at least 1"),
    ("queue", {**MINIMAL, "AiAgents__Briefings__QueueName": "No_Queue"}, "AiAgents__Briefings__QueueName", "lower-case"),
    ("done queue", {**MINIMAL, "AiAgents__Briefings__DoneQueueName": "briefings"},
     "AiAgents__Briefings__DoneQueueName", "Must not be"),
    ("definitions", {**MINIMAL, "AiAgents__Briefings__DefinitionsFolder": "no/such/folder"},
     "AiAgents__Briefings__DefinitionsFolder", "Must name an existing folder, relative to the app or absolute."),
    ("days", {**MINIMAL, "AiAgents__Briefings__RetentionDays": "soon"}, "AiAgents__Briefings__RetentionDays", "integer"),
    ("deployment", {**MINIMAL, "AiAgents__Model__Endpoint": "https://m.example"},
     "AiAgents__Model__Deployment", "required with an endpoint"),
    ("daily limit", {**MINIMAL, "AiAgents__Model__Endpoint": "https://m.example", "AiAgents__Model__Deployment": "m",
                     "AiAgents__Model__DailyTokenLimit": "5"},
     "AiAgents__Model__DailyTokenLimit", "Needs the briefing storage"),
    ("key for azure", {**MINIMAL, "AiAgents__Model__Endpoint": "https://a.openai.azure.com",
                       "AiAgents__Model__Deployment": "m", "AiAgents__Model__ApiKey": "SECRET"},
     "AiAgents__Model__ApiKey", "endpoint of Azure"),
    ("key and scope", {**MINIMAL, "AiAgents__Model__Endpoint": "https://m.example", "AiAgents__Model__Deployment": "m",
                       "AiAgents__Model__ApiKey": "SECRET", "AiAgents__Model__Scope": "api://m/.default"},
     "AiAgents__Model__Scope", "beside ApiKey"),
    ("model endpoint", {**MINIMAL, "AiAgents__Model__Deployment": "m"}, "AiAgents__Model__Endpoint", "with a deployment"),
    ("context index", {**MINIMAL, "AiAgents__Context__Index": "other", "AiAgents__Context__Unfiltered": "true"},
     "AiAgents__Context__Index", "not among"),
    ("context unfiltered", {**MINIMAL, "AiAgents__Context__Index": "schools"}, "AiAgents__Context__Filter", "Is required"),
    ("context filter", {**MINIMAL, "AiAgents__Context__Index": "schools", "AiAgents__Context__Filter": '{"raw": "a eq"}'},
     "AiAgents__Context__Filter.raw", ""),
    ("context filter of a closed field",
     {**with_index(FilterFields=["town"]), "AiAgents__Context__Index": "schools",
      "AiAgents__Context__Filter": '{"equals": {"SECRET": 1}}'}, "AiAgents__Context__Filter", "FilterFields"),
    ("context filter that pins nothing",
     {**with_index(RequiredFilterFields=["town"]), "AiAgents__Context__Index": "schools",
      "AiAgents__Context__Filter": '{"equals": {"phase": 1}}'}, "AiAgents__Context__Filter", "RequiredFilterFields"),
    ("unfiltered context of an index to be pinned",
     {**with_index(RequiredFilterFields=["town"]), "AiAgents__Context__Index": "schools",
      "AiAgents__Context__Unfiltered": "true"}, "AiAgents__Context__Filter", "RequiredFilterFields"),
    ("context limit", {**MINIMAL, "AiAgents__Context__RecentMessageMemoryLimit": "-1"},
     "AiAgents__Context__RecentMessageMemoryLimit", "at least 0"),
    ("search time", {**MINIMAL, "AiAgents__Context__SearchTime": "Later"}, "AiAgents__Context__SearchTime", "one of"),
    ("emulator", {**MINIMAL, "BriefingStorage": "AccountName=a;AccountKey=SECRET;EndpointSuffix=core.windows.net"},
     "BriefingStorage", "local emulator only"),
    ("two storages", {**MINIMAL, "BriefingStorage": "UseDevelopmentStorage=true",
                      "BriefingStorage__queueServiceUri": "https://q.example"}, "BriefingStorage", "beside"),
    ("emulator in azure", {**MINIMAL, "BriefingStorage": "UseDevelopmentStorage=true", "WEBSITE_INSTANCE_ID": "1"},
     "BriefingStorage", "local emulator only"),
    ("credential", {**MINIMAL, "BriefingStorage__credential": "key"}, "BriefingStorage__credential", "managedidentity"),
    ("redactor", {**MINIMAL, "AiAgents__Telemetry__Redactor": "blur"}, "AiAgents__Telemetry__Redactor", "erase, hmac"),
    ("hmac", {**MINIMAL, "AiAgents__Telemetry__Redactor": "hmac"}, "AiAgents__Telemetry__HmacKey", "required"),
    (
        "hmac key",
        {**MINIMAL, "AiAgents__Telemetry__Redactor": "hmac", "AiAgents__Telemetry__HmacKey": "SECRET"},
        "AiAgents__Telemetry__HmacKey",
        "base64 of at least 44 characters",
    ),
    ("sensitive", {**MINIMAL, "AiAgents__Telemetry__EnableSensitiveTelemetryData": "1"},
     "AiAgents__Telemetry__EnableSensitiveTelemetryData", "true or false"),
]  # fmt: skip


@pytest.mark.parametrize(("environ", "setting", "words"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_problem_names_the_setting_and_no_value(environ: dict[str, str], setting: str, words: str) -> None:
    problems = problems_of(environ)
    assert setting in problems
    assert words in problems[setting]
    assert "SECRET" not in str(problems)
    with pytest.raises(SettingsError, match=r"AiAgents|BriefingStorage") as raised:
        check_settings(environ)
    assert {problem.setting for problem in raised.value.problems} == problems.keys()


WITH_ONE_WRONG = [
    ({"Name": "schools", "KeyField": "urn"}, {"Name": "wrong", "MinimumRerankerScore": 9}, {"wrong"}),
    ({"Name": "schools", "KeyField": "urn"}, {"Name": "wrong", "Typo": 1}, {"wrong"}),
    ({"Name": "schools", "KeyField": "urn"}, {"name": "wrong", "NAME": "other"}, set()),
    ({"Name": "schools", "KeyField": "urn"}, {"KeyField": "urn"}, set()),
]


@pytest.mark.parametrize(("good", "wrong", "unusable"), WITH_ONE_WRONG)
def test_a_wrong_index_takes_out_itself_alone(good: dict[str, Any], wrong: dict[str, Any], unusable: set[str]) -> None:
    agents = json.dumps([{"Name": "a", "Indexes": [{"Name": "schools"}]}])
    settings = load_settings({**ENDPOINT, INDEXES: json.dumps([wrong, good]), AGENT: agents})
    assert {problem.section for problem in settings.problems} == {"index"}
    assert settings.retrieval is not None
    assert [index.name for index in settings.retrieval.indexes if index.usable] == ["schools"]
    assert {index.name for index in settings.retrieval.indexes if not index.usable} == unusable
    assert [agent.usable for agent in settings.retrieval.agents] == [True]


def test_a_name_of_two_indexes_is_unusable() -> None:
    settings = load_settings({**ENDPOINT, INDEXES: '[{"Name": "a"}, {"Name": "b"}, {"Name": "a", "KeyField": "k"}]'})
    assert settings.retrieval is not None
    assert {index.name: index.usable for index in settings.retrieval.indexes} == {"a": False, "b": True}


WARNINGS = [
    (with_index(ContentFields=["town", "town"]), f"{INDEXES}[0].ContentFields", "counts once"),
    ({**MINIMAL, "AiAgents__Foundry__Endpoint": "https://SECRET.example"}, "AiAgents__Foundry__Endpoint", "not read"),
    ({**MINIMAL, "AiAgents__ApplicationName": "SECRET"}, "AiAgents__ApplicationName", "not read"),
    ({**MINIMAL, "AiAgents__Authentication__TenantId": "SECRET"}, "AiAgents__Authentication__TenantId", "not read"),
]


@pytest.mark.parametrize(("environ", "setting", "words"), WARNINGS)
def test_warnings_stop_nothing(environ: dict[str, str], setting: str, words: str) -> None:
    warnings = check_settings(environ).warnings
    assert [warning.setting for warning in warnings] == [setting]
    assert words in warnings[0].message
    assert "SECRET" not in str(warnings)


UNKNOWN = [
    ("AiAgents:AISearch:Endpoint", "two underscores"),
    ("aiagents__AISearch__Endpiont", "not a known setting"),
    ("AiAgents__Breifings__QueueName", "AiAgents__Briefings"),
    ("BriefingStorage__queueUri", "not a known setting"),
    ("BriefingStorage:queueServiceUri", "two underscores"),
]


@pytest.mark.parametrize(("name", "words"), UNKNOWN)
def test_unknown_names_of_ours_are_problems(name: str, words: str) -> None:
    assert words in problems_of({**MINIMAL, name: "SECRET"})[name]


def test_all_problems_come_together() -> None:
    environ = {
        INDEXES: '[{"Name": ""}]',
        "AiAgents__AISearch__MaxEvidenceCharacters": "abc",
        "AiAgents__AISearch__MaxRetryAttempts": "-1",
        "AiAgents__Briefings__RetentionDays": "0",
    }
    assert len(problems_of(environ)) == 5
    assert load_settings(environ).retrieval is None


BLANK = (
    *("AiAgents__AISearch__MinimumRelevanceFilter", "AiAgents__AISearch__MaxEvidenceCharacters"),
    *("AiAgents__AISearch__MaxRetryAttempts", "AiAgents__AISearch__TimeoutSeconds", "AiAgents__MaxConcurrentRequests"),
    *("AiAgents__Citations__AllowedLinkHosts", "AiAgents__KnowledgeAgents", "AiAgents__Model__DailyTokenLimit"),
)


@pytest.mark.parametrize("name", BLANK)
@pytest.mark.parametrize("value", ["", "  ", "null", " null "])
def test_a_blank_list_or_number_is_absent(name: str, value: str) -> None:
    assert check_settings({**MINIMAL, name: value}) == check_settings(MINIMAL)


@pytest.mark.parametrize("value", ["", " ", "null", "NULL"])
def test_a_blank_list_or_number_of_an_index_is_absent(value: str) -> None:
    keys = ("ContentFields", "ReturnFields", "AllowedRoles", "RequiredFilterFields", "MinimumRelevanceFilter")
    numbered = {f"{INDEXES}__0__Name": "schools", **{f"{INDEXES}__0__{key}": value for key in keys}}
    assert check_settings({**ENDPOINT, **numbered}) == check_settings(MINIMAL)


def test_a_required_field_may_be_part_of_an_allowed_one() -> None:
    settings = check_settings(with_index(FilterFields=["address"], RequiredFilterFields=["address/city", "address"]))
    assert settings.retrieval is not None
    assert problems_of(with_index(FilterFields=["address/city"], RequiredFilterFields=["address"]))


def test_link_hosts_ignore_case_and_blanks() -> None:
    hosts = json.dumps([" WWW.Example.org ", "[::1]", "bücher.example"])
    settings = check_settings({**MINIMAL, "AiAgents__Citations__AllowedLinkHosts": hosts})
    assert settings.allowed_link_hosts == ("www.example.org", "[::1]", "bücher.example")


WITH_KEY = with_index(KeyField="urn")
BROKEN_AGENTS = [
    ("unknown index", [{"Name": "a", "Indexes": [{"Name": "x"}]}], "[0].Indexes[0].Name", "not among"),
    ("no index", [{"Name": "a"}], "[0].Indexes", "1 to 10"),
    ("null indexes", [{"Name": "a", "Indexes": None}], "[0].Indexes", "1 to 10"),
    ("twice", [{"Name": "a", "Indexes": [{"Name": "schools"}] * 2}], "[0].Indexes[1].Name", "twice"),
    ("engine", [{"Name": "a", "Engine": "x", "Indexes": [{"Name": "schools"}]}], "[0].Engine", "planned or service"),
    ("no base", [{"Name": "a", "Engine": "service", "Indexes": [{"Name": "schools"}]}], "[0].KnowledgeBase", "either"),
    ("no names", [{"Name": "", "Indexes": [{"Name": "schools"}]}], "[0].Name", "required"),
    ("threshold", [{"Name": "a", "RerankerThreshold": 5, "Indexes": [{"Name": "schools"}]}], "[0].RerankerThreshold", "4"),
    (
        "filter",
        [{"Name": "a", "Indexes": [{"Name": "schools", "Filter": {"equals": {}}}]}],
        "[0].Indexes[0].Filter.equals",
        "",
    ),
]


@pytest.mark.parametrize(
    ("agents", "place", "words"), [row[1:] for row in BROKEN_AGENTS], ids=[row[0] for row in BROKEN_AGENTS]
)
def test_agents_are_checked(agents: list[Any], place: str, words: str) -> None:
    problems = problems_of({**WITH_KEY, AGENT: json.dumps(agents)})
    assert words in problems[AGENT + place]


def test_an_agents_filter_keeps_to_the_fields_of_its_index() -> None:
    def faults(**filter_: Any) -> dict[str, str]:
        agents = json.dumps([{"Name": "a", "Indexes": [{"Name": "schools", "Filter": {"equals": filter_}}]}])
        index = with_index(KeyField="urn", FilterFields=["town", "phase"], RequiredFilterFields=["town"])
        return problems_of({**index, AGENT: agents})

    assert "FilterFields" in faults(SECRET=1)[f"{AGENT}[0].Indexes[0].Filter"]
    assert faults(town="Bath") == {}
    assert faults(phase="Primary") == {}, "a caller may pin down the rest"


def test_an_agent_needs_a_key_field() -> None:
    agents = json.dumps([{"Name": "a", "Indexes": [{"Name": "schools"}]}])
    assert "KeyField" in problems_of({**with_index(), AGENT: agents})[f"{AGENT}[0].Indexes[0].Name"]


def test_storage_by_identity() -> None:
    settings = check_settings(
        {
            **MINIMAL,
            "BriefingStorage__queueServiceUri": "https://a.queue.core.windows.net",
            "BriefingStorage__blobServiceUri": "https://a.blob.core.windows.net/",
            "BriefingStorage__credential": "managedidentity",
            "BriefingStorage__clientId": "id",
        }
    )
    assert settings.storage is not None
    assert (settings.storage.blob_service_uri, settings.storage.credential) == (
        "https://a.blob.core.windows.net",
        "managedidentity",
    )


def test_secrets_are_not_in_any_repr() -> None:
    environ = {
        **MINIMAL,
        "AiAgents__AISearch__Authentication__TenantId": "tenant",
        "AiAgents__AISearch__Authentication__ClientId": "client",
        "AiAgents__AISearch__Authentication__ClientSecret": "SECRET",
        "AiAgents__Telemetry__HmacKey": "SECRET",
        "APPLICATIONINSIGHTS_CONNECTION_STRING": "InstrumentationKey=SECRET",
        "BriefingStorage": "UseDevelopmentStorage=true",
    }
    assert "SECRET" not in repr(load_settings(environ))


def test_an_unusable_queue_name_is_no_queue() -> None:
    assert queue_name({}) == "briefings"
    assert queue_name({"AiAgents__Briefings__QueueName": "reports"}) == "reports"
    assert queue_name({"AiAgents__Briefings__QueueName": "!"}) is None
    assert queue_name({"AiAgents__Briefings__QueueName": "x" * 57}) is None


MODES = [
    ({}, "function", False),
    ({"AiAgents__Auth__Mode": "open"}, "open", False),
    ({"AiAgents__Auth__Mode": "Entra"}, "function", True),
    ({"AiAgents__Auth__Mode": "Entra", "WEBSITE_AUTH_ENABLED": "True"}, "entra", False),
    ({"AiAgents__Auth__Mode": "Entra", "WEBSITE_AUTH_ENABLED": "False"}, "function", True),
    ({"AiAgents__Auth__Mode": "everyone"}, "function", True),
    ({"AiAgents__Auth__Mode": "open", "WEBSITE_INSTANCE_ID": "1"}, "function", True),
    ({"AiAgents__Auth__Mode": "open", "CONTAINER_APP_NAME": "app"}, "function", True),
    ({"AiAgents__Auth__Mode": "open", "KUBERNETES_SERVICE_HOST": "10.0.0.1"}, "function", True),
    ({"AiAgents__Auth__Mode": "open", "AZURE_FEDERATED_TOKEN_FILE": "/token"}, "function", True),
    ({"AiAgents__Auth__Mode": "entra", "IDENTITY_ENDPOINT": "http://x"}, "function", True),
    ({"AiAgents__Auth__Mode": "entra", "IDENTITY_ENDPOINT": "http://x", "WEBSITE_AUTH_ENABLED": "True"}, "entra", False),
]


@pytest.mark.parametrize(("environ", "mode", "refused"), MODES)
def test_caller_modes(environ: dict[str, str], mode: str, refused: bool) -> None:
    auth = load_settings(environ).auth
    assert (auth.mode, auth.problem is not None) == (mode, refused)


def test_the_table_names_each_setting_once() -> None:
    names = [setting.name for setting in SETTINGS]
    assert len(set(names)) == len(names)
