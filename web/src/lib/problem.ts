/** What the server says about a failure (RFC 9457), or what stands in for it when the server said nothing. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly hint: string | null;
  readonly field: string | null;
  readonly requestId: string | null;
  /** The whole body: some codes carry more, such as `current` on `pointer_stale`. */
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Readonly<Record<string, unknown>>, requestId: string | null = null) {
    super(text(body.detail) ?? text(body.title) ?? `The server answered ${status}.`);
    this.name = "Problem";
    this.status = status;
    this.body = body;
    this.code = text(body.code) ?? "unknown";
    this.title = text(body.title) ?? "Something went wrong";
    this.hint = text(body.hint);
    this.field = text(body.field);
    this.requestId = text(body.request_id) ?? requestId;
  }

  static unreachable(): Problem {
    return new Problem(0, {
      code: "unreachable",
      title: "No answer from the server",
      detail: "The Ibid server did not answer.",
      hint: "Check that it is running and that this machine can reach it, then try again.",
    });
  }

  /** Turns anything that was thrown into a problem that can be shown. */
  static from(thrown: unknown): Problem {
    if (thrown instanceof Problem) return thrown;
    // fetch() reports every network failure as a TypeError without more.
    if (thrown instanceof TypeError) return Problem.unreachable();
    return new Problem(0, { code: "unexpected", detail: thrown instanceof Error ? thrown.message : String(thrown) });
  }

  /** Reads a failed response, whatever its body is. */
  static fromBody(status: number, body: unknown, requestId: string | null): Problem {
    let value = body;
    if (typeof value === "string") {
      try {
        value = JSON.parse(value) as unknown;
      } catch {
        value = null;
      }
    }
    const record = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
    return new Problem(status, record, requestId);
  }
}

function text(value: unknown): string | null {
  return typeof value === "string" && value.length > 0 ? value : null;
}
