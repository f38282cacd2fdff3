import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { changeSettings, settingsKeys, type CitationChoices, type CitationSettings } from "@/api/settings";
import { Button } from "@/components/button";
import { Field } from "@/components/field";
import { ErrorNote } from "@/components/states";
import { Choices } from "@/features/settings/choices";
import { fieldOf, FORMATS } from "@/features/settings/settings-words";
import { asSentence } from "@/lib/format";
import { Problem } from "@/lib/problem";
import styles from "@/features/settings/settings.module.css";

/** How citations are shown. */
export function CitationForm({ kept }: { kept: CitationSettings }) {
  const queries = useQueryClient();
  const [draft, setDraft] = useState<CitationChoices>(kept);
  // As it is written: an empty field is no number yet.
  const [most, setMost] = useState(String(kept.max_sources_displayed));
  const [tools, setTools] = useState(kept.enabled_tools.join(", "));
  const named = tools.split(/[\s,]+/).filter(Boolean);
  const save = useMutation({
    mutationFn: () => {
      const { format, expand_sources_by_default, enable_tooltips } = draft;
      return changeSettings({
        citations: {
          format,
          expand_sources_by_default,
          max_sources_displayed: Number(most),
          enable_tooltips,
          enabled_tools: named,
        },
      });
    },
    onSuccess: (settings) => {
      queries.setQueryData(settingsKeys.whole, settings);
      void queries.invalidateQueries({ queryKey: settingsKeys.all });
    },
  });
  const problem = save.error ? Problem.from(save.error) : null;
  const ofMost = fieldOf(problem?.field ?? null) === "max_sources_displayed";
  const ofTools = fieldOf(problem?.field ?? null) === "enabled_tools";
  const isCount = /^[0-9]{1,4}$/.test(most.trim());
  const changed =
    draft.format !== kept.format ||
    draft.expand_sources_by_default !== kept.expand_sources_by_default ||
    draft.enable_tooltips !== kept.enable_tooltips ||
    named.join() !== kept.enabled_tools.join() ||
    most.trim() !== String(kept.max_sources_displayed);

  function change(next: Partial<CitationChoices>) {
    setDraft({ ...draft, ...next });
    save.reset();
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!save.isPending && isCount) save.mutate();
  }

  return (
    <form className={styles.form} onSubmit={submit}>
      <Choices label="In the text" options={FORMATS} value={draft.format} onChange={(format) => change({ format })} />
      <Check
        label="Show the words when a number is pointed at"
        checked={draft.enable_tooltips}
        onChange={(enable_tooltips) => change({ enable_tooltips })}
      />
      <Check
        label="Open the list of sources by itself"
        checked={draft.expand_sources_by_default}
        onChange={(expand_sources_by_default) => change({ expand_sources_by_default })}
      />
      <div className={styles.short}>
        <Field
          label="Sources shown at first"
          inputMode="numeric"
          value={most}
          onChange={(value) => {
            setMost(value);
            save.reset();
          }}
          error={ofMost && problem ? asSentence(problem.message) : isCount ? null : "A whole number."}
        />
      </div>
      <Field
        label="Tools whose results are cited"
        note="Names parted by commas, in which * stands for anything."
        value={tools}
        onChange={(value) => {
          setTools(value);
          save.reset();
        }}
        error={ofTools && problem ? asSentence(problem.message) : null}
      />
      <div className={styles.actions}>
        <Button look="primary" type="submit" isDisabled={save.isPending || !changed || !isCount}>
          {save.isPending ? "Saving…" : "Save"}
        </Button>
        <span role="status" className={styles.note}>
          {save.isSuccess && "Saved."}
        </span>
      </div>
      {problem && !ofMost && !ofTools && <ErrorNote error={problem} what="Nothing was saved." />}
    </form>
  );
}

function Check({
  label,
  checked,
  onChange,
}: {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  return (
    <label className={styles.check}>
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      {label}
    </label>
  );
}
