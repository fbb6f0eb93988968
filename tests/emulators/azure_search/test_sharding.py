"""Shards: the recorded groups of keys."""

from __future__ import annotations

import pytest

from emulators.azure_search.analysis.embedding import HashedWords
from emulators.azure_search.service import SearchService
from emulators.azure_search.storage.sharding import SHARDS, murmur3, shard_of
from emulators.azure_search.versions import shards

from .hotels import DEFINITION, DOCUMENTS, Caller


def test_recorded_keys_fall_into_recorded_shards() -> None:
    keys = sorted((str(number) for number in range(1, 11)), key=lambda key: (shard_of(key), int(key)))
    assert keys == ["3", "9", "2", "4", "5", "7", "6", "8", "1", "10"]
    assert [shard_of(key) for key in keys] == [2, 2, 3, 3, 3, 6, 9, 10, 11, 11]


@pytest.mark.parametrize(
    ("text", "value"),
    [(b"", 0), (b"a", 0x3C2569B2), (b"abcd", 0x43ED676A), (b"hello", 0x248BFA47), (b"hello, world", 0x149BBB7F)],
)
def test_murmur3_gives_the_published_values(text: bytes, value: int) -> None:
    assert murmur3(text) == value


@pytest.mark.parametrize(
    ("version", "count"), [("2019-05-06-preview", 1), ("2020-06-30", 1), ("2023-11-01", SHARDS), ("2026-04-01", SHARDS)]
)
def test_old_versions_see_one_shard(version: str, count: int) -> None:
    assert shards(version, SHARDS) == count
    assert shards(version, 1) == 1


@pytest.mark.parametrize("count", [0, 2, 13])
def test_an_index_has_one_shard_or_twelve(count: int) -> None:
    with pytest.raises(ValueError, match="1 or 12 shards"):
        SearchService(shards=count)


async def test_shards_score_by_their_own_statistics() -> None:
    body = {"search": "river garden", "select": "id"}
    whole, sharded = Caller(), Caller(SearchService(embedder=HashedWords(), shards=SHARDS))
    for caller in (whole, sharded):
        await caller.make(DEFINITION, DOCUMENTS)
    assert (await whole.search(body))["value"] != (await sharded.search(body))["value"]
    assert (await whole.search(body))["value"] == (await sharded.search({**body, "scoringStatistics": "global"}))["value"]
