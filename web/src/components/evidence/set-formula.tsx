import temml from "temml";
import { useLayoutEffect, useMemo, useRef, type ReactNode } from "react";
import styles from "@/components/evidence/cited-text.module.css";

const LIMITS = { throwOnError: true, trust: false, maxExpand: 200, maxSize: [20, 100] as [number, number] };

/** MathML of a formula in TeX, made node by node: nothing of it is read as HTML. */
export function SetFormula({ text, display, written }: { text: string; display: boolean; written: ReactNode }) {
  const place = useRef<HTMLSpanElement>(null);
  const formula = useMemo(() => read(text, display), [text, display]);
  useLayoutEffect(() => {
    if (formula) place.current?.replaceChildren(formula);
  }, [formula]);
  return formula ? <span ref={place} className={display ? styles.formula : undefined} /> : written;
}

/** The formula, made beside the page; nothing if it is none. */
function read(text: string, displayMode: boolean): Node | null {
  const beside = document.createElement("span");
  try {
    temml.render(text, beside, { ...LIMITS, displayMode });
  } catch {
    return null;
  }
  return beside.firstChild;
}
