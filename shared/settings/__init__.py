"""The app's settings, read from the environment."""

from .catalog import INDEX_KEYS, SETTINGS, Setting
from .environment import Section, SettingProblem, SettingsError
from .load import check_settings, load_settings, queue_name
from .settings import AuthMode, AuthSettings, ContextSettings, Settings, load_auth

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
