"""Ibid as clients of OpenAI's protocol meet it, unchanged, and the examples as they are in `examples/`."""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import openai
from library import TEXTS, Ibid
from openai.types import responses as events
from openai.types.chat import ChatCompletion
from openai.types.chat.chat_completion_message import AnnotationURLCitation as ChatCitation
from openai.types.responses.response_output_text import AnnotationURLCitation as ResponseCitation
from scripted_model import MODEL, BreakOff, Call, Refuse, Say, ScriptedModel

PACKAGES = os.environ["IBID_AI_SDK"]
ROOT = Path(__file__).resolve().parents[2]

QUESTION = "Who built the harbour of Selde?"
TRUE = "Marta Lindqvist built the harbour of Selde in 1874 [1]."
MADE_UP = "It was painted red in 1990 [9]."


ibid = None


def setUpModule():
    global ibid
    ibid = Ibid()


def tearDownModule():
    ibid.stop()


class OfficialClient(unittest.TestCase):
    """OpenAI's client for Python, which is told nothing but an address."""

    def setUp(self):
        self.client = ibid.client()
        self.addCleanup(self.client.close)
        self.asked = {"model": "ibid", "messages": [{"role": "user", "content": QUESTION}]}

    def is_the_answer(self, text, citations, kind):
        self.assertIn("Marta Lindqvist", text)
        self.assertGreater(len(citations), 0)
        for citation in citations:
            self.assertIsInstance(citation, kind)
            # Places are counted in characters, also behind an emoji.
            self.assertRegex(text[citation.start_index : citation.end_index], r"^\[\d\]$")
            quote = ibid.cited(citation.url)
            self.assertIn(quote, TEXTS[citation.title])
            self.assertIn(quote, text)

    def is_the_message(self, message):
        self.assertEqual(message.role, "assistant")
        self.assertTrue(all(annotation.type == "url_citation" for annotation in message.annotations))
        self.is_the_answer(message.content, [one.url_citation for one in message.annotations], ChatCitation)

    def is_the_response(self, response):
        self.assertEqual((response.status, response.error, len(response.output)), ("completed", None, 1))
        [part] = response.output[0].content
        self.assertEqual(part.text, response.output_text)
        self.is_the_answer(part.text, part.annotations, ResponseCitation)
        self.assertEqual(response.usage.total_tokens, response.usage.input_tokens + response.usage.output_tokens)

    def test_lists_the_models(self):
        models = list(self.client.models.list())
        self.assertEqual([model.id for model in models], ["ibid", "ibid-extractive", "ibid-generated", "ibid-research"])
        self.assertEqual({(model.object, model.owned_by) for model in models}, {("model", "ibid")})

    def test_completes_a_chat(self):
        completion = self.client.chat.completions.create(**self.asked, temperature=0.2, max_tokens=500)
        ChatCompletion.model_validate(completion.to_dict(), strict=True)
        self.assertEqual((completion.object, completion.model), ("chat.completion", "ibid"))
        self.assertEqual(completion.choices[0].finish_reason, "stop")
        self.is_the_message(completion.choices[0].message)
        # The answer is kept as every other is.
        run = ibid.get(f"/api/v1/runs/{completion.id.removeprefix('chatcmpl-')}")
        self.assertEqual(run["status"], "completed")

    def test_streams_a_chat(self):
        options = {"include_usage": True}
        chunks = list(self.client.chat.completions.create(**self.asked, stream=True, stream_options=options))
        self.assertEqual({chunk.object for chunk in chunks}, {"chat.completion.chunk"})
        self.assertEqual(len({chunk.id for chunk in chunks}), 1)
        *said, last = chunks
        self.assertEqual((last.choices, last.usage.total_tokens), ([], 0))
        self.assertTrue(all(chunk.usage is None for chunk in said))
        self.assertEqual(said[0].choices[0].delta.role, "assistant")
        self.assertEqual([chunk.choices[0].finish_reason for chunk in said][-2:], [None, "stop"])
        self.assertIn("Marta Lindqvist", "".join(chunk.choices[0].delta.content or "" for chunk in said))
        without = list(self.client.chat.completions.create(**self.asked, stream=True))
        self.assertTrue(all(chunk.usage is None and chunk.choices for chunk in without))

    def test_gathers_a_streamed_chat(self):
        with self.client.chat.completions.stream(**self.asked) as stream:
            said = "".join(event.delta for event in stream if event.type == "content.delta")
            message = stream.get_final_completion().choices[0].message
        self.assertEqual(said, message.content)
        self.is_the_message(message)

    def test_holds_a_conversation(self):
        turns = [
            {"role": "developer", "content": "Be brief."},
            *self.asked["messages"],
            {"role": "assistant", "content": "Marta Lindqvist."},
            {"role": "user", "content": [{"type": "text", "text": "When did its street lamps become electric?"}]},
        ]
        completion = self.client.chat.completions.create(model="ibid", messages=turns)
        self.assertIn("1911", completion.choices[0].message.content)
        self.assertEqual(completion.choices[0].message.annotations[0].url_citation.title, "Street lamps")

    def test_responds(self):
        response = self.client.responses.create(model="ibid", input=QUESTION, instructions="Be brief.")
        self.assertEqual((response.object, response.model), ("response", "ibid"))
        self.is_the_response(response)
        parts = [{"role": "user", "content": [{"type": "input_text", "text": QUESTION}]}]
        self.is_the_response(self.client.responses.create(model="ibid-extractive", input=parts))

    def test_streams_a_response(self):
        stream = list(self.client.responses.create(model="ibid", input=QUESTION, stream=True))
        self.assertEqual([event.sequence_number for event in stream], list(range(len(stream))))
        kinds = [type(event) for event in stream]
        before = [events.ResponseCreatedEvent, events.ResponseInProgressEvent, events.ResponseOutputItemAddedEvent]
        self.assertEqual(kinds[:4], [*before, events.ResponseContentPartAddedEvent])
        after = [events.ResponseTextDoneEvent, events.ResponseContentPartDoneEvent, events.ResponseOutputItemDoneEvent]
        self.assertEqual(kinds[-4:], [*after, events.ResponseCompletedEvent])
        response = stream[-1].response
        self.is_the_response(response)
        told = [event.delta for event in stream if isinstance(event, events.ResponseTextDeltaEvent)]
        self.assertEqual("".join(told), response.output_text)
        added = [event for event in stream if isinstance(event, events.ResponseOutputTextAnnotationAddedEvent)]
        annotations = response.output[0].content[0].annotations
        self.assertEqual([event.annotation.to_dict() for event in added], [one.to_dict() for one in annotations])
        self.assertEqual(len(kinds), 8 + len(told) + len(added))

    def test_gathers_a_streamed_response(self):
        with self.client.responses.stream(model="ibid", input=QUESTION) as stream:
            self.is_the_response(stream.get_final_response())

    def test_answers_many_at_once(self):
        async def ask():
            async with ibid.client(openai.AsyncOpenAI) as client:
                return await asyncio.gather(*(client.chat.completions.create(**self.asked) for _ in range(8)))

        for completion in asyncio.run(ask()):
            self.is_the_message(completion.choices[0].message)

    def test_says_that_nothing_is_known(self):
        completion = self.client.chat.completions.create(
            model="ibid", messages=[{"role": "user", "content": "Which zloty coins circulated on Ganymede?"}]
        )
        message = completion.choices[0].message
        self.assertEqual(message.annotations, [])
        self.assertTrue(message.content)

    def test_refuses_what_is_wrong(self):
        chat, respond = self.client.chat.completions.create, self.client.responses.create
        wrong = [
            (chat, {"messages": []}, "messages"),
            (chat, {"messages": "Who?"}, "messages"),
            (chat, {"messages": [{"role": "assistant", "content": "Nobody asked."}]}, "messages"),
            (chat, {"messages": [{"role": "user", "content": " "}]}, None),
            (chat, {"messages": [], "stream": True}, "messages"),
            (respond, {"input": 7}, "input"),
            (respond, {"input": []}, "input"),
            (respond, {"input": " "}, None),
        ]
        for call, arguments, field in wrong:
            with self.subTest(arguments), self.assertRaises(openai.BadRequestError) as refused:
                call(model="ibid", **arguments)
            error = refused.exception
            self.assertEqual(error.type, "invalid_request_error")
            self.assertTrue(error.code and error.body["message"], error.body)
            if field:
                self.assertEqual(error.param, field)
        with self.assertRaises(openai.BadRequestError) as refused:
            chat(**{**self.asked, "model": "ibid-generated"})
        self.assertEqual(refused.exception.code, "model_not_configured")
    def test_is_told_all_that_is_wrong(self):
        with self.assertRaises(openai.BadRequestError) as refused:
            self.client.chat.completions.create(model="ibid", messages=[])
        self.assertEqual(refused.exception.body["message"], "the last message must be the user's question")
    def test_describes_a_model(self):
        self.assertEqual(self.client.models.retrieve("ibid-extractive").id, "ibid-extractive")
        with self.assertRaises(openai.NotFoundError):
            self.client.models.retrieve("nobody")
    def test_says_what_there_is_not(self):
        with self.assertRaises(openai.NotFoundError):
            self.client.responses.retrieve("resp_1")
    def test_takes_none_for_nothing(self):
        completion = self.client.chat.completions.create(**self.asked, stream=None, stream_options=None)
        self.is_the_message(completion.choices[0].message)
        self.is_the_response(self.client.responses.create(model="ibid", input=QUESTION, stream=None))
    def test_responds_with_every_field(self):
        response = self.client.responses.create(model="ibid", input=QUESTION)
        events.Response.model_validate(response.to_dict())


class Generated(unittest.TestCase):
    """The same client, when a language model writes the answers."""

    @classmethod
    def setUpClass(cls):
        cls.model = cls.enterClassContext(ScriptedModel())
        url = cls.model.url
        library = Ibid("--chat", "compatible", "--chat-model", MODEL, "--chat-url", url, "--chat-key", "none")
        cls.addClassCleanup(library.stop)
        cls.client = cls.enterClassContext(library.client())

    def test_shows_what_can_be_cited_and_nothing_else(self):
        self.model.follow(*[Say(f"{TRUE} {MADE_UP}")] * 3)
        asked = {"model": "ibid", "messages": [{"role": "user", "content": QUESTION}]}
        whole = self.client.chat.completions.create(**asked)
        self.assertEqual(whole.choices[0].message.content, f"{TRUE} It was painted red in 1990.")
        self.assertEqual(len(whole.choices[0].message.annotations), 1)
        self.assertEqual((whole.usage.prompt_tokens, whole.usage.completion_tokens), (100, 20))
        chunks = list(self.client.chat.completions.create(**asked, stream=True, stream_options={"include_usage": True}))
        said = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices and chunk.choices[0].delta.content]
        self.assertEqual("".join(said), whole.choices[0].message.content)
        self.assertGreater(len(said), 1)
        self.assertEqual(chunks[-1].usage.total_tokens, 120)
        response = self.client.responses.create(model="ibid", input=QUESTION)
        self.assertEqual(response.output_text, whole.choices[0].message.content)
        self.assertEqual(response.usage.total_tokens, 120)
        self.assertIn("Marta Lindqvist", json.dumps(self.model.requests[0]["messages"], ensure_ascii=False))

    def test_tells_that_the_model_failed(self):
        broken = BreakOff("Marta Lindqvist ", "the model is overloaded")
        self.model.follow(broken, broken, Refuse(401, "the key is wrong"))
        asked = {"model": "ibid", "messages": [{"role": "user", "content": QUESTION}]}
        with self.assertRaises(openai.APIError) as failed:
            list(self.client.chat.completions.create(**asked, stream=True))
        self.assertIn("overloaded", str(failed.exception))
        last = list(self.client.responses.create(model="ibid", input=QUESTION, stream=True))[-1]
        self.assertIsInstance(last, events.ResponseFailedEvent)
        self.assertEqual((last.response.status, last.response.error.code), ("failed", "server_error"))
        self.assertIn("overloaded", last.response.error.message)
        with self.assertRaises(openai.APIStatusError) as failed:
            self.client.chat.completions.create(**asked)
        self.assertGreaterEqual(failed.exception.status_code, 500)
        self.assertIn("the key is wrong", failed.exception.body["message"])
    def test_gives_no_broken_answer_as_a_whole_one(self):
        self.model.follow(BreakOff("Marta Lindqvist ", "the model is overloaded"))
        with self.assertRaises(openai.APIStatusError) as failed:
            self.client.chat.completions.create(model="ibid", messages=[{"role": "user", "content": QUESTION}])
        self.assertIn("overloaded", failed.exception.body["message"])


class Examples(unittest.TestCase):
    """The examples as they are, each in a process of its own."""

    @classmethod
    def setUpClass(cls):
        # Compiled beside their packages, and not where they are kept.
        cls.typescript = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="ibid-examples.")))
        (cls.typescript / "node_modules").symlink_to(PACKAGES)
        for file in [*(ROOT / "examples/typescript").iterdir(), ROOT / "scripts/clients/ai_sdk.mjs"]:
            if file.is_file():
                shutil.copy(file, cls.typescript)
        tsc = subprocess.run(["node_modules/.bin/tsc"], cwd=cls.typescript, capture_output=True, text=True, timeout=300)
        assert tsc.returncode == 0, tsc.stdout

    def run_example(self, name, question, model=None):
        if name.endswith(".py"):
            command = [sys.executable, ROOT / "examples/python" / name]
        else:
            command = ["node", self.typescript / name]
        # What Python compiles it keeps for the next one, elsewhere.
        compiled = {"PYTHONPYCACHEPREFIX": str(self.typescript / "pycache"), "PYTHONDONTWRITEBYTECODE": ""}
        settings = {"IBID_URL": ibid.url, "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1", **compiled}
        if model:
            settings |= {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "none", "OPENAI_MODEL": MODEL}
        return subprocess.run(
            [*command, question], env={**os.environ, **settings}, capture_output=True, text=True, timeout=120
        )

    def succeeds(self, name, question, model=None):
        run = self.run_example(name, question, model)
        self.assertEqual((run.returncode, run.stderr), (0, ""), run.stdout)
        return run.stdout

    def asks(self, name):
        ways = re.split(r"^== (\w+)\n", self.succeeds(name, QUESTION), flags=re.MULTILINE)
        self.assertEqual(ways[1::2], ["chat", "chat_streamed", "response", "response_streamed"])
        for shown in ways[2::2]:
            answer, *citations = shown.splitlines()
            self.assertIn("Marta Lindqvist", answer)
            for citation in citations:
                self.assertIn(ibid.cited(citation.split(": ")[1]), answer)
            self.assertEqual(len(citations), len(re.findall(r"\[\d\]", answer)))
        self.assertEqual(len({shown for shown in ways[2::2]}), 1)

    def test_openai_client(self):
        self.asks("ask_openai.py")

    def test_ai_sdk(self):
        self.asks("build/ask.js")

    def answers(self, name, question):
        """An agent searches, answers, and cites something that there is and something that there is not."""
        call = Call("hybrid_search", json.dumps({"query": QUESTION}))
        with ScriptedModel(call, Say(f"{TRUE} {MADE_UP}")) as model:
            shown = self.succeeds(name, question, model)
        # The model was told how to cite, and what.
        first, second = (request["messages"] for request in model.requests)
        self.assertEqual([turn["role"] for turn in first], ["system", "user"])
        self.assertEqual(first[1]["content"], question)
        self.assertEqual([turn["role"] for turn in second], ["system", "user", "assistant", "tool"])
        self.assertIn("## Citing sources", second[0]["content"])
        self.assertIn("[1] The harbour of Selde", second[3]["content"])
        self.assertEqual(second[3]["tool_call_id"], "call_1")

        asked, message = ibid.messages(question)
        self.assertEqual((asked["role"], asked["content"]), ("user", question))
        run = ibid.get(f"/api/v1/runs/{message['run_id']}")
        self.assertEqual((run["status"], run["mode"]), ("completed", "external"))
        self.assertEqual((message["content"], message["model"]), (f"{TRUE} {MADE_UP}", MODEL))
        self.assertEqual((message["usage"]["input_tokens"], message["usage"]["output_tokens"]), (200, 40))
        self.assertEqual(message["dangling"], ["[9]"])
        [citation] = ibid.get(f"/api/v1/messages/{message['id']}/citations")["citations"]
        self.assertEqual((citation["number"], citation["verdict"]), (1, "supported"))
        self.assertEqual(citation["title"], "The harbour of Selde")

        answer, blank, verdict, quote, link, *rest = shown.splitlines()
        self.assertEqual((answer, blank), (f"{TRUE} {MADE_UP}", ""))
        self.assertEqual(verdict, "[1] supported: The harbour of Selde")
        self.assertEqual(quote, f"    “{citation['quote']}”")
        self.assertEqual(ibid.cited(link.strip()), citation["quote"])
        self.assertEqual(rest, ["[9] names no source", "without a source: It was painted red in 1990."])

    def test_python_agent(self):
        self.answers("agent.py", "Who built Selde's harbour, asks Python?")

    def test_typescript_agent(self):
        self.answers("build/agent.js", "Who built Selde's harbour, asks TypeScript?")

    def tries_again(self, name, question):
        """What a model asks wrongly, or in vain, it is told; it may search as often as it likes, within bounds."""
        wrong = Call("hybrid_search", "{}", "call_0")
        right = Call("hybrid_search", json.dumps({"query": QUESTION}), "call_1")
        lamps = Call("hybrid_search", json.dumps({"query": "street lamps"}), "call_2")
        with ScriptedModel(wrong, right, lamps, Say(TRUE)) as model:
            self.succeeds(name, question, model)
        told = [turn for turn in model.requests[3]["messages"] if turn["role"] == "tool"]
        self.assertEqual([turn["tool_call_id"] for turn in told], ["call_0", "call_1", "call_2"])
        self.assertIn("query", told[0]["content"])
        self.assertIn("[1] The harbour of Selde", told[2]["content"])
        self.assertIn("Street lamps", told[2]["content"])
        [citation] = ibid.messages(question)[1]["citations"]
        self.assertEqual(citation["verdict"], "supported")
        calls = [Call("hybrid_search", json.dumps({"query": QUESTION}), f"call_{number}") for number in range(5)]
        with ScriptedModel(*calls, Say(TRUE)) as model:
            self.succeeds(name, f"{question} Again!", model)
        self.assertEqual([request["tool_choice"] for request in model.requests], [*["auto"] * 5, "none"])

    def test_python_agent_tries_again(self):
        self.tries_again("agent.py", "Who built it, tries Python?")

    def test_typescript_agent_tries_again(self):
        self.tries_again("build/agent.js", "Who built it, tries TypeScript?")

    def gives_up(self, name, question):
        """Without its model an agent ends, and leaves no run open."""
        with ScriptedModel(Refuse(400, "no such model")) as model:
            run = self.run_example(name, question, model)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("no such model", run.stderr)
        asked, message = ibid.messages(question)
        self.assertEqual((asked["content"], message["status"]), (question, "cancelled"))
        self.assertEqual(ibid.get(f"/api/v1/runs/{message['run_id']}")["status"], "cancelled")

    def test_python_agent_gives_up(self):
        self.gives_up("agent.py", "Who built it, gives Python up?")

    def test_typescript_agent_gives_up(self):
        self.gives_up("build/agent.js", "Who built it, gives TypeScript up?")

    def test_every_provider_of_the_ai_sdk(self):
        told = json.loads(self.succeeds("ai_sdk.mjs", QUESTION))
        ways = [(answer["name"], answer["streamed"]) for answer in told["answers"]]
        names = ["chat", "responses", "compatible"]
        self.assertEqual(ways, [(name, streamed) for name in names for streamed in (False, True)])
        for answer in told["answers"]:
            self.assertIn("Marta Lindqvist", answer["text"])
            self.assertEqual((answer["finishReason"], answer["usage"]["totalTokens"]), ("stop", 0), answer)
            # The provider for any server leaves annotations out.
            if answer["name"] != "compatible":
                self.assertGreater(len(answer["sources"]), 0)
            for source in answer["sources"]:
                self.assertEqual(source["sourceType"], "url")
                self.assertIn(ibid.cited(source["url"]), TEXTS[source["title"]])
        self.assertEqual(told["refused"]["statusCode"], 400)
        self.assertIn("the last message must be", told["refused"]["message"])


if __name__ == "__main__":
    unittest.main()
