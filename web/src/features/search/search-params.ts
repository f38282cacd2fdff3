import type { EventCategory, SearchBody, SourceOrigin, SourceType } from "@/api/types";

export const SOURCE_TYPES = [
  "KNOWLEDGE_BASE",
  "WEB_PAGE",
  "WEBSITE",
  "EXTERNAL_API_DATA",
  "GENERATED_CONTENT",
  "GENERATED_DOCUMENT",
  "GENERATED_REPORT",
  "GENERATED_PRESENTATION",
  "USER_QUERY_PART",
  "INTRA_ENTITY_SEARCH_RESULT",
  "EXTRACTED_ENTITY",
  "SEARCH_PLAN",
] as const satisfies readonly SourceType[];
export const ORIGINS = [
  "blob_storage",
  "web",
  "manual",
  "email",
  "api",
  "mcp",
  "sharepoint",
  "onedrive",
  "database",
  "memory",
  "skill",
] as const satisfies readonly SourceOrigin[];
export const CATEGORIES = [
  "Decision",
  "Commitment",
  "QualityRisk",
  "Execution",
  "Collaboration",
  "Feedback",
  "Change",
  "Stakeholder",
] as const satisfies readonly EventCategory[];

const FLAGS = [
  "include_memory",
  "expand_neighbors",
  "include_events",
  "graph_expand",
  "include_entities",
  "include_revision_diff",
] as const;
const WORDS = ["tag", "language"] as const;
const DAYS = ["from", "to"] as const;
export const FIRST = 10;
const MOST = 200;

type Flag = (typeof FLAGS)[number];

/** What is searched for, and how; all of it is in the address. What is not said is as the server has it. */
export type SearchParams = Partial<Record<Flag, boolean>> & {
  q?: string;
  type?: SourceType;
  origin?: SourceOrigin;
  tag?: string;
  language?: string;
  from?: string;
  to?: string;
  graph_budget?: number;
  /** With commas between them; `all` for every category. */
  graph_filters?: string;
  limit?: number;
  /** Whether what is connected is shown where there is room beside the results; it is, if it is not said. */
  beside?: "hidden";
};

export function parseSearch(search: Record<string, unknown>): SearchParams {
  const params: SearchParams = {};
  const q = words(search.q);
  if (q) params.q = q;
  const type = SOURCE_TYPES.find((known) => known === search.type);
  if (type) params.type = type;
  const origin = ORIGINS.find((known) => known === search.origin);
  if (origin) params.origin = origin;
  for (const name of WORDS) {
    const value = words(search[name]);
    if (value) params[name] = value;
  }
  for (const name of DAYS) {
    const value = search[name];
    if (typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value)) params[name] = value;
  }
  for (const name of FLAGS) {
    const value = search[name];
    if (typeof value === "boolean") params[name] = value;
  }
  if (typeof search.graph_filters === "string") {
    const chosen = categories(search.graph_filters);
    params.graph_filters = chosen.length > 0 ? chosen.join(",") : "all";
  }
  const budget = whole(search.graph_budget, 0, 50);
  if (budget !== null) params.graph_budget = budget;
  const limit = whole(search.limit, 1, MOST);
  if (limit !== null && limit !== FIRST) params.limit = limit;
  if (search.beside === "hidden") params.beside = "hidden";
  return params;
}

/** The categories that a list with commas names. */
export function categories(list: string): EventCategory[] {
  const named = list.split(",");
  return CATEGORIES.filter((category) => named.includes(category));
}

/** The call that the address stands for. */
export function searchBody(params: SearchParams): SearchBody {
  const { q = "", type, origin, tag, language, from, to, graph_filters, limit, ...rest } = params;
  const options = { ...rest, beside: undefined };
  const filters = {
    ...(type && { type: [type] }),
    ...(origin && { origin: [origin] }),
    ...(tag && {
      tags: tag
        .split(",")
        .map((one) => one.trim())
        .filter(Boolean),
    }),
    ...(language && { language: [language] }),
    ...(from && { from }),
    // The whole of that day: what the server leaves out begins with the next.
    ...(to && { to: nextDay(to) }),
  };
  return {
    query: q,
    limit: limit ?? FIRST,
    ...options,
    ...(graph_filters !== undefined && { graph_filters: categories(graph_filters) }),
    ...(Object.keys(filters).length > 0 && { filters }),
  };
}

/** How many filters narrow the search. */
export function filterCount({ type, origin, tag, language, from, to }: SearchParams): number {
  return [type, origin, tag, language, from, to].filter(Boolean).length;
}

export function nextLimit(params: SearchParams): number {
  return Math.min(MOST, (params.limit ?? FIRST) + FIRST);
}

function nextDay(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime())) return day;
  date.setUTCDate(date.getUTCDate() + 1);
  return date.toISOString().slice(0, 10);
}

/** A search for a number comes parsed out of the address. */
function words(value: unknown): string {
  return typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : "";
}

function whole(value: unknown, least: number, most: number): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= least && value <= most ? value : null;
}
