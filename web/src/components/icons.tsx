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

export const StatusIcon = () => (
  <Icon>
    <path d="M2.5 10.5h3.2l2-5.5 4.2 10 2.2-4.5h3.4" />
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

export const SearchIcon = () => (
  <Icon>
    <path d="M8.75 3.5a5.25 5.25 0 1 1 0 10.5 5.25 5.25 0 0 1 0-10.5zM12.6 12.6l4 4" />
  </Icon>
);
