"""Installs every package where nothing else is, and uses it: no network, an empty home, no cache of the scripts.

scripts/packages.sh makes the packages and says where they are:
    IBID_TEST_PACKAGES   folder of the packages
    IBID_TEST_ROOT       an unpacked Debian, to be copied
    IBID_TEST_HIDE       the cache of the scripts, which must not be seen
"""

import base64
import csv
import gzip
import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import textwrap
import unittest
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = pathlib.Path(os.environ["IBID_TEST_PACKAGES"])
ROOT = pathlib.Path(os.environ["IBID_TEST_ROOT"])
HIDDEN = os.environ["IBID_TEST_HIDE"]
VERSION = subprocess.run([sys.executable, "-B", HERE / "release.py", "version"], check=True, capture_output=True,
                         text=True).stdout.strip()
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
READER = 1000  # the user that uses what root installed


def pdf(*lines):
    """A PDF of one page, with these lines of text."""
    shown = "\n".join(f"({line}) Tj T*" for line in lines)
    stream = f"BT /F1 11 Tf 14 TL 60 780 Td\n{shown}\nET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    out, places = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    return (out + end).encode("ascii")


DOCUMENTS = {
    "harbour.pdf": pdf("The harbour of Selde", "",
                       "The harbour of Selde was built in 1874 by the engineer Marta Lindqvist.",
                       "Its stone breakwater is 310 metres long and was extended in 1931."),
    "herons.pdf": pdf("Birds of the lower delta", "",
                      "The grey heron hunts standing still; it strikes when a fish comes near.",
                      "A colony of forty pairs nests in the old poplars."),
    "reeds.txt": b"Reed beds\n\nThe reed beds of the lower delta are cut every third winter. The cutting takes two weeks.\n",
}


def write_documents(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in DOCUMENTS.items():
        (folder / name).write_bytes(content)


def isolated(*command, root=None, user=None, home="/home/reader", folder="/", env=None, options=(), check=True):
    """Runs a command without network, in a root of its own if one is given. Says all of it if the command fails."""
    run = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--", "/usr/bin/env", f"PATH={os.environ['PATH']}",
           sys.executable, "-B", HERE / "isolate.py", "--folder", folder, *options]
    run += ["--root", root] if root else ["--hide", HIDDEN]
    run += ["--user", str(user)] if user is not None else []
    variables = {"PATH": PATH if root else os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8", "NO_COLOR": "1",
                 "IBID_LOG": "warn", **(env or {})}
    run += ["--", "/usr/bin/env", "-i", *(f"{name}={value}" for name, value in variables.items()), *command]
    done = subprocess.run([str(part) for part in run], capture_output=True, text=True, timeout=300,
                          stdin=subprocess.DEVNULL)
    if check and done.returncode:
        shown = " ".join(map(str, command))
        raise AssertionError(f"`{shown}` ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def snapshot(root):
    """Every path of a root, without the records of dpkg and of the users."""
    apart = ("var/lib/dpkg", "var/log", "var/cache", "proc", "dev", "run", "tmp", "etc/passwd", "etc/group", "etc/shadow",
             "etc/gshadow", "etc/subuid", "etc/subgid", "etc/.pwd.lock", "home")
    paths = (str(path.relative_to(root)) for path in root.rglob("*"))
    return {path for path in paths if not path.startswith(apart)}


class InstalledCase(unittest.TestCase):
    def setUp(self):
        # Not below a home, whose cache could be found by chance; open to other users.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ibid-packages.", dir="/tmp"))
        self.folder.chmod(0o755)
        self.addCleanup(shutil.rmtree, self.folder)

    def new_root(self):
        """A machine of its own, with a user who has an empty home."""
        root = self.folder / "root"
        subprocess.run(["cp", "-a", ROOT, root], check=True)
        with (root / "etc/passwd").open("a") as users:
            users.write(f"reader:x:{READER}:{READER}::/home/reader:/bin/sh\n")
        with (root / "etc/group").open("a") as groups:
            groups.write(f"reader:x:{READER}:\n")
        write_documents(root / "srv/documents")
        self.new_home(root / "home/reader")
        return root

    def new_home(self, home):
        home.mkdir(parents=True)
        os.chown(home, READER, READER)
        return home

    def use(self, run, documents="/srv/documents"):
        """The first minutes of a new user; run(*arguments) runs ibid."""
        self.assertEqual(run("--version").stdout, f"ibid {VERSION}\n")
        self.check_bundle(run)
        added = run("add", documents).stdout
        self.assertIn(f"{len(DOCUMENTS)} sources: {len(DOCUMENTS)} added", added, "not every document was added")
        answer = run("ask", "Who built the harbour of Selde?").stdout
        self.assertIn("Marta Lindqvist. [1]", answer, "the answer is not a quote with its number: is pdfium used?")
        self.assertIn("harbour", answer.split("[1]")[-1])
        self.assertIn("every third winter", run("search", "reed beds").stdout, "the text file is not found")
        # No word of this is in the text: only the model can find it.
        found = json.loads(run("search", "--json", "animal that waits motionless for its prey").stdout)["primary_results"]
        self.assertTrue(found, "nothing is found by meaning: are ONNX Runtime and the model used?")
        first = found[0]
        self.assertEqual((first["title"], first["scores"]["bm25_rank"]), ("herons.pdf", None))
        self.assertGreater(first["scores"]["similarity"], 0.2)

    def check_bundle(self, run):
        """What the program itself says of its libraries and models."""
        checks = {check["name"]: check for check in json.loads(run("doctor", "--json").stdout)}
        for name in ("PDF", "meaning", "judge"):
            self.assertEqual(checks[name]["state"], "ok", checks[name])

    def package(self, pattern):
        found = sorted(PACKAGES.glob(pattern))
        self.assertEqual(len(found), 1, f"expected one {pattern} in {PACKAGES}")
        return found[0]


class Tarball(InstalledCase):
    def test_works_where_it_is_unpacked_and_through_a_link(self):
        root, package = self.new_root(), self.package("ibid-*-linux-*.tar.gz")
        shutil.copy(package, root / "tmp/ibid.tar.gz")
        isolated("tar", "-xzf", "/tmp/ibid.tar.gz", "-C", "/opt", root=root)
        top = package.name.removesuffix(".tar.gz")
        tree = root / "opt" / top
        self.assertEqual({path.name for path in tree.iterdir()}, {"INSTALL", "bin", "lib", "share"})
        for place in ("share/man/man1/ibid.1", "share/doc/ibid/THIRD-PARTY.md", "lib/ibid/build",
                      "share/bash-completion/completions/ibid", "share/zsh/site-functions/_ibid",
                      "share/fish/vendor_completions.d/ibid.fish", "share/applications/ibid.desktop",
                      "share/icons/hicolor/scalable/apps/ibid.svg"):
            self.assertGreater((tree / place).stat().st_size, 0, f"{place} is empty")
        (root / "usr/local/bin/ibid").symlink_to(f"/opt/{top}/bin/ibid")
        self.use(lambda *arguments: isolated("ibid", *arguments, root=root, user=READER))
        # Nothing may depend on where it was first.
        tree.rename(root / "srv/moved")
        self.check_bundle(lambda *arguments: isolated("/srv/moved/bin/ibid", *arguments, root=root, user=READER))

    def test_names_owners_and_times_are_the_same_for_everyone(self):
        with tarfile.open(self.package("ibid-*-linux-*.tar.gz")) as archive:
            members = archive.getmembers()
        self.assertEqual({(m.uid, m.gid, m.uname, m.gname) for m in members}, {(0, 0, "root", "root")})
        self.assertEqual(len({m.mtime for m in members}), 1)
        names = [m.name for m in members if m.isfile()][1:]
        self.assertEqual(names, sorted(names))


class Deb(InstalledCase):
    def test_is_installed_used_as_a_service_and_removed(self):
        root = self.new_root()
        before = snapshot(root)
        shutil.copy(self.package("ibid_*.deb"), root / "tmp/ibid.deb")
        isolated("dpkg", "-i", "/tmp/ibid.deb", root=root)
        isolated("dpkg", "--verify", "ibid", root=root)
        self.use(lambda *arguments: isolated("ibid", *arguments, root=root, user=READER))

        # The service, with what can be done of it where systemd does not run: its user, its folder, fewer rights.
        user = int(isolated("id", "-u", "ibid", root=root).stdout)
        state = root / "var/lib/ibid"
        self.assertFalse(state.exists(), "the service's folder is made by systemd, not by the package")
        state.mkdir(mode=0o700)
        os.chown(state, user, user)
        unit = (root / "usr/lib/systemd/system/ibid.service").read_text()
        start = next(line for line in unit.splitlines() if line.startswith("ExecStart=")).removeprefix("ExecStart=").split()

        def serve(*more, options=()):
            return isolated(*more, root=root, user=user, home="/var/lib/ibid", options=["--strict", *options])

        self.use(lambda *arguments: serve(start[0], "--data", "/var/lib/ibid", *arguments))
        probed = json.loads(serve(*start, "--json", "--listen", "127.0.0.1:0", options=["--probe"]).stdout)
        self.assertEqual((probed["health"], probed["code"]), (200, 0))
        self.check_unit(unit)

        isolated("dpkg", "-i", "/tmp/ibid.deb", root=root)  # again, as an upgrade
        isolated("dpkg", "-r", "ibid", root=root)
        self.assertTrue((state / "ibid.db").exists(), "removing the package must not delete the library")
        left = {path for path in snapshot(root) - before if not path.startswith("var/lib/ibid")}
        self.assertEqual(left, set(), "removing the package left files")
        isolated("dpkg", "-P", "ibid", root=root)
        self.assertEqual(snapshot(root) - before, set(), "purging the package left files")
        self.assertEqual(before - snapshot(root), set(), "purging the package deleted files of others")
        self.assertNotIn("ibid", (root / "etc/passwd").read_text(), "purging the package left its user")


    def check_unit(self, unit):
        """Every line of the unit is understood by systemd, if this machine has it; it does not have to run."""
        if not shutil.which("systemd-analyze"):
            return
        path = self.folder / "ibid.service"
        path.write_text(unit.replace("ExecStart=/usr/bin/ibid", "ExecStart=/bin/true"))
        checked = subprocess.run(["systemd-analyze", "verify", "--man=no", path], capture_output=True, text=True)
        self.assertNotRegex(checked.stderr, rf"{path}:\d+:", "systemd does not understand the unit")


class Wheel(InstalledCase):
    START = textwrap.dedent("""
        import ibid, json, os, sys, urllib.request
        assert os.path.samefile(ibid.find_binary(), sys.argv[1]), ibid.find_binary()
        with ibid.start_server(data=sys.argv[2], IBID_LOG="error") as server:
            assert urllib.request.urlopen(server.url + "/health").status == 200
        assert server.process.returncode == 0, server.process.returncode
        try:
            ibid.start_server(listen="nowhere")
        except RuntimeError as error:
            assert "did not start" in str(error)
        else:
            raise AssertionError("a server that cannot listen must be an error")
    """)

    def test_in_a_virtual_environment_of_a_clean_machine(self):
        root, wheel = self.new_root(), self.package("*.whl")
        shutil.copy(wheel, root / "tmp" / wheel.name)
        pip = ("/opt/tools/bin/python", "-m", "pip", "--disable-pip-version-check", "--no-cache-dir")
        isolated("python3", "-m", "venv", "/opt/tools", root=root)
        before = snapshot(root)
        isolated(*pip, "install", "--no-index", f"/tmp/{wheel.name}", root=root)
        # As pipx and uv do.
        (root / "usr/local/bin/ibid").symlink_to("/opt/tools/bin/ibid")
        self.use(lambda *arguments: isolated("ibid", *arguments, root=root, user=READER))
        version = isolated("/opt/tools/bin/python", "-m", "ibid", "--version", root=root, user=READER)
        self.assertEqual(version.stdout, f"ibid {VERSION}\n")
        isolated("/opt/tools/bin/python", "-c", self.START, "/opt/tools/bin/ibid", "/home/reader/library", root=root, user=READER)
        isolated(*pip, "uninstall", "-y", "ibid", root=root)
        left = {path for path in snapshot(root) - before if not (root / path).is_dir()}
        self.assertEqual(left, {"usr/local/bin/ibid"}, "removing the wheel left files")

    def test_in_the_home_of_a_user(self):
        root, wheel = self.new_root(), self.package("*.whl")
        shutil.copy(wheel, root / "tmp" / wheel.name)
        (pip,) = (root / "usr/share/python-wheels").glob("pip-*.whl")
        isolated("python3", "-m", "pip", "--no-cache-dir", "install", "--user", "--break-system-packages", "--no-index",
                 f"/tmp/{wheel.name}", root=root, user=READER, env={"PYTHONPATH": f"/usr/share/python-wheels/{pip.name}"})
        self.use(lambda *arguments: isolated("/home/reader/.local/bin/ibid", *arguments, root=root, user=READER))
        isolated("python3", "-c", self.START, "/home/reader/.local/bin/ibid", "/home/reader/library", root=root, user=READER)

    def test_in_a_virtual_environment_of_this_machine(self):
        documents, home = self.folder / "documents", self.folder / "home"
        write_documents(documents)
        home.mkdir()
        environment = self.folder / "environment"
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        isolated(environment / "bin/pip", "--disable-pip-version-check", "--no-cache-dir", "install", "--no-index",
                 self.package("*.whl"), home=home)
        self.use(lambda *arguments: isolated(environment / "bin/ibid", *arguments, home=home, folder=home), documents)

    def test_record_and_tag(self):
        path = self.package("*.whl")
        with zipfile.ZipFile(path) as wheel:
            info = f"ibid-{VERSION}.dist-info"
            rows = list(csv.reader(io.StringIO(wheel.read(f"{info}/RECORD").decode())))
            self.assertEqual([row[0] for row in rows], wheel.namelist())
            for name, digest, size in rows[:-1]:
                content = wheel.read(name)
                expected = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                self.assertEqual((digest, size), (f"sha256={expected}", str(len(content))), name)
            tag = path.name.removesuffix(".whl").split("-", 2)[2]
            self.assertIn(f"Tag: {tag}\n", wheel.read(f"{info}/WHEEL").decode())
            self.assertRegex(tag, r"^py3-none-manylinux_2_\d+_(x86_64|aarch64)$")


class Npm(InstalledCase):
    START = textwrap.dedent("""
        const assert = require("node:assert");
        const { binaryPath, startServer } = require("ibid");
        (async () => {
          assert.match(binaryPath(), /node_modules.@ibid.linux-/);
          const server = await startServer({ data: process.argv[1], env: { IBID_LOG: "error" } });
          assert.equal((await fetch(server.url + "/health")).status, 200);
          await server.close();
          assert.equal(server.process.exitCode, 0);
          await assert.rejects(startServer({ listen: "nowhere" }), /did not start/);
        })();
    """)
    # Starts a server through the script, and asks the script to stop.
    STOP = textwrap.dedent("""
        const { spawn } = require("node:child_process");
        const shim = spawn("node_modules/.bin/ibid", ["serve", "--json", "--listen", "127.0.0.1:0", "--data", process.argv[1]],
          { stdio: ["ignore", "pipe", "inherit"], detached: true });
        shim.stdout.once("data", () => shim.kill(process.argv[2]));
        shim.on("close", (code, signal) => { console.log(code, signal); });
    """)

    def test_in_a_new_folder(self):
        if not shutil.which("npm"):
            self.skipTest("npm is not installed")
        documents, home, project = (self.folder / name for name in ("documents", "home", "project"))
        write_documents(documents)
        for folder in (home, project):
            folder.mkdir()

        def run(*command, **more):
            return isolated(*command, home=home, folder=project, **more)

        run("npm", "init", "-y")
        run("npm", "install", "--offline", "--no-audit", "--no-fund", self.package("ibid-linux-*.tgz"),
            PACKAGES / f"ibid-{VERSION}.tgz")
        self.use(lambda *arguments: run("npx", "--no-install", "ibid", *arguments), documents)
        run("node", "-e", self.START, home / "library")
        self.assertEqual(run("node_modules/.bin/ibid", "nonsense", check=False).returncode, 2, "the exit code is lost")
        for signal in ("SIGTERM", "SIGINT"):
            self.assertEqual(run("node", "-e", self.STOP, home / "library", signal).stdout.split()[-2:], ["0", "null"],
                             f"{signal} did not end the server as it should")
        run("npm", "uninstall", "ibid", f"@ibid/{self.package('ibid-linux-*.tgz').name.split('-', 1)[1].rsplit('-', 1)[0]}",
            "--offline", "--no-audit", "--no-fund")
        self.assertFalse((project / "node_modules/ibid").exists())


class Image(InstalledCase):
    def blob(self, descriptor):
        path = self.layout / "blobs" / descriptor["digest"].replace(":", "/")
        self.assertEqual(path.stat().st_size, descriptor["size"])
        with path.open("rb") as stream:
            self.assertEqual(f"sha256:{hashlib.file_digest(stream, 'sha256').hexdigest()}", descriptor["digest"])
        return path

    def test_layers_make_a_root_that_works_as_its_user(self):
        self.layout = self.folder / "layout"
        with tarfile.open(self.package("ibid-*-oci.tar")) as archive:
            archive.extractall(self.layout, filter="data")
        self.assertEqual(json.loads((self.layout / "oci-layout").read_text()), {"imageLayoutVersion": "1.0.0"})
        (entry,) = json.loads((self.layout / "index.json").read_text())["manifests"]
        manifest = json.loads(self.blob(entry).read_text())
        image = json.loads(self.blob(manifest["config"]).read_text())
        root = self.folder / "root"
        root.mkdir()
        for layer, expected in zip(manifest["layers"], image["rootfs"]["diff_ids"], strict=True):
            packed = self.blob(layer)
            plain = hashlib.sha256(gzip.decompress(packed.read_bytes()))
            self.assertEqual(f"sha256:{plain.hexdigest()}", expected)
            subprocess.run(["tar", "-xzpf", packed, "-C", root, "--numeric-owner"], check=True)
        (old,) = json.loads((self.layout / "manifest.json").read_text())
        for name in (old["Config"], *old["Layers"]):
            self.assertTrue((self.layout / name).is_file())

        config = image["config"]
        user = int(config["User"].split(":")[0])
        self.assertNotEqual(user, 0)
        env = dict(variable.split("=", 1) for variable in config["Env"])
        write_documents(root / "srv/documents")
        # The image has no `env`: the host's is not in its root.
        def run(*arguments, options=()):
            command = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--", sys.executable, "-B",
                       HERE / "isolate.py", "--strict", "--root", root, "--user", str(user), "--folder", config["WorkingDir"],
                       *options, "--", *config["Entrypoint"], *arguments]
            done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300,
                                  env={**env, "PATH": env["PATH"] + ":" + os.environ["PATH"], "IBID_LOG": "warn", "NO_COLOR": "1"})
            self.assertEqual(done.returncode, 0, f"{arguments}: {done.stdout}{done.stderr}")
            return done

        self.use(run)
        probed = json.loads(run(*config["Cmd"], "--json", options=["--probe"]).stdout)
        self.assertEqual((probed["health"], probed["code"]), (200, 0))
        self.assertTrue((root / "var/lib/ibid/ibid.db").exists(), "the library is not in the volume")


class Install(InstalledCase):
    def script(self, *arguments, **env):
        done = subprocess.run([HERE.parent / "scripts/install.sh", *arguments], capture_output=True, text=True, timeout=300,
                              env={**os.environ, **env})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stderr

    def test_from_the_sources_into_a_prefix_and_away_again(self):
        prefix, home, documents = (self.folder / name for name in ("prefix", "home", "documents"))
        write_documents(documents)
        home.mkdir()
        (prefix / "share/man/man1").mkdir(parents=True)
        (prefix / "share/man/man1/other.1").write_text("of another program")
        before = snapshot(prefix)
        said = self.script(PREFIX=str(prefix))
        self.assertIn(f'export PATH="{prefix}/bin:$PATH"', said)
        self.use(lambda *arguments: isolated(prefix / "bin/ibid", *arguments, home=home, folder=home), documents)

        # Once more, after a version that had a file which this one has not.
        (prefix / "lib/ibid/old").mkdir()
        (prefix / "lib/ibid/old/file").write_text("")
        with (prefix / "lib/ibid/files").open("a") as files:
            files.write("lib/ibid/old/\nlib/ibid/old/file\n")
        said = self.script(PREFIX=str(prefix), PATH=f"{prefix}/bin:{os.environ['PATH']}")
        self.assertNotIn("export PATH", said)
        self.assertFalse((prefix / "lib/ibid/old").exists(), "a file of the version before is left")
        listed = set((prefix / "lib/ibid/files").read_text().split())
        installed = {path for path in snapshot(prefix) - before if (prefix / path).is_file()}
        self.assertEqual({entry for entry in listed if not entry.endswith("/")}, installed)

        self.script("remove", PREFIX=str(prefix))
        self.assertEqual(snapshot(prefix), before)


if __name__ == "__main__":
    unittest.main()
