import { useId, useState, type ReactNode } from "react";
import type { ExpandOption } from "@/api/types";
import { Button } from "@/components/button";
import { Select } from "@/components/select";
import {
  categories,
  CATEGORIES,
  filterCount,
  ORIGINS,
  SOURCE_TYPES,
  type SearchParams,
} from "@/features/search/search-params";
import { originName, typeName } from "@/features/search/search-words";
import { categoryWord } from "@/lib/event-words";
import styles from "@/features/search/search.module.css";

interface Props {
  params: SearchParams;
  /** By what the search can be widened; the server says it with every answer. */
  options: ExpandOption[] | undefined;
  onChange: (changed: Partial<SearchParams>) => void;
}

const NO_FILTERS: Partial<SearchParams> = {
  type: undefined,
  origin: undefined,
  tag: undefined,
  language: undefined,
  from: undefined,
  to: undefined,
};

export function SearchControls({ params, options, onChange }: Props) {
  const filters = filterCount(params);
  return (
    <div className={styles.controls}>
      <Fold title={filters > 0 ? `Filters (${filters})` : "Filters"} open={filters > 0}>
        <Select
          label="Type"
          value={params.type ?? ""}
          options={[["", "Any"], ...SOURCE_TYPES.map((type) => [type, typeName(type)] as const)]}
          onChange={(type) => onChange({ type: SOURCE_TYPES.find((known) => known === type) })}
        />
        <Select
          label="Origin"
          value={params.origin ?? ""}
          options={[["", "Any"], ...ORIGINS.map((origin) => [origin, originName(origin)] as const)]}
          onChange={(origin) => onChange({ origin: ORIGINS.find((known) => known === origin) })}
        />
        <Box
          label="Tags"
          note="with commas"
          value={params.tag ?? ""}
          onCommit={(tag) => onChange({ tag: tag || undefined })}
        />
        <Box
          label="Language"
          note="en, de"
          short
          value={params.language ?? ""}
          onCommit={(language) => onChange({ language: language || undefined })}
        />
        <Box
          label="From"
          type="date"
          value={params.from ?? ""}
          onCommit={(from) => onChange({ from: from || undefined })}
        />
        <Box label="To" type="date" value={params.to ?? ""} onCommit={(to) => onChange({ to: to || undefined })} />
        {filters > 0 && (
          <Button look="quiet" onPress={() => onChange(NO_FILTERS)}>
            Take all away
          </Button>
        )}
      </Fold>
      {options && (
        <Fold title="Widen the search" even open={options.some(({ name }) => name in params)}>
          {options.map((option) => (
            <Option key={option.name} option={option} params={params} onChange={onChange} />
          ))}
        </Fold>
      )}
    </div>
  );
}

function Fold({
  title,
  open,
  even = false,
  children,
}: {
  title: string;
  open: boolean;
  even?: boolean;
  children: ReactNode;
}) {
  // What the address asks for is shown; after that it stays as a person left it.
  const [start] = useState(open);
  return (
    <details className={styles.fold} open={start}>
      <summary>{title}</summary>
      <div className={`${styles.fields} ${even ? styles.even : ""}`}>{children}</div>
    </details>
  );
}

/** One thing to widen the search by, as its type has it. */
function Option({ option, params, onChange }: { option: ExpandOption } & Omit<Props, "options">) {
  const key = option.name as keyof SearchParams;
  if (option.type === "boolean") {
    const usual = option.default === true;
    const value = typeof params[key] === "boolean" ? params[key] : usual;
    return (
      <label className={styles.option}>
        <input
          type="checkbox"
          checked={value}
          onChange={({ target: { checked } }) => onChange({ [key]: checked === usual ? undefined : checked })}
        />
        {said(option)}
      </label>
    );
  }
  if (option.type === "integer") {
    return (
      <Box
        label={said(option)}
        type="number"
        short
        value={String(params.graph_budget ?? option.default)}
        onCommit={(value) =>
          onChange({
            graph_budget:
              /^\d+$/.test(value) && Number(value) !== option.default ? Math.min(50, Number(value)) : undefined,
          })
        }
      />
    );
  }
  const usual = Array.isArray(option.default) ? option.default.map(String) : [];
  const chosen =
    params.graph_filters === undefined
      ? usual
      : params.graph_filters === "all"
        ? [...CATEGORIES]
        : categories(params.graph_filters);
  return (
    <fieldset className={styles.group}>
      <legend>{said(option)}</legend>
      {CATEGORIES.map((category) => (
        <label key={category} className={styles.choice}>
          <input
            type="checkbox"
            checked={chosen.includes(category)}
            onChange={({ target: { checked } }) => {
              const next = CATEGORIES.filter((one) => (one === category ? checked : chosen.includes(one)));
              const isUsual = next.length === usual.length && next.every((one) => usual.includes(one));
              onChange({
                graph_filters: isUsual ? undefined : next.length === CATEGORIES.length ? "all" : next.join(","),
              });
            }}
          />
          {categoryWord(category)}
        </label>
      ))}
    </fieldset>
  );
}

/** What the server says it is for, as a label. */
function said({ description }: ExpandOption): string {
  return description.replace(/\.$/, "");
}

interface BoxProps {
  label: string;
  value: string;
  type?: "text" | "date" | "number";
  note?: string;
  short?: boolean;
  onCommit: (value: string) => void;
}

/** A box whose value counts once it is left, or with Enter; a day as soon as it is whole. */
function Box({ label, value, type = "text", note, short = false, onCommit }: BoxProps) {
  const id = useId();
  const commit = (next: string) => next.trim() !== value && onCommit(next.trim());
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        // Another value from the address, such as by the back button, is another box.
        key={value}
        type={type}
        defaultValue={value}
        className={`${styles.input} ${short ? styles.short : ""}`}
        placeholder={type === "text" ? note : undefined}
        onBlur={({ target }) => commit(target.value)}
        onChange={type === "date" ? ({ target }) => commit(target.value) : undefined}
        onKeyDown={({ key, currentTarget }) => key === "Enter" && commit(currentTarget.value)}
      />
    </div>
  );
}
