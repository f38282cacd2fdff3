import { useRouter } from "@tanstack/react-router";
import type { MouseEvent, ReactNode } from "react";
import { buttonClass } from "@/components/button";

/** A link to where a citation leads, in the app or on the web. */
export function SourceLink({
  href,
  label,
  className,
  children,
}: {
  href: string;
  label?: string;
  className?: string;
  children: ReactNode;
}) {
  const router = useRouter();
  const inside = href.startsWith("/");
  function onClick(event: MouseEvent) {
    if (!inside || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    router.history.push(href);
  }
  return (
    <a
      href={href}
      onClick={onClick}
      aria-label={label}
      className={className ?? buttonClass("quiet")}
      {...(!inside && { target: "_blank", rel: "noreferrer noopener" })}
    >
      {children}
    </a>
  );
}
