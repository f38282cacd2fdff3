import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { getSettings, settingsKeys, type AnswerSettings, type CitationSettings, type Settings } from "@/api/settings";
import type { BlobStorageKind, LibraryEngine } from "@/api/types";
import { Page, PageHead } from "@/components/page";
import { Fact, Facts } from "@/components/side-panel";
import { ErrorNote, Skeleton } from "@/components/states";
import { AnswerForm } from "@/features/settings/answer-form";
import { CitationForm } from "@/features/settings/citation-form";
import { fixedWords, FORMATS, nameOf, PROVIDERS } from "@/features/settings/settings-words";
import { ThemeChoice } from "@/features/settings/theme-choice";
import { formatCount } from "@/lib/format";
import { usePageTitle } from "@/lib/page-title";
import styles from "@/features/settings/settings.module.css";

const ENGINES: Record<LibraryEngine, string> = { sqlite: "SQLite", postgres: "PostgreSQL" };
const BLOBS: Record<BlobStorageKind, string> = { folder: "A folder on the server", s3: "S3" };
const EMBEDDERS: Record<string, string> = {
  local: "The model that comes with Ibid",
  none: "None: found by words only",
  external: "Another program’s",
  openai: "OpenAI",
  google: "Google",
  compatible: "A compatible server",
};

/** What can be set, and what the operator has set. */
export function SettingsPage({ sample }: { sample: ReactNode }) {
  usePageTitle("Settings");
  const settings = useQuery({ queryKey: settingsKeys.whole, queryFn: ({ signal }) => getSettings(signal) });
  return (
    <Page>
      <PageHead title="Settings" />
      <Section title="Theme">
        <ThemeChoice />
      </Section>
      {settings.isPending && <Skeleton label="Loading the settings" />}
      {settings.isError && (
        <ErrorNote
          error={settings.error}
          what="The settings could not be read."
          onRetry={() => void settings.refetch()}
        />
      )}
      {settings.data && (
        <>
          <Section title="Answers">
            {settings.data.answers.is_fixed ? (
              <FixedAnswers kept={settings.data.answers} />
            ) : (
              <AnswerForm kept={settings.data.answers} />
            )}
          </Section>
          <Section title="Citations">
            {settings.data.citations.is_fixed ? (
              <FixedCitations kept={settings.data.citations} />
            ) : (
              <CitationForm kept={settings.data.citations} />
            )}
          </Section>
          <Section title="Sample library">{sample}</Section>
          <Section title="About">
            <About settings={settings.data} />
          </Section>
        </>
      )}
    </Page>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.section} aria-label={title}>
      <h2>{title}</h2>
      <div className={styles.body}>{children}</div>
    </section>
  );
}

function FixedAnswers({ kept }: { kept: AnswerSettings }) {
  return (
    <>
      <p className={styles.note}>{fixedWords(kept.from)}</p>
      <Facts>
        <Fact name="Provider">{nameOf(PROVIDERS, kept.provider)}</Fact>
        {kept.model && <Fact name="Model">{kept.model}</Fact>}
        {kept.url && <Fact name="Address">{kept.url}</Fact>}
        {kept.provider !== "none" && <Fact name="Key">{kept.has_key ? "Set" : "Not set"}</Fact>}
      </Facts>
    </>
  );
}

function FixedCitations({ kept }: { kept: CitationSettings }) {
  return (
    <>
      <p className={styles.note}>{fixedWords(kept.from)}</p>
      <Facts>
        <Fact name="In the text">{kept.enabled ? nameOf(FORMATS, kept.format) : "No citations"}</Fact>
        <Fact name="When pointed at">{kept.enable_tooltips ? "The words are shown" : "Nothing is shown"}</Fact>
        <Fact name="List of sources">{kept.expand_sources_by_default ? "Opens by itself" : "Opens on request"}</Fact>
        <Fact name="Shown at first">{formatCount(kept.max_sources_displayed)}</Fact>
        <Fact name="Tools">{kept.enabled_tools.join(", ") || "None"}</Fact>
      </Facts>
    </>
  );
}

function About({ settings: { version, engine, blobs, embedder, web_search } }: { settings: Settings }) {
  return (
    <>
      <Facts>
        <Fact name="Version">{version}</Fact>
        <Fact name="Database">{ENGINES[engine]}</Fact>
        <Fact name="Files">{BLOBS[blobs]}</Fact>
        <Fact name="Embedder">
          {[EMBEDDERS[embedder.provider] ?? embedder.provider, embedder.model].filter(Boolean).join(", ")}
        </Fact>
        <Fact name="Web search">
          {web_search.is_configured ? "Set up" : "Not set up: answers are from the library only"}
        </Fact>
      </Facts>
      <p>
        <Link to="/status">Checks of the server</Link>
      </p>
    </>
  );
}
