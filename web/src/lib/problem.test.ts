import { describe, expect, it } from "vitest";
import { Problem } from "@/lib/problem";

describe("Problem", () => {
  it("says what the server said", () => {
    const body = { code: "pointer_stale", detail: "It moved.", request_id: "r1", current: "abc", hint: "Reload." };
    const problem = Problem.fromBody(409, JSON.stringify(body), null);
    expect(problem).toMatchObject({
      status: 409,
      code: "pointer_stale",
      message: "It moved.",
      requestId: "r1",
      hint: "Reload.",
    });
    expect(problem.body.current).toBe("abc");
  });

  it("survives an answer that is not a problem", () => {
    const problem = Problem.fromBody(502, "<html>Bad gateway</html>", "r2");
    expect(problem).toMatchObject({
      status: 502,
      code: "unknown",
      message: "The server answered 502.",
      requestId: "r2",
    });
  });

  it("takes fetch's TypeError for a server that does not answer", () => {
    expect(Problem.from(new TypeError("Failed to fetch")).code).toBe("unreachable");
    expect(Problem.from(new Error("other")).message).toBe("other");
  });
});
