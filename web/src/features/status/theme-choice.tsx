import { Label } from "react-aria-components/Label";
import { Radio, RadioGroup } from "react-aria-components/RadioGroup";
import { setTheme, useTheme, type Theme } from "@/lib/theme";
import styles from "@/features/status/status.module.css";

const THEMES: [theme: Theme, label: string][] = [
  ["system", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"],
];

export function ThemeChoice() {
  const theme = useTheme();
  return (
    <RadioGroup
      value={theme}
      onChange={(value) => setTheme(value as Theme)}
      orientation="horizontal"
      className={styles.theme}
    >
      <Label className="visually-hidden">Theme</Label>
      {THEMES.map(([value, label]) => (
        <Radio key={value} value={value} className={styles.choice}>
          {label}
        </Radio>
      ))}
    </RadioGroup>
  );
}
