import { Button as AriaButton, type ButtonProps as AriaButtonProps } from "react-aria-components/Button";
import type { AnchorHTMLAttributes } from "react";
import styles from "@/components/button.module.css";

type Look = "primary" | "plain" | "quiet" | "icon" | "danger";

/** The class of a button, for links that look like one. */
export function buttonClass(look: Look = "plain"): string {
  const extra = {
    primary: styles.primary,
    plain: "",
    quiet: styles.quiet,
    icon: `${styles.quiet} ${styles.icon}`,
    danger: styles.danger,
  }[look];
  return `${styles.button} ${extra}`;
}

export function Button({ look = "plain", ...props }: Omit<AriaButtonProps, "className"> & { look?: Look }) {
  return <AriaButton {...props} className={buttonClass(look)} />;
}

/** A plain link (a download, a page outside the app) that looks like a button. */
export function LinkButton({
  look = "plain",
  children,
  ...props
}: AnchorHTMLAttributes<HTMLAnchorElement> & { look?: Look }) {
  return (
    <a {...props} className={buttonClass(look)}>
      {children}
    </a>
  );
}
