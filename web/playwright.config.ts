import { defineConfig } from "@playwright/test";
import type { Options } from "./e2e/test";

const desktop = { width: 1280, height: 800 };
const phone = { width: 360, height: 740 };

export default defineConfig<Options>({
  testDir: "e2e",
  outputDir: "test-results",
  // States are waited for, however long they take on a busy machine.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  workers: Number(process.env.IBID_E2E_WORKERS ?? 2),
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  reporter: [["list"]],
  use: {
    launchOptions: {
      executablePath: process.env.IBID_CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    },
    // What fades in would be judged half-way.
    contextOptions: { reducedMotion: "reduce" },
    locale: "en-GB",
    timezoneId: "UTC",
    screenshot: "only-on-failure",
    // Costs a fifth of the time, so only when asked for.
    trace: process.env.IBID_E2E_TRACE ? "on" : "off",
  },
  // Everything that happens is done once; in the other looks every screen is looked at. The long ones go first.
  projects: [
    {
      name: "story",
      testMatch: [
        "story.spec.ts",
        "sources.spec.ts",
        "ask.spec.ts",
        "deliverables.spec.ts",
        "thread.spec.ts",
        "uncited.spec.ts",
        "claims.spec.ts",
        "long-answers.spec.ts",
        "viewer.spec.ts",
        "revisions.spec.ts",
        "search.spec.ts",
        "knowledge.spec.ts",
        "identities.spec.ts",
        "documents.spec.ts",
        "versions.spec.ts",
      ],
      use: { viewport: desktop, colorScheme: "light" },
    },
    { name: "desktop dark", testMatch: "screens.spec.ts", use: { viewport: desktop, schemes: ["dark"] } },
    {
      name: "phone light and dark",
      testMatch: "screens.spec.ts",
      use: { viewport: phone, schemes: ["light", "dark"], hasTouch: true },
    },
    {
      name: "frame",
      testMatch: [
        "guide.spec.ts",
        "first-minute.spec.ts",
        "sample.spec.ts",
        "suggestions.spec.ts",
        "palette.spec.ts",
        "keys.spec.ts",
        "settings.spec.ts",
        "jobs.spec.ts",
        "budget.spec.ts",
      ],
      use: { viewport: desktop, colorScheme: "light" },
    },
    { name: "behaviour", testMatch: "behaviour.spec.ts", use: { viewport: desktop, colorScheme: "light" } },
  ],
});
