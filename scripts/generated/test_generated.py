"""Clients made by others' generators from the document that the server serves: complete, compiled, and used."""

import importlib
import importlib.util
import io
import json
import os
import pkgutil
import re
import subprocess
import sys
import tempfile
import time
import unittest
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from server import Ibid

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NODE_MODULES = Path(os.environ["IBID_TYPESCRIPT"])
JAR = Path(importlib.util.find_spec("openapi_generator_cli").origin).parent / "openapi-generator.jar"
# Programs that run for seconds are not worth optimizing: this halves their time.
JAVA = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
JAVA_LIBRARIES = f"{JAR}:{os.environ['IBID_JAVA_LIBRARIES']}"

# Without this the client imports the models of forms but has no files of them.
# Documentation and empty tests are not looked at.
GLOBAL_PROPERTIES = {
    "skipFormModel": "false",
    **{name: "false" for name in ("apiDocs", "apiTests", "modelDocs", "modelTests")},
    **{name: "" for name in ("apis", "models", "supportingFiles")},
}
GENERATORS = {
    "typescript-fetch": {},
    # On the HTTP client of the JDK, without annotations from libraries that the client does not need.
    "java": {
        "library": "native",
        "additionalProperties": {
            "annotationLibrary": "none",
            "documentationProvider": "none",
            "openApiNullable": False,
            "useJakartaEe": True,
        },
    },
}


class Workshop:
    """A server, its document, and the clients that are made of it in the meantime."""

    def __init__(self):
        self.ibid = Ibid()
        self.folder = tempfile.TemporaryDirectory(prefix="ibid-clients.")
        self.path = Path(self.folder.name)
        self.pool = ThreadPoolExecutor(os.cpu_count())
        document = self.ibid.openapi()
        self.document = json.loads(document)
        (self.path / "openapi.json").write_bytes(document)
        # The longest first. The tests wait for the one they need.
        start = self.pool.submit
        self.openapi_generator = start(self.run_openapi_generator)
        settings = HERE / "openapi-python-client.yml"
        self.python = start(self.run_openapi_python_client, "ibid_client", "--config", settings)
        self.openapi_typescript = start(self.run_openapi_typescript)
        self.plain_python = start(self.run_openapi_python_client, "plain_client")
        self.validation = start(self.run, "java", *JAVA, "-jar", JAR, "validate", "-i", "openapi.json", "--recommend")

    def close(self):
        self.pool.shutdown(cancel_futures=True)
        self.ibid.stop()
        self.folder.cleanup()

    def run(self, *command):
        """Exit code and output of a program."""
        done = subprocess.run(
            [str(part) for part in command], cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        return done.returncode, done.stdout

    def run_openapi_generator(self):
        # A batch makes all clients in one virtual machine, in half the time.
        for name, options in GENERATORS.items():
            settings = {"generatorName": name, "inputSpec": "openapi.json", "outputDir": name, **options}
            settings["globalProperties"] = GLOBAL_PROPERTIES
            (self.path / f"{name}.json").write_text(json.dumps(settings))
        return self.run("java", *JAVA, "-jar", JAR, "batch", *(f"{name}.json" for name in GENERATORS))

    def run_openapi_python_client(self, package, *options):
        where = ["--path", "openapi.json", "--output-path", f"python/{package}", "--meta", "none"]
        (self.path / "python").mkdir(exist_ok=True)
        return self.run(sys.executable, "-m", "openapi_python_client", "generate", *where, *options)

    def run_openapi_typescript(self):
        program = NODE_MODULES / "openapi-typescript/bin/cli.js"
        (self.path / "fetch").mkdir()
        return self.run("node", program, "openapi.json", "--output", "fetch/api.ts")

    def operations(self):
        """Ids of all operations."""
        methods = {"get", "put", "post", "patch", "delete", "head"}
        paths = self.document["paths"].values()
        return {operation["operationId"] for item in paths for method, operation in item.items() if method in methods}


workshop = None


def setUpModule():
    global workshop
    workshop = Workshop()


def tearDownModule():
    workshop.close()


def camel_case(name):
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


class GeneratedClient(unittest.TestCase):
    maxDiff = None

    def made(self, future):
        """What a generator printed; fails if the generator did."""
        code, output = future.result()
        self.assertEqual(code, 0, output)
        return output

    def compile_typescript(self, folder, module):
        """Compiles a folder with all strict checks; the program is in `out`."""
        (workshop.path / folder / "package.json").write_text(json.dumps({"type": module}))
        modules = workshop.path / folder / "node_modules"
        modules.symlink_to(NODE_MODULES)
        options = {
            "strict": True,
            "noEmitOnError": True,
            "skipLibCheck": True,  # of the compiler's own files; none of what is made ends in .d.ts
            "target": "es2022",
            "module": "nodenext",
            "lib": ["es2022", "dom", "dom.iterable"],
            "types": [],
            "outDir": "out",
        }
        (workshop.path / folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": options}))
        code, output = workshop.run("node", NODE_MODULES / "typescript/bin/tsc", "-p", folder)
        self.assertEqual(code, 0, output)

    def use(self, *command):
        """The outcome of a program that uses a client."""
        code, output = workshop.run(*command, workshop.ibid.url)
        self.assertEqual(code, 0, output)
        return json.loads(output.splitlines()[-1])

    def check_outcome(self, outcome, name, last_byte):
        self.assertEqual(outcome["type"], "KNOWLEDGE_BASE")
        self.assertIn(name, outcome["quote"])
        self.assertEqual(outcome["bytes"], [0, 255, 254, 128, 10, last_byte])
        self.assertEqual((outcome["code"], outcome["status"]), ("source_not_found", 404))

    def check_answer(self, outcome, name):
        self.assertIn(name, outcome["answer"])
        self.assertGreater(outcome["cited"], 0)


class Document(GeneratedClient):
    def test_is_the_committed_one(self):
        committed = json.loads((ROOT / "docs/openapi.json").read_text())
        self.assertEqual(workshop.document, committed, "docs/openapi.json is old: make openapi")
        self.assertRegex(workshop.document["openapi"], r"^3\.1\.")
        self.assertGreater(len(workshop.operations()), 100)

    def test_is_valid(self):
        output = self.made(workshop.validation)
        warnings = " ".join(output.partition("Warnings:")[2].partition("[info]")[0].split())
        schemas = workshop.document["components"]["schemas"]
        described = {name: schema.get("description", "") for name, schema in schemas.items()}
        former = {name for name, about in described.items() if about.startswith("Former name of")}
        unexpected = [
            warning
            for warning in filter(None, re.split(r"(?:^| )- ", warnings))
            if warning.removeprefix("Unused model: ") not in former
            # A false alarm: the document has no such attribute, as the last line checks.
            and not warning.startswith("The 'nullable' attribute was removed")
        ]
        self.assertEqual(unexpected, [], output)
        self.assertNotIn('"nullable"', json.dumps(workshop.document))


class OpenapiTypescript(GeneratedClient):
    def test_makes_a_client_that_compiles_and_works(self):
        self.made(workshop.openapi_typescript)
        folder = workshop.path / "fetch"
        types = (folder / "api.ts").read_text()
        named = types.partition("export interface operations {")[2]
        self.assertEqual(set(re.findall(r"^    (\w+): \{$", named, re.MULTILINE)), workshop.operations())
        (folder / "fetch_client.ts").write_text((HERE / "fetch_client.ts").read_text())
        self.compile_typescript("fetch", "module")
        outcome = self.use("node", folder / "out/fetch_client.js")
        self.check_outcome(outcome, "Ruth Aalto", 1)
        self.check_answer(outcome, "Ruth Aalto")


class OpenapiGenerator(GeneratedClient):
    def check_operations(self, source, pattern):
        made = set(re.findall(pattern, source, re.MULTILINE))
        self.assertEqual({camel_case(name) for name in workshop.operations()} - made, set())

    def test_makes_a_typescript_client_that_compiles_and_works(self):
        self.made(workshop.openapi_generator)
        folder = workshop.path / "typescript-program"
        folder.mkdir()
        (workshop.path / "typescript-fetch").rename(folder / "client")
        source = "".join(path.read_text() for path in (folder / "client/apis").glob("*.ts"))
        self.check_operations(source, r"^    async (\w+)\(")
        (folder / "generated_client.ts").write_text((HERE / "generated_client.ts").read_text())
        # The client's own imports name no files, as only CommonJS allows.
        self.compile_typescript("typescript-program", "commonjs")
        outcome = self.use("node", folder / "out/generated_client.js")
        self.check_outcome(outcome, "Olle Brandt", 2)
        self.check_answer(outcome, "Olle Brandt")

    def test_makes_a_java_client_that_compiles_and_works(self):
        self.made(workshop.openapi_generator)
        files = sorted((workshop.path / "java/src/main/java").rglob("*.java"))
        source = "".join(path.read_text() for path in files if path.name.endswith("Api.java"))
        self.check_operations(source, r"^  public \S+ (\w+)\(")
        out = workshop.path / "java-classes"
        options = [*(f"-J{flag}" for flag in JAVA), "-nowarn", "-proc:none", "-g:none", "-encoding", "UTF-8"]
        files.append(HERE / "GeneratedClient.java")
        code, output = workshop.run("javac", *options, "-cp", JAVA_LIBRARIES, "-d", out, *files)
        self.assertEqual(code, 0, output)
        outcome = self.use("java", *JAVA, "-cp", f"{out}:{JAVA_LIBRARIES}", "GeneratedClient")
        self.check_outcome(outcome, "Ines Moreau", 3)
        self.assertEqual(outcome["title"], "Boats")


class OpenapiPythonClient(GeneratedClient):
    def functions(self, package):
        """Imports every module of a client, and returns its functions by the ids of their operations."""
        self.assertEqual(workshop.run(sys.executable, "-m", "compileall", "-q", f"python/{package}"), (0, ""))
        path = str(workshop.path / "python")
        sys.path.insert(0, path)
        self.addCleanup(sys.path.remove, path)
        root = importlib.import_module(package)
        modules = [module.name for module in pkgutil.walk_packages(root.__path__, f"{package}.")]
        imported = {name: importlib.import_module(name) for name in modules}
        return {
            name.rpartition(".")[2]: module.sync_detailed
            for name, module in imported.items()
            if hasattr(module, "sync_detailed")
        }

    def test_leaves_nothing_out_even_if_it_is_told_nothing(self):
        output = self.made(workshop.plain_python)
        lost = [
            part
            for part in output.split("WARNING parsing ")
            if "will not be generated" in part or "resulted in the removal" in part
        ]
        self.assertEqual(lost, [])
        self.assertEqual(set(self.functions("plain_client")), workshop.operations())

    def test_makes_a_client_that_compiles_and_works(self):
        output = self.made(workshop.python)
        self.assertNotIn("WARNING", output)
        self.assertNotIn("Unable to process", output)
        call = self.functions("ibid_client")
        self.assertEqual(set(call), workshop.operations())

        from ibid_client import Client, models
        from ibid_client.types import File

        client = self.enterContext(Client(base_url=workshop.ibid.url, headers={"Accept": "application/json"}))

        def parsed(name, kind, *arguments, **named):
            response = call[name](*arguments, client=client, **named)
            self.assertIsInstance(response.parsed, kind, response.content)
            return response.parsed

        content = "The mill of Selde was built in 1856 by Peer Okafor."
        kind = models.SourceType.KNOWLEDGE_BASE
        new = models.NewSource(title="The mill", content=content, type_=kind)
        source = parsed("create_source", models.Source, body=new)
        self.assertIs(source.type_, kind)
        self.assertIsInstance(source.id, uuid.UUID)

        filters = models.SearchFilters(source_ids=[source.id], type_=[kind])
        wanted = models.SearchBody(query="mill Okafor", filters=filters)
        for _ in range(600):
            results = parsed("search", models.SearchAnswer, body=wanted).primary_results
            if results:
                break
            time.sleep(0.05)
        self.assertIn("Peer Okafor", results[0].evidence[0].quote)

        conversation = parsed("create_conversation", models.Conversation, body=models.NewConversation())
        question = models.NewMessage(content="Who built the mill of Selde?")
        answer = parsed("ask", models.Message, conversation.id, body=question)
        self.assertIn("Peer Okafor", answer.content)
        self.assertGreater(len(answer.citations), 0)

        sent = bytes([0, 255, 254, 128, 10, 4])
        artifact = parsed("create_artifact", models.Artifact, body=File(payload=io.BytesIO(sent)))
        received = parsed("get_artifact_content", File, artifact.sha256)
        self.assertEqual(received.payload.read(), sent)

        problem = parsed("get_source", models.Problem, str(uuid.uuid4()))
        self.assertIs(problem.code, models.ErrorCode.SOURCE_NOT_FOUND)
        self.assertEqual(problem.status, 404)


if __name__ == "__main__":
    unittest.main()
