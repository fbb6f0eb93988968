"""Redactors: the values measured with .NET's, the refused settings, and that a failing redactor lets nothing out."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.telemetry import REDACTED, Kind, RedactorUnusable, TelemetrySettings, make_redactor
from shared.telemetry.schema import IDENTIFIERS

KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
LONG_KEY = base64.b64encode(bytes(range(255, 255 - 48, -1))).decode("ascii")
CONTENT = sorted(set(Kind) - IDENTIFIERS)


class Upper:
    """A redactor of somebody's own."""

    def redact(self, text: str, kind: str) -> str:
        return f"{kind}:{len(text)}"


class Failing:
    """Fails with the text in its message."""

    def redact(self, text: str, kind: str) -> str:
        raise RuntimeError(text)


class Wordless:
    """Gives something that is no text."""

    def redact(self, text: str, kind: str) -> object:
        return {"text": text}


class NoRedactor:
    """Has no `redact`."""


class Unmade:
    """Cannot be made."""

    def __init__(self) -> None:
        raise RuntimeError("no")


OWN = __name__


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a", "7:UZaYvlFmEd8aTgL4WRgE2A=="),
        ("100000", "7:/K4+yiQGe63oUMVe0lrS1Q=="),
        ("The Aldgate School", "7:mVoUCpZPQZNOr18uxv/ljw=="),
        ("Grüße, 世界", "7:9EldBgZd0q+vGXadtnrZDg=="),
        ("😀", "7:6ekT6132JgmLw/WzI7GfFQ=="),
        ("", ""),
    ],
)
def test_hmac_gives_the_values_of_dotnet(text: str, value: str) -> None:
    redactor = make_redactor(TelemetrySettings(redactor="hmac", hmac_key=KEY, hmac_key_id="7"))
    assert redactor.redact(text, Kind.IDENTIFIER) == value


def test_hmac_without_key_id_has_no_prefix() -> None:
    redactor = make_redactor(TelemetrySettings(redactor="hmac", hmac_key=LONG_KEY))
    assert redactor.redact("a", Kind.USER_ID) == "tEb4YvfaFSKfOneWzTPxZQ=="


@pytest.mark.parametrize("kind", CONTENT)
def test_hmac_erases_content(kind: Kind) -> None:
    redactor = make_redactor(TelemetrySettings(redactor="hmac", hmac_key=KEY))
    assert redactor.redact("the salary of Jane Roe", kind) == REDACTED


def test_hmac_takes_half_a_surrogate_pair() -> None:
    redactor = make_redactor(TelemetrySettings(redactor="hmac", hmac_key=KEY))
    assert len(redactor.redact("\ud83d", Kind.IDENTIFIER)) == 24


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize(("text", "left"), [("CANARY", REDACTED), ("", "")])
def test_erase_leaves_that_there_was_a_text(kind: Kind, text: str, left: str) -> None:
    assert make_redactor(TelemetrySettings()).redact(text, kind) == left


def test_own_class_is_asked_with_text_and_kind() -> None:
    assert make_redactor(TelemetrySettings(redactor=f"{OWN}:Upper")).redact("CANARY", Kind.QUERY) == "query:6"


@pytest.mark.parametrize("name", ["Failing", "Wordless"])
def test_own_class_that_fails_erases(name: str) -> None:
    redactor = make_redactor(TelemetrySettings(redactor=f"{OWN}:{name}"))
    assert redactor.redact("CANARY", Kind.QUERY) == REDACTED
    assert redactor.redact("", Kind.QUERY) == ""


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (TelemetrySettings(redactor="hmac"), r"HmacKey must be base64 of at least 44 characters \(32 bytes\)\."),
        (TelemetrySettings(redactor="hmac", hmac_key=KEY[:40]), "HmacKey must be base64 of at least 44 characters"),
        (TelemetrySettings(redactor="hmac", hmac_key="!" * 44), r"HmacKey must be base64\."),
        (TelemetrySettings(redactor="hmac", hmac_key="Ä" * 44), r"HmacKey must be base64\."),
        (TelemetrySettings(redactor="none"), "Redactor must be `erase`, `hmac` or `package.module:Class`"),
        (TelemetrySettings(redactor="no.such.module:Class"), "Redactor names a class that cannot be made"),
        (TelemetrySettings(redactor=f"{OWN}:Missing"), "Redactor names a class that cannot be made"),
        (TelemetrySettings(redactor=f"{OWN}:Unmade"), "Redactor names a class that cannot be made"),
        (TelemetrySettings(redactor=f"{OWN}:NoRedactor"), r"Redactor names a class without `redact\(text, kind\)`"),
    ],
)
def test_unusable_redactors_are_refused_without_their_value(settings: TelemetrySettings, message: str) -> None:
    with pytest.raises(RedactorUnusable, match=message) as refused:
        make_redactor(settings)
    assert refused.value.__suppress_context__ or refused.value.__context__ is None
    assert settings.hmac_key is None or settings.hmac_key not in str(refused.value)


def test_a_key_of_31_bytes_in_44_characters_passes_as_it_does_in_dotnet() -> None:
    key = base64.b64encode(bytes(31)).decode("ascii")
    assert len(key) == 44
    assert make_redactor(TelemetrySettings(redactor="hmac", hmac_key=key)).redact("a", Kind.IDENTIFIER) != REDACTED


def test_keys_are_not_in_the_repr_of_settings() -> None:
    settings = TelemetrySettings(hmac_key=KEY, connection_string="InstrumentationKey=secret")
    assert KEY not in repr(settings)
    assert "InstrumentationKey" not in repr(settings)


@pytest.mark.parametrize(
    ("enabled", "in_azure", "confirmed", "sensitive"),
    [
        (False, False, False, False),
        (True, False, False, True),
        (True, True, False, False),
        (True, True, True, True),
        (False, True, True, False),
        (False, False, True, False),
    ],
)
def test_sensitive_data_needs_its_switch_and_in_azure_its_confirmation(
    enabled: bool, in_azure: bool, confirmed: bool, sensitive: bool
) -> None:
    settings = TelemetrySettings(enable_sensitive_data=enabled, in_azure=in_azure, confirm_sensitive_in_azure=confirmed)
    assert settings.sensitive is sensitive
    assert (make_redactor(settings).redact("CANARY", Kind.QUERY) == "CANARY") is sensitive


@pytest.mark.parametrize(
    ("redactor", "user"), [("erase", REDACTED), ("hmac", "UZaYvlFmEd8aTgL4WRgE2A=="), (f"{OWN}:Upper", "user_id:1")]
)
def test_sensitive_data_never_shows_who_called(redactor: str, user: str) -> None:
    settings = TelemetrySettings(enable_sensitive_data=True, redactor=redactor, hmac_key=KEY)
    assert make_redactor(settings).redact("a", Kind.USER_ID) == user


@given(st.text(min_size=1), st.sampled_from(CONTENT))
def test_no_content_survives_erase_or_hmac(text: str, kind: Kind) -> None:
    for redactor in ("erase", "hmac"):
        assert make_redactor(TelemetrySettings(redactor=redactor, hmac_key=KEY)).redact(text, kind) == REDACTED
