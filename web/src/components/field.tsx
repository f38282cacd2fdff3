import type { ReactNode } from "react";
import { FieldError } from "react-aria-components/FieldError";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { Text } from "react-aria-components/Text";
import { TextField, type TextFieldProps } from "react-aria-components/TextField";
import styles from "@/components/field.module.css";

export function Field({
  label,
  note,
  error,
  ...props
}: Omit<TextFieldProps, "className" | "children"> & { label: string; note?: ReactNode; error?: string | null }) {
  return (
    // What the server refused must not keep the browser from sending it again, once it was put right.
    <TextField
      {...props}
      isInvalid={Boolean(error)}
      validationBehavior={error ? "aria" : "native"}
      className={styles.field}
    >
      <Label className={styles.label}>{label}</Label>
      <Input className={styles.input} autoComplete="off" spellCheck={false} />
      {note && (
        <Text slot="description" className={styles.note}>
          {note}
        </Text>
      )}
      <FieldError className={styles.error}>{error}</FieldError>
    </TextField>
  );
}
