"""Answers over numbered evidence: written, checked against their sources, resolved. The only door to this package."""

from .answer import (
    Answer,
    AnswerOptions,
    AnswerPiece,
    AnswerStatus,
    AnswerTask,
    answer,
    answer_all,
    stream_answer,
)
from .errors import (
    ContentFiltered,
    DailyLimit,
    ModelFailed,
    ModelIncomplete,
    ModelPromptTooLong,
    ModelRefused,
    ModelThrottled,
    ModelTimeout,
)
from .extractive import ExtractiveWriter
from .model import ModelWriter
from .planner import ModelPlanner
from .settings import ModelSettings
from .writer import AnswerWriter, Draft, Rejected, Task, TokenBudget, Usage, Writer

__all__ = [
    "Answer",
    "AnswerOptions",
    "AnswerPiece",
    "AnswerStatus",
    "AnswerTask",
    "AnswerWriter",
    "ContentFiltered",
    "DailyLimit",
    "Draft",
    "ExtractiveWriter",
    "ModelFailed",
    "ModelIncomplete",
    "ModelPlanner",
    "ModelPromptTooLong",
    "ModelRefused",
    "ModelSettings",
    "ModelThrottled",
    "ModelTimeout",
    "ModelWriter",
    "Rejected",
    "Task",
    "TokenBudget",
    "Usage",
    "Writer",
    "answer",
    "answer_all",
    "stream_answer",
]
