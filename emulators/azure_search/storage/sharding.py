"""Which shard holds a document. The service scores each shard by its own statistics, so this shows in every score.

Found by trying hash functions on the recordings: Murmur3 of the key in UTF-16, taken modulo twelve, is the only one that
gives the recorded groups, and it gives the recorded order of a match-all search as well.
"""

from __future__ import annotations

SHARDS = 12
MASK = 0xFFFFFFFF


def shard_of(key: str) -> int:
    """The shard of a document key, from 0."""
    value = murmur3(key.encode("utf-16-le", "surrogatepass"))
    return (value - (value >> 31 << 32)) % SHARDS


def murmur3(text: bytes) -> int:
    """Murmur3 for 32 bits with seed 0."""
    value = 0
    whole = len(text) // 4 * 4
    for at in range(0, whole, 4):
        value ^= _mix(int.from_bytes(text[at : at + 4], "little"))
        value = (_rotate(value, 13) * 5 + 0xE6546B64) & MASK
    if whole < len(text):
        value ^= _mix(int.from_bytes(text[whole:], "little"))
    value ^= len(text)
    value = ((value ^ (value >> 16)) * 0x85EBCA6B) & MASK
    value = ((value ^ (value >> 13)) * 0xC2B2AE35) & MASK
    return value ^ (value >> 16)


def _mix(block: int) -> int:
    return (_rotate((block * 0xCC9E2D51) & MASK, 15) * 0x1B873593) & MASK


def _rotate(value: int, by: int) -> int:
    return ((value << by) | (value >> (32 - by))) & MASK
