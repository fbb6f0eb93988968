"""`python -m emulators.azure_search --port N`: the service alone, empty."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from pathlib import Path

from aiohttp import web

from .analysis.embedding import NoModel
from .certificates import FOLDER, CertificateError, make_context
from .server import application
from .service import SearchService
from .storage.sharding import SHARDS


def main() -> int:
    """Serve until interrupted; 1 with one line when the port is busy."""
    parser = argparse.ArgumentParser(description="A local stand-in for the data plane of Azure AI Search.")
    parser.add_argument("--port", type=int, default=5250, help="0 for any free one")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--no-model", action="store_true", help="refuse whatever needs the embedding model")
    parser.add_argument("--shards", type=int, choices=(1, SHARDS), default=1, help="12 scores as the real service does")
    parser.add_argument(
        "--definitions-need-key", action="store_true", help="refuse definition calls with a token, as to a mere reader"
    )
    parser.add_argument("--https", action="store_true", help="with a certificate made for this machine")
    parser.add_argument(
        "--certificates", type=Path, default=FOLDER, metavar="FOLDER", help="keeps the certificate of --https"
    )
    options = parser.parse_args()
    service = SearchService(embedder=NoModel() if options.no_model else None, shards=options.shards)
    service.definitions_need_key = options.definitions_need_key
    certificates = options.certificates if options.https else None
    try:
        asyncio.run(serve(service, options.host, options.port, certificates))
    except CertificateError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError:
        print(f"Port {options.port} is busy: stop what listens there, or choose another with --port.", file=sys.stderr)
        return 1
    return 0


async def serve(service: SearchService, host: str, port: int, certificates: Path | None = None) -> None:
    """Listen, print the address, and wait for the end; over https with the certificate kept in that folder."""
    context, certificate = make_context(certificates, host) if certificates else (None, None)
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, ended.set)
    runner = web.AppRunner(application(service), access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port, ssl_context=context).start()
        print(f"Search service on {'https' if context else 'http'}://{host}:{runner.addresses[0][1]}", flush=True)
        if certificate:
            print(f"Clients have to trust {certificate} (emulators/azure_search/README.md).", flush=True)
        await ended.wait()
    finally:
        await runner.cleanup()


if __name__ == "__main__":
    sys.exit(main())
