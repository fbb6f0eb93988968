"""`python -m local.search --port N`: the service alone, empty."""

from __future__ import annotations

import argparse

from aiohttp import web

from .server import application
from .service import SearchService


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description="A local stand-in for the data plane of Azure AI Search.")
    parser.add_argument("--port", type=int, default=5250)
    parser.add_argument("--host", default="127.0.0.1")
    options = parser.parse_args()
    print(f"Search service on http://{options.host}:{options.port}", flush=True)
    web.run_app(application(SearchService()), host=options.host, port=options.port, print=None, access_log=None)


if __name__ == "__main__":
    main()
