import createClient from "openapi-fetch";
import type { paths } from "@/api/schema";
import { Problem } from "@/lib/problem";

/** A pointer's name may hold slashes, which stay slashes in the path; everything else is escaped. */
export function fillPath(pathname: string, params: Record<string, unknown>): string {
  return pathname.replace(/\{\*?(\w+)\}/g, (_, key: string) => {
    const value = String(params[key]);
    return key === "name" ? value.split("/").map(encodeURIComponent).join("/") : encodeURIComponent(value);
  });
}

export const client = createClient<paths>({
  // Unit tests have no page, and a request needs some origin.
  baseUrl: typeof location === "undefined" ? "http://ibid.test" : location.origin,
  pathSerializer: fillPath,
  // Looked up at call time, so that tests can put their own in place.
  fetch: (request) => globalThis.fetch(request),
});

/** What a method of `client` answers with; `error` is the body of a bad answer. */
export interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** A good answer; any other answer, or none, is thrown as a `Problem`. */
async function goodAnswer<T>(answer: Promise<Answer<T>>): Promise<Answer<T>> {
  let settled: Answer<T>;
  try {
    settled = await answer;
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === "AbortError") throw thrown;
    throw Problem.from(thrown);
  }
  const { error, response } = settled;
  if (!response.ok) throw Problem.fromBody(response.status, error, response.headers.get("x-request-id"));
  return settled;
}

/** The body of a good answer. */
export async function call<T>(answer: Promise<Answer<T>>): Promise<T> {
  return (await goodAnswer(answer)).data as T;
}

/** A good answer as it came. With `parseAs: "stream"` nothing of its body has been read. */
export async function openResponse(answer: Promise<Answer<unknown>>): Promise<Response> {
  return (await goodAnswer(answer)).response;
}
