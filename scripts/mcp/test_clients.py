"""The MCP server as clients of others meet it, over both transports and in both lifecycles of the protocol."""

import asyncio
import json
import logging
import os
import re
import subprocess
import tempfile
import unittest
import uuid

from jsonschema import Draft202012Validator
from mcp import Client, MCPError, StdioServerParameters

IBID = os.environ["IBID_BIN"]
INSPECTOR = os.environ["IBID_INSPECTOR"]

TOOLS = [
    "hybrid_search",
    "search_knowledge_base",
    "query_sources_rag",
    "add_source",
    "get_source",
    "verify_citations",
    "ground_text",
    "job_status",
    "graph_health",
    "entity_review_queue",
    "create_document",
    "read_document",
    "write_document",
    "get_next_citation_number",
    "add_citation",
    "remove_citation",
    "update_bibliography",
    "search",
    "fetch",
]
QUESTION = "Where does the marsh harrier build its nest?"
TEXT = (
    "The marsh harrier is a bird of prey.\n\nThe marsh harrier builds its nest in dense reed beds, close to the ground "
    "— often over water.\n\nIn winter it flies to the south."
)

# Its tests run in debug mode, in which asyncio tells of every task that takes a while.
logging.getLogger("asyncio").setLevel(logging.ERROR)

library = server = url = None


def setUpModule():
    global library, server, url
    library = tempfile.TemporaryDirectory(prefix="ibid-mcp.")
    command = [IBID, "serve", "--listen", "127.0.0.1:0", "--data", library.name]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    line = server.stdout.readline()
    found = re.match(r"Ibid is ready: (\S+)", line)
    assert found, f"the server did not start: {line}"
    url = found[1]


def tearDownModule():
    server.terminate()
    server.communicate(timeout=30)
    library.cleanup()


def over_http():
    return f"{url}/mcp"


def over_stdio():
    arguments = ["mcp", "--data", library.name, "--public-url", url, "--log", "error"]
    home = {name: os.environ[name] for name in ("HOME", "XDG_CACHE_HOME", "IBID_CACHE") if name in os.environ}
    return StdioServerParameters(command=IBID, args=arguments, env=home)


class Sdk(unittest.IsolatedAsyncioTestCase):
    """The official SDK. It holds every structured result against the schema that its tool announced."""

    async def added(self, client, document):
        arguments = {"title": "Harriers", "content": TEXT, "document_id": document}
        added = (await client.call_tool("add_source", arguments)).structured_content["source"]
        for _ in range(1200):
            source = (await client.call_tool("get_source", {"id": added["id"]})).structured_content["source"]
            if source["status"] == "ready":
                return source["id"]
            self.assertNotEqual(source["status"], "failed", source)
            await asyncio.sleep(0.025)
        self.fail(f"it did not become searchable: {source}")

    async def every_tool(self, target, mode, version):
        async with Client(target, mode=mode) as client:
            self.assertEqual(client.protocol_version, version)
            self.assertEqual(client.server_info.name, "ibid")
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            self.assertEqual(list(tools), TOOLS)
            for tool in tools.values():
                Draft202012Validator.check_schema(tool.input_schema)
                Draft202012Validator.check_schema(tool.output_schema)
            new = {"title": "Harriers", "style": "apa", "text": "It nests in reeds[^1]."}
            document = (await client.call_tool("create_document", new)).structured_content["document"]["document_id"]
            source = await self.added(client, document)
            calls = {
                "hybrid_search": {"query": QUESTION, "limit": 5, "filters": {"source_ids": [source]}},
                "search_knowledge_base": {"query": QUESTION},
                "query_sources_rag": {"query": QUESTION, "document_id": document, "top_k": 3, "threshold": 0.1},
                "add_source": {"title": "A reference", "author": "A. Sample", "publication_date": "2024-05"},
                "get_source": {"id": source, "start_char": 4, "end_char": 17},
                "verify_citations": {"pairs": [{"claim": "It flies south.", "passage": TEXT}]},
                "ground_text": {"text": "The marsh harrier builds its nest in dense reed beds."},
                "job_status": {},
                "graph_health": {},
                "entity_review_queue": {},
                "create_document": new,
                "read_document": {"document_id": document},
                "write_document": {"document_id": document, "text": "It nests in dense reeds[^1].", "base_version": 1},
                "get_next_citation_number": {"document_id": document},
                "add_citation": {"document_id": document, "source_id": source, "citation_number": 1, "position": 23},
                "update_bibliography": {"document_id": document, "style": "mla"},
                "remove_citation": {"document_id": document, "citation_number": 1},
                "search": {"query": QUESTION},
                "fetch": {"id": f"{source}#4-17"},
            }
            self.assertEqual(set(calls), set(tools))
            for name, arguments in calls.items():
                with self.subTest(name):
                    Draft202012Validator(tools[name].input_schema).validate(arguments)
                    result = await client.call_tool(name, arguments)
                    self.assertFalse(result.is_error, result.content[0])
                    Draft202012Validator(tools[name].output_schema).validate(result.structured_content)
                    self.assertEqual(result.content[0].type, "text")
                    self.assertTrue(all(block.type == "resource_link" for block in result.content[1:]))
            wrong = await client.call_tool("hybrid_search", {"query": QUESTION, "limit": 0})
            self.assertTrue(wrong.is_error)
            self.assertIn("it is 1 to 200", wrong.content[0].text)
            with self.assertRaises(MCPError):
                await client.call_tool("guess", {})

            listed = [str(resource.uri) for resource in (await client.list_resources()).resources]
            self.assertIn(f"ibid://sources/{source}", listed)
            read = await client.read_resource(f"ibid://sources/{source}")
            self.assertEqual(read.contents[0].text, TEXT)
            self.assertEqual(len((await client.list_resource_templates()).resource_templates), 2)

    async def finds(self, target):
        async with Client(target) as client:
            source = await self.added(client, str(uuid.uuid4()))
            # Other tests have added the same text, so only this one is asked for; it is found within a second.
            asked = {"query": QUESTION, "filters": {"source_ids": [source]}}
            for _ in range(40):
                found = await client.call_tool("hybrid_search", asked)
                if found.structured_content["primary_results"]:
                    break
                await asyncio.sleep(0.025)
            best = found.structured_content["primary_results"][0]
            self.assertEqual(best["source_id"], source)
            quote = best["evidence"][0]
            self.assertEqual(TEXT[quote["start_char"] : quote["end_char"]], quote["quote"])
            self.assertIn("reed beds", quote["quote"])
            self.assertEqual(str(found.content[1].uri), quote["url"])
            self.assertTrue(quote["url"].startswith(f"{url}/sources/{source}?revision="))
            results = (await client.call_tool("search", {"query": QUESTION})).structured_content["results"]
            self.assertTrue(all(result["url"].startswith("http") for result in results))
            fetched = (await client.call_tool("fetch", {"id": results[0]["id"]})).structured_content
            self.assertEqual(fetched["metadata"]["quote"], quote["quote"])

    async def test_every_tool_over_http(self):
        await self.every_tool(over_http(), "auto", "2026-07-28")

    async def test_every_tool_over_http_with_a_handshake(self):
        await self.every_tool(over_http(), "legacy", "2025-11-25")

    async def test_every_tool_over_stdio(self):
        await self.every_tool(over_stdio(), "auto", "2026-07-28")

    async def test_every_tool_over_stdio_with_a_handshake(self):
        await self.every_tool(over_stdio(), "legacy", "2025-11-25")

    async def test_finds_over_http(self):
        await self.finds(over_http())

    async def test_finds_over_stdio(self):
        await self.finds(over_stdio())


class Inspector(unittest.TestCase):
    """The inspector's command line. With --strict it refuses schemas that some clients cannot take."""

    def inspect(self, *arguments):
        command = ["node", INSPECTOR, "--cli", *arguments]
        with tempfile.TemporaryDirectory(prefix="ibid-inspector.") as home:
            environment = {**os.environ, "MCP_CATALOG_PATH": f"{home}/mcp.json", "NO_COLOR": "1"}
            run = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return json.loads(run.stdout)

    def lists_and_calls(self, *target):
        tools = self.inspect(*target, "--method", "tools/list", "--strict")["tools"]
        self.assertEqual([tool["name"] for tool in tools], TOOLS)
        called = self.inspect(*target, "--method", "tools/call", "--tool-name", "job_status", "--tool-arg", "limit=2")
        self.assertIn("counts", called["structuredContent"])

    def test_over_http(self):
        self.lists_and_calls(f"{url}/mcp", "--transport", "http")

    def test_over_stdio(self):
        self.lists_and_calls(IBID, "mcp", "-e", f"IBID_DATA={library.name}", "-e", "IBID_LOG=error")


if __name__ == "__main__":
    unittest.main()
