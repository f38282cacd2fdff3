import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useId, useState, type FormEvent } from "react";
import { getDocument, startDraft } from "@/api/documents";
import { cancelJob, getJob, jobKeys } from "@/api/jobs";
import type { Job } from "@/api/types";
import { Button } from "@/components/button";
import { Field } from "@/components/field";
import { Progress } from "@/components/progress";
import { ErrorNote } from "@/components/states";
import { useDesk } from "@/features/documents/desk";
import { formatCount, humanise } from "@/lib/format";
import { Problem } from "@/lib/problem";
import forms from "@/features/documents/documents.module.css";
import styles from "@/features/documents/draft.module.css";

const LOOK_MS = 500;

/** An empty document can begin with a draft that is made from the sources, each sentence with its citation. */
export function DraftForm() {
  const { id, saver, make } = useDesk();
  const [open, setOpen] = useState(false);
  const [question, setQuestion] = useState("");
  const [outline, setOutline] = useState("");
  const area = useId();
  const start = useMutation({
    mutationFn: async () => {
      await saver.flush();
      const headings = outline
        .split("\n")
        .map((line) => line.replace(/^[\s#=*-]+/, "").trim())
        .filter(Boolean);
      return startDraft(id, {
        ...(question.trim() && { question: question.trim() }),
        ...(headings.length > 0 && { outline: headings }),
        replace: true,
      });
    },
  });
  const job = useQuery({
    queryKey: jobKeys.one(start.data?.id ?? ""),
    queryFn: ({ signal }) => getJob(start.data?.id ?? "", signal),
    enabled: start.data !== undefined,
    refetchInterval: ({ state: { data } }) => (data === undefined || isRunning(data) ? LOOK_MS : false),
    staleTime: 0,
  });
  const state = job.data?.state;
  const finish = useEffectEvent(() => void make(() => getDocument(id)).catch(() => undefined));
  useEffect(() => {
    if (state === "succeeded") finish();
  }, [state]);

  function submit(event: FormEvent) {
    event.preventDefault();
    if ((question.trim() || outline.trim()) && !start.isPending) start.mutate();
  }

  if (!open) {
    return (
      <div className={styles.offer}>
        <Button look="quiet" onPress={() => setOpen(true)}>
          Draft from sources
        </Button>
        <span>or begin to write below.</span>
      </div>
    );
  }
  const busy = start.isPending || (start.data !== undefined && (!job.data || isRunning(job.data)));
  const failed =
    start.error ??
    (state === "dead" || state === "cancelled"
      ? new Problem(0, { code: "job_failed", detail: job.data?.last_error ?? `The draft was ${state}.` })
      : null);
  return (
    <form className={styles.form} onSubmit={submit} aria-label="Draft from sources">
      <Field
        label="Question"
        note="What the text is to answer."
        value={question}
        onChange={setQuestion}
        isDisabled={busy}
      />
      <div className={styles.outline}>
        <label htmlFor={area}>Or an outline</label>
        <textarea
          id={area}
          className={forms.area}
          placeholder="One heading in each line"
          value={outline}
          disabled={busy}
          onChange={(event) => setOutline(event.target.value)}
        />
      </div>
      {busy && <DraftProgress job={job.data} />}
      {failed !== null && <ErrorNote error={failed} what="No draft was made." />}
      <div className={forms.actions}>
        {busy && start.data ? (
          <Button onPress={() => void cancelJob(start.data.id).then(() => job.refetch())}>Cancel</Button>
        ) : (
          <Button onPress={() => setOpen(false)}>Cancel</Button>
        )}
        <Button look="primary" type="submit" isDisabled={busy || !(question.trim() || outline.trim())}>
          {busy ? "Drafting…" : "Make a draft"}
        </Button>
      </div>
    </form>
  );
}

function DraftProgress({ job }: { job: Job | undefined }) {
  const progress = job?.progress;
  const total = progress?.total ?? null;
  const count = progress
    ? total === null
      ? formatCount(progress.done)
      : `${formatCount(progress.done)} of ${formatCount(total)}`
    : "";
  return (
    <Progress
      label="Progress of the draft"
      words={progress?.message ? humanise(progress.message) : "Looking in the sources"}
      count={count}
      done={progress?.done ?? 0}
      total={total}
    />
  );
}

function isRunning({ state }: Job): boolean {
  return state === "queued" || state === "running";
}
