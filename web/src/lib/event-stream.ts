/** One server-sent event. */
export interface ServerEvent {
  /** Its name; `message` if it has none. */
  event: string;
  id: string | null;
  data: string;
}

/**
 * Server-sent events out of the body of an answer. EventSource can do this only for GET, and starts again by itself.
 * A comment or an event without data is none; what is cut off at the end is none either.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let [event, id, data]: [string, string | null, string[]] = ["", null, []];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      // A carriage return at the end may be half of an end of line.
      const whole = rest.endsWith("\r") ? rest.length - 1 : rest.length;
      const lines = rest.slice(0, whole).split(/\r\n|\n|\r/);
      rest = (lines.pop() ?? "") + rest.slice(whole);
      for (const line of lines) {
        if (line === "") {
          if (data.length > 0) yield { event: event || "message", id, data: data.join("\n") };
          [event, data] = ["", []];
          continue;
        }
        const colon = line.indexOf(":");
        const field = colon < 0 ? line : line.slice(0, colon);
        const text = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
        if (field === "data") data.push(text);
        else if (field === "event") event = text;
        else if (field === "id") id = text;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
