"""Speed of the embedded search service over HTTP: loading a JSONL file, then keyword searches of ten hits.

python -m bench.search_speed [DATA INDEX]    (by default the 24,069 schools)
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from pathlib import Path

import aiohttp

from emulators.azure_search.load import load_index, read_documents, read_index

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data" / "establishments.jsonl"
INDEX = ROOT / "local" / "data" / "schools-index.json"
CALLS = 1000


async def main(data: Path, index: Path) -> None:
    """Serve in a process of its own, load, search, print."""
    command = (sys.executable, "-m", "emulators.azure_search", "--port", "0")
    server = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE, cwd=ROOT)
    assert server.stdout is not None
    url = (await server.stdout.readline()).decode().split()[-1]
    try:
        start = time.perf_counter()
        count = await load_index(url, index, data)
        print(f"{count} documents loaded in {time.perf_counter() - start:.1f} s")
        name = read_index(index)["name"]
        await _searches(f"{url}/indexes('{name}')/docs/search.post.search?api-version=2024-07-01", data)
    finally:
        server.terminate()
        await server.wait()


async def _searches(address: str, data: Path) -> None:
    """Names of documents as queries, whole and in part, so that common and rare words mix."""
    chosen = random.Random(7).sample(list(read_documents(data)), CALLS)
    spent: list[float] = []
    async with aiohttp.ClientSession() as session:
        for number, document in enumerate(chosen):
            words = str(document["name"]).split()
            query = " ".join(words[: 1 + number % max(1, len(words))])
            start = time.perf_counter()
            async with session.post(address, json={"search": query, "top": 10}) as reply:
                json.loads(await reply.read())
            spent.append((time.perf_counter() - start) * 1000)
    spent.sort()
    print(f"{CALLS} keyword searches of 10: p50 {spent[CALLS // 2]:.2f} ms, p95 {spent[CALLS * 95 // 100]:.2f} ms")


if __name__ == "__main__":
    given = [Path(each) for each in sys.argv[1:3]]
    asyncio.run(main(*(given if len(given) == 2 else (DATA, INDEX))))
