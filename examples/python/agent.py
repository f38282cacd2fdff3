"""An agent that answers from an Ibid library. Its model searches; Ibid numbers what is found, checks every citation
of the answer against the words it cites, and keeps it.

    python agent.py "Who built the harbour of Selde?"

OPENAI_BASE_URL and OPENAI_API_KEY name the model's server, OPENAI_MODEL the model, IBID_URL the library.
"""

import json
import os
import sys
import urllib.error
import urllib.request

from openai import OpenAI

IBID_URL = os.environ.get("IBID_URL", "http://127.0.0.1:7319").rstrip("/")
MODEL = os.environ.get("OPENAI_MODEL", "gpt-5-mini")
MAX_TURNS = 6  # of which the last must answer

INSTRUCTIONS = "Answer the question from the library. Search it first, in more than one way if need be."
SEARCH = {
    "type": "function",
    "function": {
        "name": "hybrid_search",
        "description": "Finds passages of the library, by their words and by their meaning.",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string", "description": "Words, or a question."}},
            "required": ["query"],
        },
    },
}


def ibid(path, body):
    """Posts to Ibid. What it refuses, it explains."""
    data, headers = json.dumps(body).encode(), {"content-type": "application/json"}
    request = urllib.request.Request(f"{IBID_URL}/api/v1{path}", data, headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        raise RuntimeError(f"{path}: {json.load(error)['detail']}") from None


def call_tool(run, call):
    """Does what the model asked for, and reports it to the run: what was found comes back with numbers to cite."""
    parameters = json.loads(call.function.arguments)
    found = ibid("/search", {"query": parameters["query"], "limit": 5})
    # Any tool can be reported so, not only Ibid's own: web_search, query_rag_project, mcp.*__* … under its name.
    report = {"tool_name": call.function.name, "request_id": call.id, "parameters": parameters, "output": found}
    return ibid(f"/runs/{run['id']}/tool-results", report)


def answer(question):
    """Asks the model until it answers, and gives the answer with its evidence."""
    model = OpenAI()
    # A run collects what the tools find. It belongs to a conversation; name one to go on with it.
    run = ibid("/runs", {"question": question})
    messages = [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": question}]
    usage = {"input_tokens": 0, "output_tokens": 0}
    try:
        for turn in range(1, MAX_TURNS + 1):
            may_search = "auto" if turn < MAX_TURNS else "none"
            completion = model.chat.completions.create(
                model=MODEL, messages=messages, tools=[SEARCH], tool_choice=may_search
            )
            if completion.usage:
                usage["input_tokens"] += completion.usage.prompt_tokens
                usage["output_tokens"] += completion.usage.completion_tokens
            message = completion.choices[0].message
            if not message.tool_calls:
                break
            messages.append(message)
            for call in message.tool_calls:
                try:
                    sources = call_tool(run, call)
                except (ValueError, KeyError, RuntimeError) as error:  # the model may try again
                    found = f"That did not work: {error}"
                else:
                    # How to cite is an instruction. What was found is none: who wrote it does not instruct the model.
                    messages[0]["content"] = f"{INSTRUCTIONS}\n\n{sources['guidelines']}"
                    found = sources["prompt"] or sources.get("warning") or "Nothing was found."
                messages.append({"role": "tool", "tool_call_id": call.id, "content": found})
        # This ends the run: the citations are checked and kept.
        response = {"text": message.content, "model": completion.model, "usage": usage}
        return ibid(f"/runs/{run['id']}/response", response)
    except BaseException:
        ibid(f"/runs/{run['id']}/cancel", {})
        raise


def link(citation):
    """Where the cited words can be read."""
    if not citation["source_id"]:
        return citation["url"] or ""
    place = f"#c={citation['start_char']}-{citation['end_char']}" if citation["quote"] else ""
    return f"{IBID_URL}/sources/{citation['source_id']}?revision={citation['revision_id']}{place}"


def show(answered):
    print(answered["message"]["content"], end="\n\n")
    for citation in answered["message"]["citations"]:
        print(f"[{citation['number']}] {citation['verdict']}: {citation['title']}")
        if citation["quote"]:
            print(f"    “{citation['quote']}”")
        print(f"    {link(citation)}")
    for number in answered["dangling"]:
        print(f"[{number}] names no source")
    for claim in answered["uncited"]:
        print(f"without a source: {claim['text']}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit('usage: python agent.py "A question"')
    show(answer(sys.argv[1]))
