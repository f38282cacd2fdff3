import type { ComponentType } from "react";
import { JobsIcon, LibraryIcon, StatusIcon } from "@/components/icons";

/** A place on the rail. `key` is what follows `g` on the keyboard. Later places are added here and in router.tsx. */
export interface Place {
  to: "/library" | "/jobs" | "/status";
  label: string;
  key: string;
  Icon: ComponentType;
  foot?: boolean;
}

export const PLACES: readonly Place[] = [
  { to: "/library", label: "Library", key: "l", Icon: LibraryIcon },
  { to: "/jobs", label: "Jobs", key: "j", Icon: JobsIcon, foot: true },
  { to: "/status", label: "Status", key: "s", Icon: StatusIcon, foot: true },
];
