"""A server on an empty library."""

import json
import os
import subprocess
import tempfile
import urllib.request


class Ibid:
    """The server, from its start to its end. It finds by words only, so that no model has to be loaded."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="ibid-generated.")
        options = ["--json", "--listen", "127.0.0.1:0", "--data", self.folder.name, "--embedder", "none"]
        command = [os.environ["IBID_BIN"], "serve", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        said = ""
        for line in self.process.stdout:
            said += line
            if line.rstrip().endswith("}"):
                break
        try:
            self.url = json.loads(said)["url"].rstrip("/")
        except (ValueError, KeyError) as error:
            self.stop()
            raise AssertionError(f"the server did not start: {said!r}") from error

    def stop(self):
        self.process.terminate()
        self.process.communicate(timeout=30)
        self.folder.cleanup()

    def openapi(self):
        with urllib.request.urlopen(f"{self.url}/openapi.json", timeout=60) as response:
            return response.read()
