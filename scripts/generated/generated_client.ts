// The client that openapi-generator makes for TypeScript: node generated_client.js URL
import {
  ArtifactsApi,
  Configuration,
  ConversationsApi,
  ProblemFromJSON,
  ResponseError,
  SearchApi,
  SourcesApi,
  SourceType,
} from "./client/index.js";

declare const process: { argv: string[] };
const basePath = process.argv[2];
const configuration = new Configuration({ basePath });
const sources = new SourcesApi(configuration);
const search = new SearchApi(configuration);
const artifacts = new ArtifactsApi(configuration);

async function main() {
  const content = "The granary of Selde was built in 1902 by Olle Brandt.";
  const type = SourceType.KnowledgeBase;
  const source = await sources.createSource({ newSource: { title: "The granary", content, type } });

  let quote: string | undefined;
  for (let tries = 0; tries < 600 && quote === undefined; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const filters = { sourceIds: [source.id], type: [type] };
    const found = await search.search({ searchBody: { query: "granary Brandt", filters } });
    quote = found.primaryResults[0]?.evidence[0]?.quote;
  }

  const conversations = new ConversationsApi(new Configuration({ basePath, headers: { accept: "application/json" } }));
  const { id } = await conversations.createConversation({ newConversation: {} });
  const answer = await conversations.ask({ id, newMessage: { content: "Who built the granary of Selde?" } });

  const artifact = await artifacts.createArtifact({ body: new Blob([Uint8Array.of(0, 255, 254, 128, 10, 2)]) });
  const bytes = await artifacts.getArtifactContent({ sha256: artifact.sha256 });

  const problem = await sources.getSource({ id: crypto.randomUUID() }).then(
    () => undefined,
    async (error: unknown) => {
      if (!(error instanceof ResponseError)) throw error;
      return ProblemFromJSON(await error.response.json());
    },
  );

  console.log(
    JSON.stringify({
      type: source.type,
      quote,
      answer: answer.content,
      cited: answer.citations.length,
      bytes: Array.from(new Uint8Array(await bytes.arrayBuffer())),
      code: problem?.code,
      status: problem?.status,
    }),
  );
}

void main();
