import { describe, expect, it } from "vitest";
import type { AnswerSettings } from "@/api/settings";
import {
  choiceOf,
  draftOf,
  fieldOf,
  fixedWords,
  isChanged,
  keyNote,
  trialWords,
} from "@/features/settings/settings-words";

const kept: AnswerSettings = {
  provider: "openai",
  model: "small",
  url: "",
  has_key: true,
  is_fixed: false,
  from: "app",
};

describe("what is sent of a form", () => {
  it("leaves out a key that was not written, and all else where nobody writes answers", () => {
    expect(choiceOf(draftOf(kept))).toEqual({ provider: "openai", model: "small", url: "" });
    expect(choiceOf({ ...draftOf(kept), key: " secret " })).toEqual({
      provider: "openai",
      model: "small",
      url: "",
      key: "secret",
    });
    expect(choiceOf({ provider: "none", model: "small", url: "http://a", key: "secret" })).toEqual({
      provider: "none",
      model: "",
      url: "",
    });
  });

  it("is a change only if something differs that counts", () => {
    expect(isChanged(draftOf(kept), kept)).toBe(false);
    expect(isChanged({ ...draftOf(kept), key: "x" }, kept)).toBe(true);
    const none: AnswerSettings = { ...kept, provider: "none" };
    expect(isChanged({ ...draftOf(none), model: "large" }, none)).toBe(false);
  });
});

it("never takes the key of one provider for that of another", () => {
  expect(keyNote(draftOf(kept), kept)).toMatch(/^A key is set/);
  expect(keyNote({ ...draftOf(kept), provider: "google" }, kept)).toBe("The key that is set is for OpenAI.");
  expect(keyNote({ ...draftOf(kept), url: "https://elsewhere.example" }, kept)).toBe(
    "The key that is set is for another address.",
  );
  expect(keyNote({ ...draftOf(kept), provider: "compatible" }, { ...kept, has_key: false })).toBe(
    "Only if the server asks for one.",
  );
});

it("says what came of a trial", () => {
  expect(trialWords({ ok: true, latency_ms: 420, reply: " ok ", error: null })).toBe("Answered in 420 ms: “ok”");
  expect(trialWords({ ok: false, latency_ms: 1200, reply: null, error: "the key was refused" })).toBe(
    "No answer after 1.2 s. The key was refused.",
  );
});

it("says where the operator set something", () => {
  expect(fixedWords("flag")).toBe("Set on the command line of the server, and changed there.");
  expect(fixedWords("ibid.toml")).toBe("Set in ibid.toml, and changed there.");
  expect(fixedWords("IBID_CHAT")).toBe("Set by the variable IBID_CHAT, and changed there.");
});

it("finds the field that a problem names", () => {
  expect(fieldOf("answers.model")).toBe("model");
  expect(fieldOf("/citations/format")).toBe("format");
  expect(fieldOf("url")).toBe("url");
  expect(fieldOf(null)).toBeNull();
});
