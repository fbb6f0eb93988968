"""The app that the recordings beside it were made with: it tells what reached it and answers as asked."""

import asyncio
import json
import os
import time

import azure.functions as func

app = func.FunctionApp(http_auth_level=func.AuthLevel.ANONYMOUS)
SEEN = os.environ.get("PROBE_LOG", "probe-queue.jsonl")


def told(req: func.HttpRequest, route: str) -> func.HttpResponse:
    body = req.get_body()
    return func.HttpResponse(
        json.dumps(
            {
                "route": route,
                "method": req.method,
                "url": req.url,
                "params": dict(req.params),
                "route_params": dict(req.route_params),
                "headers": dict(req.headers),
                "body_bytes": len(body),
                "body_latin1": body[:200].decode("latin-1"),
            }
        ),
        mimetype="application/json",
    )


@app.route(route="echo", methods=["GET", "POST"])
def echo(req: func.HttpRequest) -> func.HttpResponse:
    return told(req, "echo")


@app.route(route="any")
def any_method(req: func.HttpRequest) -> func.HttpResponse:
    return told(req, "any")


@app.route(route="items/{id}/{rest?}", methods=["GET", "POST", "PUT", "DELETE"])
async def items(req: func.HttpRequest) -> func.HttpResponse:
    return told(req, "items/{id}/{rest?}")


@app.route(route="items/latest", methods=["GET"])
async def items_latest(req: func.HttpRequest) -> func.HttpResponse:
    return told(req, "items/latest")


@app.route(route="files/{*path}", methods=["GET"])
async def files(req: func.HttpRequest) -> func.HttpResponse:
    return told(req, "files/{*path}")


@app.route(route="agents('{agentName}')/retrieve", methods=["POST"])
async def agents_quoted(req: func.HttpRequest) -> func.HttpResponse:
    return told(req, "agents('{agentName}')/retrieve")


@app.route(route="agents/{agentName}/retrieve", methods=["POST"])
async def agents_plain(req: func.HttpRequest) -> func.HttpResponse:
    return told(req, "agents/{agentName}/retrieve")


@app.route(route="bases{key}/retrieve", methods=["POST"])
async def bases(req: func.HttpRequest) -> func.HttpResponse:
    return told(req, "bases{key}/retrieve")


@app.route(route="status/{code:int}", methods=["GET"])
def status(req: func.HttpRequest) -> func.HttpResponse:
    kind = req.params.get("kind", "text")
    body, mimetype = {
        "text": ("grüße", None),
        "none": (None, None),
        "empty": ("", None),
        "html": ("<p>grüße", "text/html"),
        "json": ('{"a": "grüße"}', "application/json"),
        "bytes": (b"\x00\xff\x01", "application/octet-stream"),
    }[kind]
    return func.HttpResponse(body, status_code=int(req.route_params["code"]), headers={"X-Thing": "1"}, mimetype=mimetype)


@app.route(route="headers", methods=["POST"])
def headers(req: func.HttpRequest) -> func.HttpResponse:
    """Answers with the headers that the body names."""
    return func.HttpResponse("x", headers=json.loads(req.get_body()))


@app.route(route="big/{size:int}", methods=["GET"])
def big(req: func.HttpRequest) -> func.HttpResponse:
    return func.HttpResponse(b"x" * int(req.route_params["size"]), mimetype="application/octet-stream")


@app.route(route="raise", methods=["GET"])
def raises(req: func.HttpRequest) -> func.HttpResponse:
    try:
        raise KeyError("CANARY-INNER")
    except KeyError as error:
        raise ValueError("CANARY-OUTER") from error


@app.route(route="not-a-response", methods=["GET"])
def not_a_response(req: func.HttpRequest) -> func.HttpResponse:
    return {"a": 1}  # type: ignore[return-value]


@app.route(route="sleep", methods=["GET"])
async def sleeps(req: func.HttpRequest) -> func.HttpResponse:
    try:
        await asyncio.sleep(float(req.params["s"]))
    except asyncio.CancelledError:
        with open(SEEN, "a") as log:
            log.write(json.dumps({"cancelled": True}) + "\n")
        raise
    with open(SEEN, "a") as log:
        log.write(json.dumps({"slept": req.params["s"]}) + "\n")
    return func.HttpResponse("slept")


@app.route(route="sleep-thread", methods=["GET"])
def sleeps_in_thread(req: func.HttpRequest) -> func.HttpResponse:
    time.sleep(float(req.params["s"]))
    return func.HttpResponse("slept")


@app.route(route="context", methods=["GET"])
def context_of(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    trace = context.trace_context
    return func.HttpResponse(
        json.dumps(
            {
                "function_name": context.function_name,
                "invocation_id_length": len(context.invocation_id),
                "trace_parent": trace.trace_parent,
                "trace_state": trace.trace_state,
                "attributes": dict(trace.attributes or {}),
                "retry": context.retry_context is not None,
            }
        ),
        mimetype="application/json",
    )


@app.route(route="keyed", methods=["GET"], auth_level=func.AuthLevel.FUNCTION)
def keyed(req: func.HttpRequest) -> func.HttpResponse:
    return told(req, "keyed")


@app.route(route="operators", methods=["GET"], auth_level=func.AuthLevel.ADMIN)
def operators(req: func.HttpRequest) -> func.HttpResponse:
    return told(req, "operators")


async def handle(msg: func.QueueMessage, queue: str) -> None:
    """Body `sleep:2` waits, a body with `fail` raises, `exit` ends the process; every delivery is noted first."""
    body = msg.get_body()
    note = {
        "queue": queue,
        "id": msg.id,
        "dequeue_count": msg.dequeue_count,
        "body_latin1": body[:100].decode("latin-1"),
        "body_bytes": len(body),
        "inserted": str(msg.insertion_time),
        "expires": str(msg.expiration_time),
        "next_visible": str(msg.time_next_visible),
        "pop_receipt": bool(msg.pop_receipt),
        "at": time.time(),
    }
    with open(SEEN, "a") as log:
        log.write(json.dumps(note) + "\n")
    if body.startswith(b"sleep:"):
        await asyncio.sleep(float(body.split(b":")[1]))
    if body.startswith(b"exit"):
        os._exit(7)
    if b"fail" in body:
        raise RuntimeError("CANARY-QUEUE")
    with open(SEEN, "a") as log:
        log.write(json.dumps({"queue": queue, "id": msg.id, "done": time.time()}) + "\n")


@app.queue_trigger(arg_name="msg", queue_name="briefings", connection="BriefingStorage")
async def briefing(msg: func.QueueMessage) -> None:
    await handle(msg, "briefings")


@app.queue_trigger(arg_name="msg", queue_name="briefings-poison", connection="BriefingStorage")
async def poisoned(msg: func.QueueMessage) -> None:
    await handle(msg, "briefings-poison")
