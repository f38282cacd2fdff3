// An agent that answers from an Ibid library. Its model searches; Ibid numbers what is found, checks every citation of
// the answer against the words it cites, and keeps it.
//
//     npm run agent -- "Who built the harbour of Selde?"
//
// OPENAI_BASE_URL and OPENAI_API_KEY name the model's server (any that speaks OpenAI's protocol), OPENAI_MODEL the
// model, IBID_URL the library.

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, stepCountIs, tool } from 'ai';
import { z } from 'zod';

const IBID_URL = (process.env.IBID_URL ?? 'http://127.0.0.1:7319').replace(/\/$/, '');
const MAX_STEPS = 6; // of which the last must answer
const INSTRUCTIONS = 'Answer the question from the library. Search it first, in more than one way if need be.';

// What is used here of Ibid's answers; all of it is in docs/openapi.json.
type Run = { id: string };
type RunSources = { prompt: string; guidelines: string; warning: string | null };
type Citation = {
  number: number;
  verdict: 'supported' | 'partial' | 'unsupported' | 'unverifiable';
  title: string;
  quote: string | null;
  url: string | null;
  source_id: string | null;
  revision_id: string | null;
  start_char: number | null;
  end_char: number | null;
};
type Answer = {
  message: { content: string; citations: Citation[] };
  dangling: number[];
  uncited: { text: string }[];
};

/** Posts to Ibid. What it refuses, it explains. */
async function ibid<T>(path: string, body: unknown): Promise<T> {
  const response = await fetch(`${IBID_URL}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as T & { detail?: string };
  if (!response.ok) throw new Error(`${path}: ${answer.detail}`);
  return answer;
}

/** Lets the model search until it answers, and gives the answer with its evidence. */
async function answer(question: string): Promise<Answer> {
  const { OPENAI_BASE_URL: baseURL, OPENAI_API_KEY: apiKey } = process.env;
  if (!baseURL) throw new Error('OPENAI_BASE_URL is not set: where is the model?');
  const provider = createOpenAICompatible({ name: 'openai', baseURL, apiKey });
  // A run collects what the tools find. It belongs to a conversation; name one to go on with it.
  const run = await ibid<Run>('/runs', { question });
  let guidelines = '';
  const hybridSearch = tool({
    description: 'Finds passages of the library, by their words and by their meaning.',
    inputSchema: z.object({ query: z.string().describe('Words, or a question.') }),
    execute: async ({ query }, { toolCallId }) => {
      const output = await ibid('/search', { query, limit: 5 });
      // Any tool can be reported so, not only Ibid's own: web_search, query_rag_project, mcp.*__* … under its name.
      const report = { tool_name: 'hybrid_search', request_id: toolCallId, parameters: { query }, output };
      const found = await ibid<RunSources>(`/runs/${run.id}/tool-results`, report);
      guidelines = found.guidelines;
      return found.prompt || found.warning || 'Nothing was found.';
    },
  });
  try {
    const { text, totalUsage, response } = await generateText({
      model: provider(process.env.OPENAI_MODEL ?? 'gpt-5-mini'),
      system: INSTRUCTIONS,
      prompt: question,
      tools: { hybrid_search: hybridSearch },
      stopWhen: stepCountIs(MAX_STEPS),
      prepareStep: ({ stepNumber }) => ({
        // How to cite is an instruction. What was found is none: who wrote it does not instruct the model.
        system: `${INSTRUCTIONS}\n\n${guidelines}`,
        toolChoice: stepNumber < MAX_STEPS - 1 ? 'auto' : 'none',
      }),
    });
    // This ends the run: the citations are checked and kept.
    return await ibid<Answer>(`/runs/${run.id}/response`, {
      text,
      model: response.modelId,
      usage: { input_tokens: totalUsage.inputTokens ?? 0, output_tokens: totalUsage.outputTokens ?? 0 },
    });
  } catch (error) {
    await ibid(`/runs/${run.id}/cancel`, {});
    throw error;
  }
}

/** Where the cited words can be read. */
function link(citation: Citation): string {
  if (!citation.source_id) return citation.url ?? '';
  const place = citation.quote ? `#c=${citation.start_char}-${citation.end_char}` : '';
  return `${IBID_URL}/sources/${citation.source_id}?revision=${citation.revision_id}${place}`;
}

function show({ message, dangling, uncited }: Answer) {
  console.log(`${message.content}\n`);
  for (const citation of message.citations) {
    console.log(`[${citation.number}] ${citation.verdict}: ${citation.title}`);
    if (citation.quote) console.log(`    “${citation.quote}”`);
    console.log(`    ${link(citation)}`);
  }
  for (const number of dangling) console.log(`[${number}] names no source`);
  for (const claim of uncited) console.log(`without a source: ${claim.text}`);
}

const question = process.argv[2];
if (!question) {
  console.error('usage: npm run agent -- "A question"');
  process.exit(2);
}
show(await answer(question));
