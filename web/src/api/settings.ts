import { queryOptions, useQuery } from "@tanstack/react-query";
import { call, client } from "@/api/client";
import type { components } from "@/api/schema";

type Schemas = components["schemas"];

export type Settings = Schemas["Settings"];
export type AnswerSettings = Schemas["AnswerSettings"];
export type CitationSettings = Schemas["CitationSettingsView"];
/** Who writes answers; `none` leaves them quoted. */
export type Provider = Schemas["ChatKind"];
export type CitationFormat = Schemas["CitationFormat"];
/** A key that is left out is the kept one. */
export type AnswerChoice = Schemas["AnswerSettingsPatch"];
export type CitationChoices = CitationLook & Pick<CitationSettings, "enabled_tools">;
/** What came of asking a model for a word. */
export type Trial = Schemas["ModelTestResult"];

export const settingsKeys = { all: ["settings"] as const, whole: ["settings", "whole"] as const };

export function getSettings(signal?: AbortSignal): Promise<Settings> {
  return call(client.GET("/api/v1/settings", { signal }));
}

export const wholeSettings = queryOptions({
  queryKey: settingsKeys.whole,
  queryFn: ({ signal }) => getSettings(signal),
});

export function changeSettings(body: { answers?: AnswerChoice; citations?: CitationChoices }): Promise<Settings> {
  return call(client.PATCH("/api/v1/settings", { body }));
}

/** Asks a model for a word, with what is to be saved or is. */
export function tryAnswers(body: AnswerChoice): Promise<Trial> {
  return call(client.POST("/api/v1/settings/test", { body }));
}

/** How citations are shown: part of the section `[citations]` of the settings. */
export type CitationLook = Pick<
  CitationSettings,
  "format" | "expand_sources_by_default" | "max_sources_displayed" | "enable_tooltips"
>;

export const USUAL_LOOK: CitationLook = {
  format: "superscript",
  expand_sources_by_default: false,
  max_sources_displayed: 10,
  enable_tooltips: true,
};

/** How citations are to be shown, once the settings are known; until then as usual. */
export function useCitationSettings(): CitationLook {
  const { data } = useQuery({ ...wholeSettings, staleTime: Infinity });
  return data?.citations ?? USUAL_LOOK;
}
