import { Label } from "react-aria-components/Label";
import { Radio, RadioGroup } from "react-aria-components/RadioGroup";
import styles from "@/features/documents/documents.module.css";

interface Props<T extends string> {
  label: string;
  options: readonly (readonly [value: T, name: string])[];
  value: T;
  onChange: (value: T) => void;
}

/** One of a few, all of which are seen. */
export function Choices<T extends string>({ label, options, value, onChange }: Props<T>) {
  return (
    <RadioGroup
      value={value}
      onChange={(chosen) => onChange(chosen as T)}
      orientation="horizontal"
      className={styles.choices}
    >
      <Label className={styles.label}>{label}</Label>
      <div className={styles.options}>
        {options.map(([known, name]) => (
          <Radio key={known} value={known} className={styles.choice}>
            {name}
          </Radio>
        ))}
      </div>
    </RadioGroup>
  );
}
