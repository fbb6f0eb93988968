"""The app's settings, read from the environment (spec 2)."""

from .auth import AuthMode as AuthMode
from .auth import AuthSettings as AuthSettings
from .auth import in_azure as in_azure
from .auth import load_auth as load_auth
from .load import check_settings as check_settings
from .load import load_settings as load_settings
from .load import queue_name as queue_name
from .problems import Section as Section
from .problems import SettingProblem as SettingProblem
from .problems import SettingsError as SettingsError
from .settings import ContextSettings as ContextSettings
from .settings import Settings as Settings
from .table import INDEX_KEYS as INDEX_KEYS
from .table import SETTINGS as SETTINGS
from .table import Setting as Setting
