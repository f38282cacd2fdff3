"""Runs a command as on a machine where nothing else is: no network but loopback, its own processes, its own root.

    unshare --net --mount --pid --fork --kill-child python3 isolate.py [options] -- COMMAND...

What is mounted here is seen only here, and gone afterwards.
"""

import argparse
import ctypes
import fcntl
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import urllib.request

NO_NEW_PRIVILEGES, MEMORY_DENY_WRITE_EXECUTE = 38, 65  # of prctl


def bring_up_loopback():
    name, up = b"lo", 1
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh14x", name, up))


def mount(*arguments):
    subprocess.run(["mount", *arguments], check=True)


def confine(given):
    """In the child, before the command: what a service manager would do."""
    if given.root:
        os.chroot(given.root)
    os.chdir(given.folder)
    if given.strict:
        prctl = ctypes.CDLL(None, use_errno=True).prctl
        prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        prctl(MEMORY_DENY_WRITE_EXECUTE, 1, 0, 0, 0)  # older kernels do not know it
    if given.user is not None:
        os.setgroups([])
        os.setgid(given.user)
        os.setuid(given.user)


def probe(child):
    """The server that the command is: asks for its health and its page, then ends it as a service manager does."""
    said = b""
    while True:
        line = child.stdout.readline()
        if not line:
            raise SystemExit(f"the server ended with {child.wait()} and said {said}")
        said += line
        try:
            url = json.loads(said)["url"]
            break
        except ValueError:
            continue  # one JSON object, on one line or several
    with urllib.request.urlopen(f"{url}/health", timeout=30) as health:
        status = health.status
    with urllib.request.urlopen(url, timeout=30) as page:
        app = b"<html" in page.read().lower()
    child.send_signal(signal.SIGTERM)
    print(json.dumps({"health": status, "app": app, "code": child.wait(60)}))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--root", help="the folder that is / for the command")
    parser.add_argument("--user", type=int, help="number of the user and of the group")
    parser.add_argument("--folder", default="/", help="where the command starts")
    parser.add_argument("--hide", action="append", default=[], help="a folder that looks empty")
    parser.add_argument("--strict", action="store_true", help="no new rights, no memory that is both written and run")
    parser.add_argument("--probe", action="store_true", help="the command is a server; say whether it answers")
    parser.add_argument("command", nargs="+")
    given = parser.parse_args()

    bring_up_loopback()
    root = given.root or ""
    for name in ("proc", "dev") if root else ("proc",):
        os.makedirs(f"{root}/{name}", exist_ok=True)
    if root:
        mount("--rbind", "/dev", f"{root}/dev")
    mount("-t", "proc", "proc", f"{root}/proc")
    for folder in given.hide:
        mount("-t", "tmpfs", "tmpfs", folder)
    child = subprocess.Popen(given.command, preexec_fn=lambda: confine(given),
                             stdout=subprocess.PIPE if given.probe else None)
    if given.probe:
        probe(child)
        return 0
    code = child.wait()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
