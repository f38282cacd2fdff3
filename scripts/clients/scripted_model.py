"""A language model that says what it is told to, in OpenAI's protocol."""

import json
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODEL = "scripted-model"
USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
PAUSE = 0.02  # seconds between the pieces of a stream


@dataclass
class Call:
    """It calls a tool."""

    name: str
    arguments: str
    id: str = "call_1"


@dataclass
class Say:
    """It answers."""

    text: str


@dataclass
class Refuse:
    """The request fails."""

    status: int
    message: str


@dataclass
class BreakOff:
    """It says something, then tells of an error. Only in a stream."""

    text: str
    message: str


class ScriptedModel:
    """Takes one step of its script a request, and keeps the requests."""

    def __init__(self, *script):
        self.script = list(script)
        self.requests = []
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                model.requests.append(body)
                step = model.script.pop(0) if model.script else Refuse(400, "the script has ended")
                if isinstance(step, Refuse):
                    self.send(step.status, "application/json", json.dumps({"error": {"message": step.message}}))
                elif body.get("stream"):
                    self.send(200, "text/event-stream", *(f"data: {data}\n\n" for data in streamed(step)))
                else:
                    self.send(200, "application/json", json.dumps(whole(step)))

            def send(self, status, kind, *pieces):
                self.send_response(status)
                self.send_header("content-type", kind)
                self.end_headers()
                for piece in pieces:
                    self.wfile.write(piece.encode())
                    time.sleep(PAUSE)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def __enter__(self):
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()
        return self

    def follow(self, *script):
        """Follows another script from here on."""
        self.script[:], self.requests[:] = script, []

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


def whole(step):
    message, reason = {"role": "assistant", "content": None}, "stop"
    if isinstance(step, Call):
        function = {"name": step.name, "arguments": step.arguments}
        message["tool_calls"], reason = [{"id": step.id, "type": "function", "function": function}], "tool_calls"
    else:
        message["content"] = step.text
    choice = {"index": 0, "message": message, "finish_reason": reason}
    about = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": MODEL}
    return {**about, "choices": [choice], "usage": USAGE}


def streamed(step):
    about = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": MODEL}
    for piece in (step.text[start : start + 7] for start in range(0, len(step.text), 7)):
        yield json.dumps({**about, "choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]})
    if isinstance(step, BreakOff):
        yield json.dumps({"error": {"message": step.message}})
        return
    yield json.dumps({**about, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    yield json.dumps({**about, "choices": [], "usage": USAGE})
    yield "[DONE]"
