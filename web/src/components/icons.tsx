import type { ReactNode } from "react";

/** A 20-px line drawing; always beside words, so hidden from screen readers. */
function Icon({ children }: { children: ReactNode }) {
  return (
    <svg
      width="20"
      height="20"
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

export const LibraryIcon = () => (
  <Icon>
    <path d="M4 3.5v13M8 3.5v13M3 16.5h14M3 3.5h6M11.2 4.6l3.2 11.6M14.9 3.7l2.3 8.5" />
  </Icon>
);

export const JobsIcon = () => (
  <Icon>
    <path d="M3 5.5h9M3 10h14M3 14.5h6M15 3.5v4M12 12.5v4" />
  </Icon>
);

export const SettingsIcon = () => (
  <Icon>
    <path d="M3 6h7M14 6h3M3 14h3M10 14h7M12 4a2 2 0 1 1 0 4 2 2 0 0 1 0-4zM8 12a2 2 0 1 1 0 4 2 2 0 0 1 0-4z" />
  </Icon>
);

export const CommandIcon = () => (
  <Icon>
    <path d="M7.5 7.5h5v5h-5zM7.5 7.5h-2a2 2 0 1 1 2-2zM12.5 7.5v-2a2 2 0 1 1 2 2zM12.5 12.5h2a2 2 0 1 1-2 2zM7.5 12.5v2a2 2 0 1 1-2-2z" />
  </Icon>
);

export const CloseIcon = () => (
  <Icon>
    <path d="M5 5l10 10M15 5L5 15" />
  </Icon>
);

export const FolderIcon = () => (
  <Icon>
    <path d="M2.5 5.5a1 1 0 0 1 1-1h4l2 2h7a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-13a1 1 0 0 1-1-1z" />
  </Icon>
);

export const ChevronIcon = () => (
  <Icon>
    <path d="M8 5.5l4.5 4.5L8 14.5" />
  </Icon>
);

export const DraftIcon = () => (
  <Icon>
    <path d="M4.5 2.5h8l3 3v12h-11zM7 8h6M7 11h6M7 14h3" />
  </Icon>
);

export const WriteIcon = () => (
  <Icon>
    <path d="M10.5 3.5h-6v13h11v-6M7 13l.6-2.8 7.2-7.2 2.2 2.2-7.2 7.2z" />
  </Icon>
);

export const SearchIcon = () => (
  <Icon>
    <path d="M8.75 3.5a5.25 5.25 0 1 1 0 10.5 5.25 5.25 0 0 1 0-10.5zM12.6 12.6l4 4" />
  </Icon>
);

export const AskIcon = () => (
  <Icon>
    <path d="M3.5 4.5h13v9h-7l-3.5 3v-3h-2.5zM7 8h6M7 10.5h4" />
  </Icon>
);

export const PeopleIcon = () => (
  <Icon>
    <path d="M7.5 4a2.75 2.75 0 1 1 0 5.5 2.75 2.75 0 0 1 0-5.5zM2.5 16c.4-2.6 2.4-4 5-4s4.6 1.4 5 4M13 4.6a2.5 2.5 0 0 1 0 4.6M14.5 12.4c1.7.5 2.7 1.8 3 3.6" />
  </Icon>
);

export const ClockIcon = () => (
  <Icon>
    <path d="M10 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM10 6v4.2l2.8 1.8" />
  </Icon>
);

export const DocumentIcon = () => (
  <Icon>
    <path d="M5 2.5h6.5L15.5 6.5v11H5zM11.5 2.5v4h4M8 10h5M8 13h5" />
  </Icon>
);

export const WebIcon = () => (
  <Icon>
    <path d="M10 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM3.2 10h13.6M10 3c4 4.5 4 9.5 0 14M10 3c-4 4.5-4 9.5 0 14" />
  </Icon>
);

export const DataIcon = () => (
  <Icon>
    <path d="M3 4h14v12H3zM3 8h14M3 12h14M8 4v12" />
  </Icon>
);

export const GeneratedIcon = () => (
  <Icon>
    <path d="M4 16l9-9 1.5 1.5-9 9H4zM15 3v3M13.5 4.5h3M6 4v2M5 5h2" />
  </Icon>
);

export const SendIcon = () => (
  <Icon>
    <path d="M10 16V4.5M5.5 9L10 4.5 14.5 9" />
  </Icon>
);

export const StopIcon = () => (
  <Icon>
    <path d="M6 6h8v8H6z" fill="currentColor" />
  </Icon>
);
