"""The parts of definitions: their members and types, checked before anything reads them."""

from __future__ import annotations

from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from ..errors import ServiceError, invalid_request
from .fields import unknown_member

Model = TypeVar("Model", bound=BaseModel)
Words = list[str]


class StrictModel(BaseModel):
    """An object with known members only; values are not converted to another type."""

    model_config = ConfigDict(extra="forbid", strict=True, alias_generator=to_camel)


class LenientModel(BaseModel):
    """An object of which only some members matter here."""

    model_config = ConfigDict(extra="allow", strict=True, alias_generator=to_camel)


class Suggester(StrictModel):
    """A suggester."""

    name: str
    search_mode: Literal["analyzingInfixMatching"] = "analyzingInfixMatching"
    source_fields: Words = Field(min_length=1)


class Distance(StrictModel):
    """Options of a distance function."""

    reference_point_parameter: str
    boosting_distance: float = Field(gt=0, strict=False)


class Freshness(StrictModel):
    """Options of a freshness function."""

    boosting_duration: str


class Magnitude(StrictModel):
    """Options of a magnitude function."""

    boosting_range_start: float = Field(strict=False)
    boosting_range_end: float = Field(strict=False)
    constant_boost_beyond_range: bool | None = None


class Tag(StrictModel):
    """Options of a tag function."""

    tags_parameter: str


class ScoringFunction(StrictModel):
    """A scoring function; the options of its own type have to be there."""

    type: Literal["distance", "freshness", "magnitude", "tag"]
    field_name: str
    boost: float = Field(strict=False)
    interpolation: Literal["linear", "constant", "quadratic", "logarithmic"] | None = None
    distance: Distance | None = None
    freshness: Freshness | None = None
    magnitude: Magnitude | None = None
    tag: Tag | None = None


class TextWeights(StrictModel):
    """Weights of text fields."""

    weights: dict[str, float]


class ScoringProfile(StrictModel):
    """A scoring profile."""

    name: str
    text: TextWeights | None = None
    functions: list[ScoringFunction] | None = None
    function_aggregation: Literal["sum", "average", "minimum", "maximum", "firstMatching"] | None = None


class FieldName(StrictModel):
    """A field of a semantic configuration."""

    field_name: str


class PrioritizedFields(StrictModel):
    """The fields of a semantic configuration."""

    title_field: FieldName | None = None
    prioritized_content_fields: list[FieldName] | None = None
    prioritized_keywords_fields: list[FieldName] | None = None


class SemanticConfigurationShape(StrictModel):
    """A semantic configuration."""

    name: str
    prioritized_fields: PrioritizedFields
    ranking_order: str | None = None
    flighting_opt_in: bool | None = None


class Semantic(StrictModel):
    """The semantic part of a definition."""

    default_configuration: str | None = None
    configurations: list[SemanticConfigurationShape] | None = None


class Metric(LenientModel):
    """Parameters of a vector algorithm."""

    metric: str | None = None


class Algorithm(StrictModel):
    """A vector algorithm."""

    name: str
    kind: str
    hnsw_parameters: Metric | None = None
    exhaustive_knn_parameters: Metric | None = None


class Named(LenientModel):
    """Something with a name and a kind."""

    name: str
    kind: str | None = None


class Profile(StrictModel):
    """A vector profile."""

    name: str
    algorithm: str
    vectorizer: str | None = None
    compression: str | None = None


class VectorSearchShape(StrictModel):
    """The vector part of a definition."""

    algorithms: list[Algorithm] | None = None
    profiles: list[Profile] | None = None
    vectorizers: list[Named] | None = None
    compressions: list[Named] | None = None


class Similarity(LenientModel):
    """The similarity; anything but plain BM25 would change scores in a way that is not offered."""

    kind: Literal["#Microsoft.Azure.Search.BM25Similarity"] = Field(alias="@odata.type")
    k1: float | None = Field(default=None, ge=1.2, le=1.2)
    b: float | None = Field(default=None, ge=0.75, le=0.75)


class IndexParts(LenientModel):
    """The parts of an index definition besides its fields."""

    suggesters: list[Suggester] | None = None
    scoring_profiles: list[ScoringProfile] | None = None
    default_scoring_profile: str | None = None
    semantic: Semantic | None = None
    vector_search: VectorSearchShape | None = None
    similarity: Similarity | None = None
    permission_filter_option: Literal["enabled", "disabled"] | None = None
    description: str | None = None


def validate(model: type[Model], raw: Any, where: str) -> Model:
    """The value as its model. Raises the service's 400 for the first member that does not fit, with its path."""
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        raise _refusal(error, where) from None


def _refusal(error: ValidationError, where: str) -> ServiceError:
    first = error.errors(include_url=False, include_input=False)[0]
    path = ".".join(str(step) for step in first["loc"])
    if first["type"] == "extra_forbidden":
        return unknown_member(str(first["loc"][-1]), f"search.{where}")
    return invalid_request(where, f"{path or where}: {first['msg']}.")
