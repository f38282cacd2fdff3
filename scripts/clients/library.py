"""A real server on a library of a few short texts."""

import json
import os
import re
import subprocess
import tempfile
import time
import urllib.request
from urllib.parse import parse_qs, urlsplit

import openai

IBID = os.environ["IBID_BIN"]

TEXTS = {
    "The harbour of Selde": (
        "The engineer 👩‍🔬 Marta Lindqvist built the harbour of Selde in 1874. Its pier is 412 metres long."
    ),
    "Street lamps": "The street lamps of Selde became electric in 1911. Before that they burned oil.",
    "Marsh harriers": "The marsh harrier builds its nest in dense reed beds, close to the ground.",
}


class Ibid:
    """The server, from its start to its end."""

    def __init__(self, *arguments):
        self.folder = tempfile.TemporaryDirectory(prefix="ibid-clients.")
        command = [IBID, "serve", "--listen", "127.0.0.1:0", "--data", self.folder.name, *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            line = self.process.stdout.readline()
            found = re.match(r"Ibid is ready: (\S+)", line)
            assert found, f"the server did not start: {line}"
            self.url = found[1]
            for title, content in TEXTS.items():
                self.post("/api/v1/sources", {"title": title, "content": content})
            self.until(lambda: all(is_read(source) for source in self.get("/api/v1/sources")["items"]))
            self.until(lambda: len(self.post("/api/v1/search", {"query": "Selde"})["primary_results"]) >= 2)
        except BaseException:
            self.stop()
            raise

    def stop(self):
        self.process.terminate()
        self.process.communicate(timeout=30)
        self.folder.cleanup()

    def until(self, holds):
        for _ in range(1200):
            if holds():
                return
            time.sleep(0.025)
        raise AssertionError("it did not come to hold")

    def get(self, path):
        with urllib.request.urlopen(f"{self.url}{path}", timeout=60) as response:
            return json.load(response)

    def post(self, path, body):
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(f"{self.url}{path}", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)

    def client(self, kind=openai.OpenAI):
        return kind(base_url=f"{self.url}/v1", api_key="none", max_retries=0)

    def cited(self, url):
        """The words that an address leads to; the page itself opens, too."""
        parts = urlsplit(url)
        assert url.startswith(f"{self.url}/sources/"), url
        with urllib.request.urlopen(url, timeout=60) as page:
            assert page.headers["content-type"].startswith("text/html"), page.headers
        revision = parse_qs(parts.query)["revision"][0]
        start, end = map(int, re.fullmatch(r"c=(\d+)-(\d+)", parts.fragment).groups())
        return self.get(f"/api/v1{parts.path}/text?revision={revision}")["text"][start:end]

    def messages(self, question):
        """What was said where this was asked, which was asked once."""
        conversations = self.get("/api/v1/conversations?limit=200")["items"]
        found = [one for one in conversations if one["title"] == question]
        assert len(found) == 1, conversations
        return self.get(f"/api/v1/conversations/{found[0]['id']}/messages")["items"]


def is_read(source):
    assert source["status"] != "failed", source
    return source["status"] == "ready" and source["embedding"] == "ready"
