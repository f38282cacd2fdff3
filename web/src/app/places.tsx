import type { ComponentType } from "react";
import { AskIcon, FolderIcon, JobsIcon, LibraryIcon, StatusIcon } from "@/components/icons";

/** A place on the rail. `key` is what follows `g` on the keyboard. Later places are added here and in router.tsx. */
export interface Place {
  to: "/ask" | "/sources" | "/library" | "/jobs" | "/status";
  label: string;
  key: string;
  Icon: ComponentType;
  foot?: boolean;
}

export const PLACES: readonly Place[] = [
  { to: "/ask", label: "Ask", key: "a", Icon: AskIcon },
  { to: "/sources", label: "Sources", key: "s", Icon: LibraryIcon },
  { to: "/library", label: "Files", key: "f", Icon: FolderIcon },
  { to: "/jobs", label: "Jobs", key: "j", Icon: JobsIcon, foot: true },
  { to: "/status", label: "Status", key: "t", Icon: StatusIcon, foot: true },
];
