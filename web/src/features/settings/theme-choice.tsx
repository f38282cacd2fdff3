import { Choices } from "@/features/settings/choices";
import { setTheme, useTheme, type Theme } from "@/lib/theme";

const THEMES: readonly [theme: Theme, label: string][] = [
  ["system", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"],
];

export function ThemeChoice() {
  return <Choices label="Theme" quiet options={THEMES} value={useTheme()} onChange={setTheme} />;
}
