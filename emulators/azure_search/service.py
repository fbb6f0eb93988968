"""The service: takes a request, finds its operation and answers it, over HTTP or in process alike."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace

from .analysis.embedding import PACKAGED, Embedder
from .errors import ServiceError
from .http import Reply, Request, error_reply
from .operations.addresses import Address, read_address
from .operations.admin import PREFIX, answer_admin
from .operations.capture import Capture
from .operations.faults import Faults
from .operations.routing import kind_of, operation_for
from .state import State
from .storage.sharding import SHARDS
from .versions import check_version

MODEL_WORDS = (b"semantic", b'"kind"')


class SearchService:
    """Everything that the data plane holds; `handle` never raises for anything that a caller sends.

    `embedder` is the model behind vectorizers and semantic ranking: the packaged one unless another is given. `shards` is
    1 or 12: with twelve, documents are scored by the statistics of their own shard, as in the real service.
    """

    def __init__(self, name: str = "embedded", embedder: Embedder | None = None, shards: int = 1) -> None:
        if shards not in (1, SHARDS):
            raise ValueError(f"an index is held in 1 or {SHARDS} shards")
        self.state = State(name, embedder or PACKAGED, shards)
        self.faults = Faults()
        self.capture = Capture()
        self.definitions_need_key = False
        self._lock = threading.Lock()

    async def handle(self, request: Request) -> Reply:
        """The answer to a request."""
        try:
            if request.path.startswith(PREFIX):
                return answer_admin(self, request)
            return await self._with_faults(request)
        except ServiceError as error:
            return error_reply(error)

    async def _with_faults(self, request: Request) -> Reply:
        self.capture.keep(request)
        address = read_address(request.path)
        if address is None:
            return Reply(status=404)
        fault = self.faults.next(kind_of(address), address.key)
        if fault is None:
            return await self._schedule(request, address)
        await asyncio.sleep(fault.delay)
        reply = fault.reply() or await self._schedule(replace(request, partial=fault.partial), address)
        return replace(reply, cut=True) if fault.cut else reply

    async def _schedule(self, request: Request, address: Address) -> Reply:
        """One request at a time. Writes, and calls that may run the model, go to a thread, so that the loop stays free."""
        if not _is_long(request, address) and self._lock.acquire(blocking=False):
            try:
                return self._answer(request, address)
            finally:
                self._lock.release()
        return await asyncio.to_thread(self._in_turn, request, address)

    def _in_turn(self, request: Request, address: Address) -> Reply:
        with self._lock:
            return self._answer(request, address)

    def _answer(self, request: Request, address: Address) -> Reply:
        check_version(request.version)
        if self.definitions_need_key and kind_of(address) == "definition" and "api-key" not in request.headers:
            raise ServiceError(403, "", "The caller's role does not allow calls to definitions.")
        return operation_for(request.method, address)(self.state, request, address)


def _is_long(request: Request, address: Address) -> bool:
    """True when a call may take long: a word in the body decides, which at worst costs a needless change of thread."""
    return address.operation in ("index", "retrieve") or any(word in request.body for word in MODEL_WORDS)
