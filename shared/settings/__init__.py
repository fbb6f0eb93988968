"""The app's settings, read from the environment (spec 2)."""

from .auth import AuthMode, AuthSettings, load_auth
from .catalog import INDEX_KEYS, SETTINGS, Setting
from .load import check_settings, load_settings, queue_name
from .problems import Section, SettingProblem, SettingsError
from .settings import ContextSettings, Settings

__all__ = [
    "INDEX_KEYS",
    "SETTINGS",
    "AuthMode",
    "AuthSettings",
    "ContextSettings",
    "Section",
    "Setting",
    "SettingProblem",
    "Settings",
    "SettingsError",
    "check_settings",
    "load_auth",
    "load_settings",
    "queue_name",
]
