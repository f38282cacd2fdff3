import { useQueryClient } from "@tanstack/react-query";
import { createContext, use, useEffect, useMemo, useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import { artifactKeys, sendArtifact } from "@/api/artifacts";
import { sendSource, sourceKeys } from "@/api/sources";
import { isPending, UploadQueue, type Destination, type Send, type Upload } from "@/lib/upload-queue";

interface Uploads {
  queue: UploadQueue;
  /** What files that come now become. */
  into: Destination;
  add: (files: File[]) => void;
  /** Opens the browser's file chooser; only works while a click or key is being handled. */
  choose: () => void;
}

const UploadsContext = createContext<Uploads | null>(null);

const send: Send = async (file, into, onProgress, signal) => {
  if (into === "sources") {
    const { isNew, source } = await sendSource(file, onProgress, signal);
    return { isNew, kept: { kind: "source", source } };
  }
  const { isNew, artifact } = await sendArtifact(file, onProgress, signal);
  return { isNew, kept: { kind: "file", artifact } };
};

/** Keeps uploads going while the user walks through the app; `into` is what the open place makes of files. */
export function UploadsProvider({ into, children }: { into: Destination; children: ReactNode }) {
  const queries = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const [queue] = useState(
    () =>
      new UploadQueue(send, ({ kept }) => {
        if (kept.kind === "source") {
          queries.setQueryData(sourceKeys.one(kept.source.id), kept.source);
          void queries.invalidateQueries({ queryKey: sourceKeys.lists });
          void queries.invalidateQueries({ queryKey: sourceKeys.counts });
        } else {
          queries.setQueryData(artifactKeys.one(kept.artifact.sha256), kept.artifact);
        }
        void queries.invalidateQueries({ queryKey: artifactKeys.list });
      }),
  );
  const value = useMemo<Uploads>(
    () => ({ queue, into, add: (files) => queue.add(files, into), choose: () => input.current?.click() }),
    [queue, into],
  );

  useEffect(() => {
    function warn(event: BeforeUnloadEvent) {
      if (queue.current().some(({ state }) => isPending(state))) event.preventDefault();
    }
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [queue]);

  return (
    <UploadsContext value={value}>
      {children}
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={into === "sources" ? "Files to add" : "Files to keep"}
        onChange={(event) => {
          value.add(Array.from(event.target.files ?? []));
          // Choosing the same file again has to be a change, too.
          event.target.value = "";
        }}
      />
    </UploadsContext>
  );
}

export function useUploads(): Uploads {
  const uploads = use(UploadsContext);
  if (!uploads) throw new Error("useUploads needs an UploadsProvider above it");
  return uploads;
}

export function useUploadList(): readonly Upload[] {
  const { queue } = useUploads();
  return useSyncExternalStore(queue.subscribe, queue.current);
}
