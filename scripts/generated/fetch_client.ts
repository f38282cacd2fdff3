// The types that openapi-typescript makes, used through openapi-fetch: node fetch_client.js URL
import createClient from "openapi-fetch";

import type { components, paths } from "./api.js";

type Problem = components["schemas"]["Problem"];
type SourceType = components["schemas"]["SourceType"];

declare const process: { argv: string[] };
const baseUrl = process.argv[2];
const client = createClient<paths>({ baseUrl });

function expect<T>(answer: { data?: T; error?: Problem }): T {
  if (answer.data === undefined) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

const type: SourceType = "KNOWLEDGE_BASE";
const content = "The lighthouse of Selde was built in 1881 by Ruth Aalto.";
const source = expect(await client.POST("/api/v1/sources", { body: { title: "The lighthouse", content, type } }));

let quote: string | undefined;
for (let tries = 0; tries < 600 && quote === undefined; tries++) {
  await new Promise((resolve) => setTimeout(resolve, 50));
  const filters = { source_ids: [source.id], type: [type] };
  const found = expect(await client.POST("/api/v1/search", { body: { query: "lighthouse Aalto", filters } }));
  quote = found.primary_results[0]?.evidence[0]?.quote;
}

const conversation = expect(await client.POST("/api/v1/conversations", { body: {} }));
const answer = expect(
  await client.POST("/api/v1/conversations/{id}/messages", {
    params: { path: { id: conversation.id } },
    headers: { accept: "application/json" },
    body: { content: "Who built the lighthouse of Selde?" },
  }),
);
if (!("citations" in answer)) throw new Error(`expected a message: ${JSON.stringify(answer)}`);

const sent = Uint8Array.of(0, 255, 254, 128, 10, 1);
const artifact = expect(
  await client.POST("/api/v1/artifacts", {
    headers: { "content-type": "application/octet-stream" },
    // openapi-typescript calls bytes a string.
    body: sent as unknown as string,
    bodySerializer: (body) => body,
  }),
);
const bytes = expect(
  await client.GET("/api/v1/artifacts/{sha256}/content", {
    params: { path: { sha256: artifact.sha256 } },
    parseAs: "arrayBuffer",
  }),
);

const missing = await client.GET("/api/v1/sources/{id}", { params: { path: { id: crypto.randomUUID() } } });
const { code, status } = missing.error ?? { code: undefined, status: undefined };

console.log(
  JSON.stringify({
    type: source.type,
    quote,
    answer: answer.content,
    cited: answer.citations.length,
    bytes: Array.from(new Uint8Array(bytes)),
    code,
    status,
  }),
);
