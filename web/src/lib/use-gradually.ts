import { useEffect, useState } from "react";

/** How many of many things to draw: some at once, and in each frame after that some more, so that no frame is long. */
export function useGradually(total: number, step: number): number {
  const [count, setCount] = useState(step);
  const missing = total > count;
  useEffect(() => {
    if (!missing) return;
    const frame = requestAnimationFrame(() => setCount((drawn) => drawn + step));
    return () => cancelAnimationFrame(frame);
  }, [missing, count, step]);
  return Math.min(count, total);
}
