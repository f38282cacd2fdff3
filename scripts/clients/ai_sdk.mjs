// Asks `IBID_URL` through both of the AI SDK's providers for OpenAI's protocol, whole and streamed, and prints what the
// SDK made of the answers. Run beside the packages of the examples.

import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, streamText } from 'ai';

const baseURL = `${process.env.IBID_URL}/v1`;
const openai = createOpenAI({ baseURL, apiKey: 'none' });
const compatible = createOpenAICompatible({ name: 'ibid', baseURL, includeUsage: true });
const models = { chat: openai.chat('ibid'), responses: openai.responses('ibid'), compatible: compatible('ibid') };

const answers = [];
for (const [name, model] of Object.entries(models)) {
  const question = { model, maxRetries: 0, system: 'Be brief.', prompt: process.argv[2] };
  const whole = await generateText(question);
  const told = ({ text, sources, finishReason, usage }) => ({ name, text, sources, finishReason, usage });
  answers.push({ streamed: false, ...told(whole) });
  const stream = streamText({ ...question, onError: ({ error }) => Promise.reject(error) });
  const [text, sources, finishReason, usage] = await Promise.all([
    stream.text, stream.sources, stream.finishReason, stream.usage,
  ]);
  answers.push({ streamed: true, ...told({ text, sources, finishReason, usage }) });
}
const wrong = { model: models.chat, maxRetries: 0, messages: [{ role: 'assistant', content: 'Nobody asked.' }] };
const refused = await generateText(wrong).then(() => null, ({ statusCode, message }) => ({ statusCode, message }));
console.log(JSON.stringify({ answers, refused }));
