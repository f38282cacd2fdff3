import { useQuery } from "@tanstack/react-query";
import { getSettings, settingsKeys } from "@/api/settings-api";

/** How citations are shown: the section `[citations]` of the settings. */
export interface CitationLook {
  /** How a marker looks: `[1]`, a small raised number, or the name of the source as a link. */
  format: "brackets" | "superscript" | "inline_links";
  /** Whether all that is quoted of a source is shown at first, or only the first of it. */
  expand_sources_by_default: boolean;
  /** How many sources are shown at first. */
  max_sources_displayed: number;
  /** Whether a marker shows its source when pointed at. */
  enable_tooltips: boolean;
}

export const USUAL_LOOK: CitationLook = {
  format: "superscript",
  expand_sources_by_default: false,
  max_sources_displayed: 10,
  enable_tooltips: true,
};

/** How citations are to be shown, once the settings are known; until then as usual. */
export function useCitationSettings(): CitationLook {
  const { data } = useQuery({ queryKey: settingsKeys.whole, queryFn: ({ signal }) => getSettings(signal), staleTime: Infinity });
  return data?.citations ?? USUAL_LOOK;
}
