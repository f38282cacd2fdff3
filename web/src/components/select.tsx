import { useId, type SelectHTMLAttributes } from "react";
import styles from "@/components/select.module.css";

interface Props extends Omit<SelectHTMLAttributes<HTMLSelectElement>, "className" | "onChange"> {
  label: string;
  /** A value and what it is called. */
  options: readonly (readonly [value: string, name: string])[];
  onChange: (value: string) => void;
}

/** One of several, with the browser's own list: it is the one that every phone and screen reader knows. */
export function Select({ label, options, onChange, ...props }: Props) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      <select {...props} id={id} className={styles.select} onChange={(event) => onChange(event.target.value)}>
        {options.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
