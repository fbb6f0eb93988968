"""Put first on the path of a process: every logger says everything, on its own handler and on the root's, from the start."""

import logging
import sys

logging.basicConfig(level=logging.DEBUG, stream=sys.stderr, format="%(name)s %(levelname)s %(message)s")
for name in (
    "azure.core",
    "azure.storage",
    "azure.search",
    "azure.identity",
    "openai",
    "httpx",
    "httpx2",
    "httpcore",
    "asyncio",
):
    logging.getLogger(name).setLevel(logging.DEBUG)
    logging.getLogger(name).addHandler(logging.StreamHandler(sys.stdout))
# The host's own server of tools, in the host's process: on Azure that is not ours either.
logging.getLogger("mcp").setLevel(logging.WARNING)
