import type { ComponentType } from "react";
import {
  AskIcon,
  DraftIcon,
  FolderIcon,
  JobsIcon,
  LibraryIcon,
  PeopleIcon,
  SearchIcon,
  SettingsIcon,
  WriteIcon,
} from "@/components/icons";

/** A place of the app. Later places are added here and in router.tsx. */
export interface Place {
  to:
    | "/ask"
    | "/search"
    | "/ground"
    | "/sources"
    | "/documents"
    | "/library"
    | "/library/snapshots"
    | "/entities"
    | "/entities/review"
    | "/jobs"
    | "/settings"
    | "/status";
  label: string;
  /** What follows `g` on the keyboard. */
  key: string;
  /** Other words by which the palette finds it. */
  also?: string;
  /** Where on the rail it is, and as what. The others are reached from those, and by the palette. */
  rail?: {
    Icon: ComponentType;
    foot?: boolean;
    /** As what it is written there, if its name is long. */ short?: string;
    /** Behind "More" on a phone. */ wide?: boolean;
  };
}

export const PLACES: readonly Place[] = [
  { to: "/ask", label: "Ask", key: "a", also: "conversations questions start", rail: { Icon: AskIcon } },
  { to: "/search", label: "Search", key: "q", also: "find passages", rail: { Icon: SearchIcon } },
  { to: "/sources", label: "Sources", key: "s", also: "library", rail: { Icon: LibraryIcon } },
  {
    to: "/documents",
    label: "Documents",
    key: "w",
    also: "write editor texts papers citations",
    rail: { Icon: WriteIcon },
  },
  {
    to: "/entities",
    label: "People & things",
    key: "p",
    also: "entities persons organisations projects places knowledge who",
    rail: { Icon: PeopleIcon, short: "People" },
  },
  { to: "/library", label: "Files", key: "f", also: "artifacts kept", rail: { Icon: FolderIcon, wide: true } },
  {
    to: "/ground",
    label: "Check a draft",
    key: "d",
    also: "ground claims evidence cite",
    rail: { Icon: DraftIcon, short: "Check", wide: true },
  },
  { to: "/library/snapshots", label: "Snapshots", key: "n", also: "versions history" },
  {
    to: "/entities/review",
    label: "Review who is who",
    key: "r",
    also: "same different duplicates merge people entities",
  },
  { to: "/jobs", label: "Jobs", key: "j", also: "work progress queue", rail: { Icon: JobsIcon, foot: true } },
  {
    to: "/settings",
    label: "Settings",
    key: "e",
    also: "theme model provider key citations",
    rail: { Icon: SettingsIcon, foot: true },
  },
  { to: "/status", label: "Status", key: "t", also: "health checks server version" },
];
