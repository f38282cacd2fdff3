// Asks an Ibid library with the AI SDK's own provider for OpenAI: nothing changes but its address.
//
//     npm run ask -- "Who built the harbour of Selde?"
//
// IBID_URL names the library.

import { createOpenAI } from '@ai-sdk/openai';
import { generateText, streamText, type LanguageModel } from 'ai';

const IBID_URL = (process.env.IBID_URL ?? 'http://127.0.0.1:7319').replace(/\/$/, '');
// `ibid` answers as the server is set up; `ibid-extractive` in the library's own words, `ibid-generated` in a model's.
const MODEL = process.env.IBID_MODEL ?? 'ibid';

const ibid = createOpenAI({ baseURL: `${IBID_URL}/v1`, apiKey: 'none' }); // the SDK wants a key, Ibid does not

/** Each source leads to the exact words in the library. */
function show(sources: Awaited<ReturnType<typeof generateText>>['sources']) {
  for (const source of sources) {
    if (source.sourceType === 'url') console.log(`  ${source.title}: ${source.url}`);
  }
}

async function whole(model: LanguageModel, prompt: string) {
  const { text, sources } = await generateText({ model, prompt });
  console.log(text);
  show(sources);
}

async function streamed(model: LanguageModel, prompt: string) {
  const { textStream, sources } = streamText({ model, prompt });
  for await (const piece of textStream) process.stdout.write(piece);
  console.log();
  show(await sources);
}

const question = process.argv[2];
if (!question) {
  console.error('usage: npm run ask -- "A question"');
  process.exit(2);
}
for (const [name, model] of Object.entries({ chat: ibid.chat(MODEL), response: ibid.responses(MODEL) })) {
  console.log(`== ${name}`);
  await whole(model, question);
  console.log(`== ${name}_streamed`);
  await streamed(model, question);
}
