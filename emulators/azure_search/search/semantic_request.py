"""The semantic members of a search request: configuration, captions and answers, checked."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..errors import ServiceError, invalid_parameter
from ..schema.definition import IndexDefinition
from ..schema.semantic_config import SemanticConfiguration
from .search_request import SearchRequest

OPTION = re.compile(r"(count|threshold|highlight|maxcharlength)-([\w.]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class SemanticRequest:
    """A semantic ranking to be done; `answers` is their number, 0 without answers."""

    configuration: SemanticConfiguration
    text: str
    captions: bool = False
    highlight: bool = True
    answers: int = 0
    threshold: float = 0.7
    debug: bool = False


def read_semantic_request(definition: IndexDefinition, request: SearchRequest) -> SemanticRequest | None:
    """The semantic side of a search; None without one or without a text to rank by."""
    if not request.semantic:
        return None
    if request.orderby:
        raise _semantic_error(
            "orderby", "OrderByNotSupported", "The 'orderby' parameter is not supported when ranking semantically."
        )
    configuration = _configuration(definition, request.semantic_configuration)
    text = request.semantic_query if request.semantic_query is not None else request.search
    captions, answers = _options("captions", request.captions), _options("answers", request.answers)
    if text is None or text.strip() in ("", "*"):
        return None
    return SemanticRequest(
        configuration=configuration,
        text=text,
        captions=captions is not None,
        highlight=(captions or {}).get("highlight", "true").lower() != "false",
        answers=0 if answers is None else _count(answers.get("count", "1")),
        threshold=_threshold((answers or {}).get("threshold", "0.7")),
        debug="semantic" in request.debug,
    )


def _semantic_error(parameter: str, code: str, message: str) -> ServiceError:
    return invalid_parameter(parameter, code, message)


def _configuration(definition: IndexDefinition, name: str | None) -> SemanticConfiguration:
    wanted = name or definition.semantic.default
    if wanted is None:
        message = "The parameter 'semanticConfiguration' must not be empty if 'queryType' is 'semantic'."
        raise _semantic_error("semanticConfiguration", "SemanticConfigurationMissing", message)
    found = definition.semantic.by_name.get(wanted)
    if found is None:
        message = f"Unknown semantic configuration '{wanted}'."
        raise _semantic_error("semanticConfiguration", "UnknownSemanticConfiguration", message)
    return found


def _options(parameter: str, text: str | None) -> dict[str, str] | None:
    """`extractive|count-3,threshold-0.7` as its options; None for the word `none`."""
    kind, _, rest = (text or "none").partition("|")
    if kind == "none":
        return None
    parts = [OPTION.fullmatch(each.strip()) for each in re.split(r"[,|]", rest) if each.strip()]
    if kind != "extractive" or not all(parts):
        raise _semantic_error(parameter, "InvalidParameterValue", f"'{text}' is not a value of '{parameter}'.")
    return {each.group(1): each.group(2) for each in parts if each}


def _count(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 10:
        raise _semantic_error("answers", "ParameterValueOutOfRange", "The count of answers must be between 1 and 10.")
    return int(text)


def _threshold(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise _semantic_error("answers", "ParameterValueOutOfRange", "The threshold of answers must be between 0 and 1.")
    return value
