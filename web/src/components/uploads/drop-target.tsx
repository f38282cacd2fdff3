import { useEffect, useState } from "react";
import { droppedFiles } from "@/lib/dropped-files";
import { useUploads } from "@/components/uploads/uploads";
import styles from "@/components/uploads/uploads.module.css";

/** The whole window takes files; while some are held over it, it says so. */
export function DropTarget() {
  const { add, into } = useUploads();
  const [over, setOver] = useState(false);

  useEffect(() => {
    // Entering a child leaves its parent, so only the balance of the two says whether files are still here.
    let depth = 0;
    const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    function onEnter(event: DragEvent) {
      if (!holdsFiles(event)) return;
      depth += 1;
      setOver(true);
    }
    function onLeave(event: DragEvent) {
      if (!holdsFiles(event)) return;
      depth = Math.max(0, depth - 1);
      if (depth === 0) setOver(false);
    }
    function onOver(event: DragEvent) {
      if (holdsFiles(event)) event.preventDefault();
    }
    function onDrop(event: DragEvent) {
      if (!event.dataTransfer || !holdsFiles(event)) return;
      event.preventDefault();
      depth = 0;
      setOver(false);
      void droppedFiles(event.dataTransfer).then(add);
    }
    window.addEventListener("dragenter", onEnter);
    window.addEventListener("dragleave", onLeave);
    window.addEventListener("dragover", onOver);
    window.addEventListener("drop", onDrop);
    return () => {
      window.removeEventListener("dragenter", onEnter);
      window.removeEventListener("dragleave", onLeave);
      window.removeEventListener("dragover", onOver);
      window.removeEventListener("drop", onDrop);
    };
  }, [add]);

  if (!over) return null;
  return (
    <div className={styles.drop}>
      <p>{into === "sources" ? "Drop to add these files" : "Drop to keep these files"}</p>
    </div>
  );
}
