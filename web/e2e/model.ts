import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A language model that says what a test tells it to, as OpenAI's protocol streams it. */
export interface Model {
  url: string;
  /** What it answers next, piece by piece. A number is a pause in milliseconds. */
  says: (string | number)[];
  /** The same, where what it is asked matters. */
  answers: (asked: string) => readonly (string | number)[];
  stop: () => Promise<void>;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export async function startModel(): Promise<Model> {
  const model: Model = { url: "", says: ["The library does not say."], answers: () => model.says, stop };
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const { stream } = JSON.parse(body || "{}") as { stream?: boolean };
      void (stream ? answer : whole)(response, model.answers(body));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  model.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;

  async function stop() {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  return model;
}

async function answer(response: ServerResponse, says: readonly (string | number)[]): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta: object, finish_reason: string | null = null) =>
    response.write(
      `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", model: "sample", choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
    );
  send({ role: "assistant", content: "" });
  for (const piece of says) {
    if (response.destroyed) return;
    if (typeof piece === "number") await pause(piece);
    else send({ content: piece });
  }
  send({}, "stop");
  response.end("data: [DONE]\n\n");
}

async function whole(response: ServerResponse, says: readonly (string | number)[]): Promise<void> {
  for (const piece of says) if (typeof piece === "number") await pause(piece);
  const content = says.filter((piece) => typeof piece === "string").join("");
  response.writeHead(200, { "content-type": "application/json" });
  response.end(
    JSON.stringify({
      id: "1",
      object: "chat.completion",
      model: "sample",
      choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
    }),
  );
}
