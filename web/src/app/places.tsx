import type { ComponentType } from "react";
import { AskIcon, DraftIcon, FolderIcon, JobsIcon, LibraryIcon, SearchIcon, StatusIcon } from "@/components/icons";

/** A place on the rail. `key` is what follows `g` on the keyboard. Later places are added here and in router.tsx. */
export interface Place {
  to: "/ask" | "/search" | "/ground" | "/sources" | "/library" | "/jobs" | "/status";
  label: string;
  key: string;
  Icon: ComponentType;
  foot?: boolean;
}

export const PLACES: readonly Place[] = [
  { to: "/ask", label: "Ask", key: "a", Icon: AskIcon },
  { to: "/search", label: "Search", key: "q", Icon: SearchIcon },
  { to: "/sources", label: "Sources", key: "s", Icon: LibraryIcon },
  { to: "/library", label: "Files", key: "f", Icon: FolderIcon },
  { to: "/ground", label: "Ground", key: "d", Icon: DraftIcon },
  { to: "/jobs", label: "Jobs", key: "j", Icon: JobsIcon, foot: true },
  { to: "/status", label: "Status", key: "t", Icon: StatusIcon, foot: true },
];
