"""Queue-driven briefings over numbered evidence: the only door to this package."""

from .batches import BatchPage, BatchProgress, ListedBriefing, check_batch_page
from .briefings import BriefingParts, Briefings, ReadyCheck
from .definitions import Definition, Definitions, load_definitions
from .errors import (
    BriefingBusy,
    BriefingConflict,
    BriefingGone,
    BriefingNotFound,
    DeadlinePassed,
    DefinitionsBroken,
    InternalFault,
    InvalidContinuation,
    InvalidSubmission,
    Redeliver,
    StorageRefused,
    StorageUnavailable,
)
from .messages import Outcome
from .page import PAGE_CONTENT_SECURITY_POLICY
from .records import FINAL, STATUSES, Status
from .rejections import Rejection, RejectionPage, check_rejections_page
from .settings import BriefingSettings, StorageSettings
from .storage import Blobs, Queue, Storage
from .submission import BatchReceipt, Receipt, SubmissionItem, check_submission
from .token_budget import DailyTokens
from .view import BriefingView, SectionView

__all__ = [
    "FINAL",
    "PAGE_CONTENT_SECURITY_POLICY",
    "STATUSES",
    "BatchPage",
    "BatchProgress",
    "BatchReceipt",
    "Blobs",
    "BriefingBusy",
    "BriefingConflict",
    "BriefingGone",
    "BriefingNotFound",
    "BriefingParts",
    "BriefingSettings",
    "BriefingView",
    "Briefings",
    "DailyTokens",
    "DeadlinePassed",
    "Definition",
    "Definitions",
    "DefinitionsBroken",
    "InternalFault",
    "InvalidContinuation",
    "InvalidSubmission",
    "ListedBriefing",
    "Outcome",
    "Queue",
    "ReadyCheck",
    "Receipt",
    "Redeliver",
    "Rejection",
    "RejectionPage",
    "SectionView",
    "Status",
    "Storage",
    "StorageRefused",
    "StorageSettings",
    "StorageUnavailable",
    "SubmissionItem",
    "check_batch_page",
    "check_rejections_page",
    "check_submission",
    "load_definitions",
]
