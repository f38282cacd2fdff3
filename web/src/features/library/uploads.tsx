import { useQueryClient } from "@tanstack/react-query";
import { createContext, use, useEffect, useMemo, useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import { artifactKeys } from "@/api/artifacts";
import { sendFile } from "@/features/library/send-file";
import { isPending, UploadQueue, type Upload } from "@/features/library/upload-queue";

interface Uploads {
  queue: UploadQueue;
  /** Opens the browser's file chooser; only works while a click or key is being handled. */
  choose: () => void;
}

const UploadsContext = createContext<Uploads | null>(null);

/** Keeps uploads going while the user walks through the app. */
export function UploadsProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const [queue] = useState(
    () =>
      new UploadQueue(sendFile, ({ artifact }) => {
        queries.setQueryData(artifactKeys.one(artifact.sha256), artifact);
        void queries.invalidateQueries({ queryKey: artifactKeys.list });
      }),
  );
  const value = useMemo<Uploads>(() => ({ queue, choose: () => input.current?.click() }), [queue]);

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
        aria-label="Files to keep"
        onChange={(event) => {
          queue.add(Array.from(event.target.files ?? []));
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
