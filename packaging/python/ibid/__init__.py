"""Ibid, the evidence engine: finds the program that this package installed, and starts its server.

    import ibid

    with ibid.start_server(data="library") as server:
        print(server.url)
"""

import atexit
import importlib.metadata
import json
import os
import pathlib
import selectors
import shutil
import subprocess
import sys
import sysconfig
import time

__all__ = ["Server", "find_binary", "start_server"]


def _candidates():
    try:
        for file in importlib.metadata.distribution("ibid").files or []:
            if file.name == "ibid" and file.parent.name == "bin":
                yield pathlib.Path(str(file.locate()))
    except importlib.metadata.PackageNotFoundError:
        pass
    yield pathlib.Path(sysconfig.get_path("scripts")) / "ibid"
    found = shutil.which("ibid")
    if found:
        yield pathlib.Path(found)


def find_binary():
    """The path of the program, with links resolved."""
    for path in _candidates():
        if path.is_file() and os.access(path, os.X_OK):
            return str(path.resolve())
    raise FileNotFoundError("the program ibid is not installed; install the package again: pip install --force-reinstall ibid")


class Server:
    """A running server; close() ends it, as does leaving the `with` block or the end of Python."""

    def __init__(self, process, url):
        #: The `subprocess.Popen` of the server.
        self.process = process
        #: Where it answers, such as http://127.0.0.1:41235.
        self.url = url
        atexit.register(self.close)

    def close(self, timeout=30):
        """Lets it finish what it does, at most `timeout` seconds."""
        atexit.unregister(self.close)
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def start_server(data=None, listen="127.0.0.1:0", *, timeout=60, **env):
    """Starts a server and waits until it answers.

    data: folder of the library; the default one of the command line if None
    listen: address and port; port 0 takes a free one
    timeout: seconds it may take to start
    env: more variables of its environment, such as IBID_CHAT="openai"
    """
    command = [find_binary(), "serve", "--json", "--listen", listen]
    if data is not None:
        command += ["--data", os.fspath(data)]
    environment = {**os.environ, **{name: str(value) for name, value in env.items()}}
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=environment)
    try:
        return Server(process, _ready(process, timeout)["url"])
    except BaseException:
        process.kill()
        process.wait()
        process.stdout.close()
        raise


def _ready(process, timeout):
    """What the server says when it answers: one JSON object, on one line or several."""
    text, ends = b"", time.monotonic() + timeout
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            if not selector.select(max(0, ends - time.monotonic())):
                raise TimeoutError(f"the server did not start within {timeout} seconds")
            piece = os.read(process.stdout.fileno(), 4096)
            if not piece:
                raise RuntimeError(f"the server did not start: it ended with code {process.wait()}")
            text += piece
            try:
                return json.loads(text)
            except ValueError:
                continue  # the rest is on its way


def _run(arguments):
    """Becomes the program."""
    sys.stdout.flush()
    binary = find_binary()
    os.execv(binary, [binary, *arguments])
