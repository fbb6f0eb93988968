"""Entries of the JSON lists among the settings, as pydantic models. Keys ignore case, unknown ones are problems."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_pascal

from .environment import read_flag, read_number


def _is_blank(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _text(value: object) -> object:
    """Scalars as text, as every app setting is one; blank is absent."""
    if _is_blank(value):
        return None
    return str(value) if isinstance(value, bool | int | float) else value


def _is_absent(value: object) -> bool:
    """Blank, or the word `null` where a list or a number belongs: the numbered form has texts alone."""
    return _is_blank(value) or (isinstance(value, str) and value.strip().lower() == "null")


def _texts(value: object) -> object:
    if _is_absent(value):
        return ()
    if not isinstance(value, list):
        raise ValueError("must be a list of texts")
    texts = [_text(entry) for entry in value]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("must be a list of texts, none of them blank")
    if len(set(texts)) != len(texts):
        raise ValueError("names an entry twice")
    return tuple(texts)


def _some_texts(value: object) -> object:
    if _is_absent(value):
        return None
    if value == []:
        raise ValueError("is an empty list: leave the key out, or name something")
    return _texts(value)


def _flag(value: object) -> object:
    if _is_blank(value):
        return False
    flag = value if isinstance(value, bool) else read_flag(value) if isinstance(value, str) else None
    if flag is None:
        raise ValueError("must be true or false")
    return flag


def _number(value: object) -> object:
    if _is_absent(value):
        return None
    number = read_number(value) if isinstance(value, str) else value
    if number is None or isinstance(number, bool) or not isinstance(number, int | float):
        raise ValueError("must be a number")
    return number


def _whole(value: object) -> object:
    number = _number(value)
    if isinstance(number, float) and not number.is_integer():
        raise ValueError("must be a whole number")
    return None if number is None else int(number)  # type: ignore[call-overload]  # _number gives numbers only


Text = Annotated[str | None, BeforeValidator(_text)]
Texts = Annotated[tuple[str, ...], BeforeValidator(_texts)]
SomeTexts = Annotated[tuple[str, ...] | None, BeforeValidator(_some_texts)]
Flag = Annotated[bool, BeforeValidator(_flag)]
Share = Annotated[Annotated[float, Field(ge=0, le=1)] | None, BeforeValidator(_number)]
Score = Annotated[Annotated[float, Field(ge=0, le=4)] | None, BeforeValidator(_number)]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_pascal, hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _fold_keys(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            raise ValueError("must be an object")
        known = {to_pascal(name).lower(): to_pascal(name) for name in cls.model_fields}
        folded = {known.get(str(key).lower(), str(key)): member for key, member in value.items()}
        if len(folded) != len(value):
            raise ValueError("names a key twice")
        return folded


class IndexEntry(_Entry):
    """One entry of `AiAgents__AISearch__Indexes`."""

    name: Annotated[str, BeforeValidator(_text)]
    content_fields: Texts = ()
    name_field: Text = None
    link_field: Text = None
    key_field: Text = None
    return_fields: SomeTexts = None
    permission_filter: Flag = False
    semantic_configuration: Text = None
    vector_fields: Texts = ()
    semantic_fallback: Flag = False
    filter_fields: SomeTexts = None
    required_filter_fields: Texts = ()
    minimum_relevance_filter: Share = None
    minimum_reranker_score: Score = None
    allowed_roles: SomeTexts = None


class AgentIndexEntry(_Entry):
    """An index of an agent, with the agent's own filter as an object."""

    name: Annotated[str, BeforeValidator(_text)]
    filter: dict[str, Any] | None = None


def _entries(value: object) -> object:
    return () if _is_absent(value) else value


def _engine(value: object) -> object:
    return "planned" if _is_blank(value) else value.lower() if isinstance(value, str) else value


class AgentEntry(_Entry):
    """One entry of `AiAgents__KnowledgeAgents`."""

    name: Annotated[str, BeforeValidator(_text)]
    engine: Annotated[Literal["planned", "service"], BeforeValidator(_engine)] = "planned"
    indexes: Annotated[tuple[AgentIndexEntry, ...], BeforeValidator(_entries)] = ()
    max_sub_queries: Annotated[Annotated[int, Field(ge=1, le=20)] | None, BeforeValidator(_whole)] = None
    reranker_threshold: Score = None
    knowledge_base: Text = None
    knowledge_agent: Text = None


_MESSAGES = {
    "missing": "is required",
    "extra_forbidden": "is not a known key",
    "string_type": "is required and must be a text",
    "literal_error": "must be planned or service",
}


def faults(error: ValidationError) -> list[tuple[str, str]]:
    """The place inside the entry (`.Name`, `.ContentFields`) and the sentence of each fault, without any value."""
    return [("".join(_place(part) for part in fault["loc"]), _sentence(fault)) for fault in error.errors()]


def _place(part: int | str) -> str:
    return f"[{part}]" if isinstance(part, int) else f".{part}"


def _sentence(fault: Any) -> str:
    if fault["type"] == "value_error":
        return str(fault["ctx"]["error"])
    if fault["type"] in ("greater_than_equal", "less_than_equal"):
        bound = fault["ctx"].get("ge", fault["ctx"].get("le"))
        return f"must be {'at least' if 'ge' in fault['ctx'] else 'at most'} {bound:g}"
    return _MESSAGES.get(fault["type"], "has the wrong type")
