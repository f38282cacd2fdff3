"""Asks an Ibid library with OpenAI's own client: nothing changes but its address.

    python ask_openai.py "Who built the harbour of Selde?"

IBID_URL names the library.
"""

import os
import sys

from openai import OpenAI

IBID_URL = os.environ.get("IBID_URL", "http://127.0.0.1:7319").rstrip("/")
# `ibid` answers as the server is set up; `ibid-extractive` in the library's own words, `ibid-generated` in a model's.
MODEL = os.environ.get("IBID_MODEL", "ibid")

client = OpenAI(base_url=f"{IBID_URL}/v1", api_key="none")  # the client wants a key, Ibid does not


def chat(question):
    completion = client.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": question}])
    message = completion.choices[0].message
    print(message.content)
    show(annotation.url_citation for annotation in message.annotations or [])


def chat_streamed(question):
    with client.chat.completions.stream(model=MODEL, messages=[{"role": "user", "content": question}]) as events:
        for event in events:
            if event.type == "content.delta":
                print(event.delta, end="", flush=True)
        message = events.get_final_completion().choices[0].message
    print()
    show(annotation.url_citation for annotation in message.annotations or [])


def response(question):
    answer = client.responses.create(model=MODEL, input=question)
    print(answer.output_text)
    show(answer.output[0].content[0].annotations)


def response_streamed(question):
    with client.responses.stream(model=MODEL, input=question) as events:
        for event in events:
            if event.type == "response.output_text.delta":
                print(event.delta, end="", flush=True)
        answer = events.get_final_response()
    print()
    show(answer.output[0].content[0].annotations)


def show(citations):
    """Each leads to the exact words in the library."""
    for citation in citations:
        print(f"  {citation.start_index}–{citation.end_index} {citation.title}: {citation.url}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit('usage: python ask_openai.py "A question"')
    for way in (chat, chat_streamed, response, response_streamed):
        print(f"== {way.__name__}")
        way(sys.argv[1])
