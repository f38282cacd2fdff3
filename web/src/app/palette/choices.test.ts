import { expect, it } from "vitest";
import { groupsOf, type Choice } from "@/app/palette/choices";

const choice = (label: string, also?: string): Choice => ({ id: label, label, also, run: () => undefined });
const given = {
  commands: [choice("Add files", "upload"), choice("Show keys")],
  places: [choice("Sources", "library"), choice("Jobs")],
  recent: [choice("Harbour survey")],
  conversations: [choice("How deep is the harbour?")],
  sources: [choice("Minutes"), choice("Harbour survey")],
  found: [choice("Harbour survey"), choice("Letter to the engineer")],
  documents: [choice("Report on the harbour")],
  entities: [choice("Harbour Board")],
  withWords: [choice("Ask"), choice("Search")],
};
const shown = (query: string) =>
  groupsOf(query, given).map(({ name, choices }) => `${name}: ${choices.map(({ item }) => item.label).join(", ")}`);

it("offers everything that can be done when nothing is written", () => {
  expect(shown(" ")).toEqual(["Recent: Harbour survey", "Go to: Sources, Jobs", "Do: Add files, Show keys"]);
});

it("finds by title first, then what the server found in the texts, and always ends with the words themselves", () => {
  expect(shown("harbour")).toEqual([
    "Conversations: How deep is the harbour?",
    "Sources: Harbour survey, Letter to the engineer",
    "Documents: Report on the harbour",
    "People & things: Harbour Board",
    "With these words: Ask, Search",
  ]);
});

it("ranks commands and places together", () => {
  expect(shown("so")[0]).toBe("Commands: Sources, Show keys");
  expect(shown("upload")[0]).toBe("Commands: Add files");
});
