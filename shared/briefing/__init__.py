"""Answers and queue-driven briefings over numbered evidence: the only door to this package."""

from shared.answers.answer import (
    Answer,
    AnswerOptions,
    AnswerPiece,
    AnswerStatus,
    AnswerTask,
    answer,
    answer_all,
    stream_answer,
)
from shared.answers.extractive import ExtractiveWriter
from shared.answers.model import ModelWriter
from shared.answers.planner import ModelPlanner
from shared.answers.writer import AnswerWriter, Draft, Rejected, Task, Usage, Writer

from .batches import BatchPage, BatchProgress, ListedBriefing, check_batch_page
from .briefings import BriefingParts, Briefings
from .connect import connect_storage
from .definition_files import load_definitions
from .definitions import Definition, Definitions
from .deliveries import Outcome
from .errors import (
    BriefingBusy,
    BriefingConflict,
    BriefingGone,
    BriefingNotFound,
    ContentFiltered,
    DailyLimit,
    DeadlinePassed,
    DefinitionsBroken,
    InternalFault,
    InvalidContinuation,
    InvalidSubmission,
    ModelFailed,
    ModelIncomplete,
    ModelRefused,
    ModelThrottled,
    ModelTimeout,
    Redeliver,
    StorageRefused,
    StorageUnavailable,
)
from .page import PAGE_CONTENT_SECURITY_POLICY
from .readiness import ReadyCheck
from .records import FINAL, STATUSES, Status
from .rejections import Rejection, RejectionPage, check_rejections_page
from .settings import BriefingSettings, ModelSettings, StorageSettings
from .storage import Blobs, Queue, Storage
from .submission import BatchReceipt, Receipt, SubmissionItem, check_submission
from .token_budget import DailyTokens
from .view import BriefingView, SectionView

__all__ = [
    "FINAL",
    "PAGE_CONTENT_SECURITY_POLICY",
    "STATUSES",
    "Answer",
    "AnswerOptions",
    "AnswerPiece",
    "AnswerStatus",
    "AnswerTask",
    "AnswerWriter",
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
    "ContentFiltered",
    "DailyLimit",
    "DailyTokens",
    "DeadlinePassed",
    "Definition",
    "Definitions",
    "DefinitionsBroken",
    "Draft",
    "ExtractiveWriter",
    "InternalFault",
    "InvalidContinuation",
    "InvalidSubmission",
    "ListedBriefing",
    "ModelFailed",
    "ModelIncomplete",
    "ModelPlanner",
    "ModelRefused",
    "ModelSettings",
    "ModelThrottled",
    "ModelTimeout",
    "ModelWriter",
    "Outcome",
    "Queue",
    "ReadyCheck",
    "Receipt",
    "Redeliver",
    "Rejected",
    "Rejection",
    "RejectionPage",
    "SectionView",
    "Status",
    "Storage",
    "StorageRefused",
    "StorageSettings",
    "StorageUnavailable",
    "SubmissionItem",
    "Task",
    "Usage",
    "Writer",
    "answer",
    "answer_all",
    "check_batch_page",
    "check_rejections_page",
    "check_submission",
    "connect_storage",
    "load_definitions",
    "stream_answer",
]
