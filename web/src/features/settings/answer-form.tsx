import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { changeSettings, settingsKeys, tryAnswers, type AnswerSettings } from "@/api/settings";
import { Button } from "@/components/button";
import { Field } from "@/components/field";
import { ErrorNote } from "@/components/states";
import { Choices } from "@/features/settings/choices";
import {
  choiceOf,
  draftOf,
  fieldOf,
  isChanged,
  keyNote,
  PROVIDER_NOTES,
  PROVIDERS,
  trialWords,
  type AnswerDraft,
} from "@/features/settings/settings-words";
import { asSentence } from "@/lib/format";
import { Problem } from "@/lib/problem";
import styles from "@/features/settings/settings.module.css";

const FIELDS = ["model", "url", "key"];

/** Who writes answers. What is tried is what the form says, saved or not. */
export function AnswerForm({ kept }: { kept: AnswerSettings }) {
  const queries = useQueryClient();
  const [draft, setDraft] = useState(() => draftOf(kept));
  const save = useMutation({
    mutationFn: () => changeSettings({ answers: choiceOf(draft) }),
    onSuccess: (settings) => {
      queries.setQueryData(settingsKeys.whole, settings);
      void queries.invalidateQueries({ queryKey: settingsKeys.all });
      setDraft(draftOf(settings.answers));
    },
  });
  const trial = useMutation({ mutationFn: () => tryAnswers(choiceOf(draft)) });
  const failed = save.error ?? trial.error;
  const problem = failed ? Problem.from(failed) : null;
  const faulty = fieldOf(problem?.field ?? null);

  function change(changed: Partial<AnswerDraft>) {
    setDraft({ ...draft, ...changed });
    save.reset();
    trial.reset();
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    trial.reset();
    if (!save.isPending) save.mutate();
  }

  const field = (name: "model" | "url" | "key") => ({
    value: draft[name],
    onChange: (value: string) => change({ [name]: value }),
    error: problem && faulty === name ? asSentence(problem.message) : null,
  });

  return (
    <form className={styles.form} onSubmit={submit}>
      <Choices
        label="Provider"
        options={PROVIDERS}
        value={draft.provider}
        // What belongs to one provider says nothing to another.
        onChange={(provider) =>
          change(provider === kept.provider ? draftOf(kept) : { provider, model: "", url: "", key: "" })
        }
      />
      <p className={styles.note}>{PROVIDER_NOTES[draft.provider]}</p>
      {draft.provider !== "none" && (
        <>
          <Field {...field("model")} label="Model" note="As the provider calls it." isRequired />
          <Field
            {...field("url")}
            label="Address"
            inputMode="url"
            isRequired={draft.provider === "compatible"}
            note={
              draft.provider === "compatible"
                ? "Such as http://127.0.0.1:11434/v1"
                : "Leave it empty for the provider’s own."
            }
          />
          <Field {...field("key")} label="Key" type="password" note={keyNote(draft, kept)} />
        </>
      )}
      <div className={styles.actions}>
        <Button look="primary" type="submit" isDisabled={save.isPending || !isChanged(draft, kept)}>
          {save.isPending ? "Saving…" : "Save"}
        </Button>
        {draft.provider !== "none" && (
          <Button isDisabled={trial.isPending || !draft.model.trim()} onPress={() => (save.reset(), trial.mutate())}>
            {trial.isPending ? "Asking…" : "Test"}
          </Button>
        )}
        <span role="status" className={trial.data && !trial.data.ok ? styles.failed : styles.note}>
          {trial.data ? trialWords(trial.data) : save.isSuccess && "Saved."}
        </span>
      </div>
      {problem && !FIELDS.includes(faulty ?? "") && (
        <ErrorNote error={problem} what={save.error ? "Nothing was saved." : "The test could not be made."} />
      )}
    </form>
  );
}
