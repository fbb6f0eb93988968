"""The search tool that a model may call instead of being given context (`OnDemandFunctionCalling`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import InvalidRequest, Problem

ARGUMENT = "userQuestion"

NOTHING_FOUND = (
    "No information was found for this question. Try once more with other words, or say that nothing was found; "
    "do not answer from this search."
)
SEARCH_FAILED = (
    "The search could not be carried out just now, so it is not known whether there is information. "
    "Try again later, or say that the search is not available."
)


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool as a model sees it: `parameters` is the JSON schema of its arguments."""

    name: str
    description: str

    @property
    def parameters(self) -> dict[str, object]:
        """One required text."""
        return {"type": "object", "properties": {ARGUMENT: {"type": "string"}}, "required": [ARGUMENT]}


def question_of(arguments: Mapping[str, object]) -> str:
    """The question among a model's arguments; others are ignored, null counts as the empty text.

    Raises InvalidRequest when it is missing or no text.
    """
    if ARGUMENT not in arguments:
        raise _invalid("is required", "missing")
    value = arguments[ARGUMENT]
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _invalid("must be text", "wrong_type")
    return value


def _invalid(what: str, code: str) -> InvalidRequest:
    message = f"{ARGUMENT} {what}."
    return InvalidRequest(message, problems=(Problem(f"$.{ARGUMENT}", code, message),))
