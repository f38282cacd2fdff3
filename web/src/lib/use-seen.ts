import { useEffect, useState, type RefObject } from "react";

/** Whether an element has come into the window since it is looked for. */
export function useSeen(element: RefObject<Element | null>, looked: boolean): boolean {
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    if (!looked || seen || !element.current) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true),
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, looked, seen]);
  return seen;
}
