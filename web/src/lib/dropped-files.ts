/** All files of a drop, also those inside dropped folders. Must be called while the drop event is being handled. */
export async function droppedFiles(transfer: DataTransfer): Promise<File[]> {
  // The items die with the event, so the entries are taken before the first await.
  const entries = Array.from(transfer.items, (item) => (item.kind === "file" ? item.webkitGetAsEntry() : null));
  const plain = Array.from(transfer.files);
  if (!entries.some((entry) => entry?.isDirectory)) return plain;
  const found = await Promise.all(entries.map((entry) => (entry ? filesBelow(entry) : Promise.resolve([]))));
  return found.flat();
}

async function filesBelow(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile) {
    return [await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: File[] = [];
  // A reader hands out a folder in batches, and an empty one at the end.
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (batch.length === 0) return files;
    for (const inner of batch) files.push(...(await filesBelow(inner)));
  }
}
