import type { InfiniteData } from "@tanstack/react-query";
import type { Job, JobState, Page } from "@/api/types";

export type JobPages = InfiniteData<Page<Job>, string | null>;

/** Puts a job that changed into a cached list of one state (or of all): where it was, where its age puts it, or out. */
export function applyJob(list: JobPages, state: JobState | null, job: Job): JobPages {
  const cached = list.pages.flatMap(({ items }) => items).find(({ id }) => id === job.id);
  if (cached && isOlder(job, cached)) return list;
  const belongs = state === null || state === job.state;
  if (cached) {
    const items = (page: Page<Job>) =>
      belongs
        ? page.items.map((item) => (item.id === job.id ? job : item))
        : page.items.filter(({ id }) => id !== job.id);
    return { ...list, pages: list.pages.map((page) => ({ ...page, items: items(page) })) };
  }
  return belongs ? { ...list, pages: inserted(list.pages, job) } : list;
}

/** Lists are newest first. A job older than all that were loaded is on a page that was not. */
function inserted(pages: Page<Job>[], job: Job): Page<Job>[] {
  const last = pages.length - 1;
  const at = pages.findIndex(
    (page, index) =>
      page.items.some((item) => isBefore(item.created_at, job.created_at)) ||
      (index === last && page.next_cursor === null),
  );
  return pages.map((page, index) => {
    if (index !== at) return page;
    const place = page.items.findIndex((item) => isBefore(item.created_at, job.created_at));
    return { ...page, items: page.items.toSpliced(place < 0 ? page.items.length : place, 0, job) };
  });
}

/** An answer and an event about one job can overtake each other; the later state of the job wins. */
export function isOlder(job: Job, than: Job): boolean {
  return isBefore(job.updated_at, than.updated_at);
}

/** The server's times are UTC with as many digits of the second as there are, which sort as text; a Date drops most. */
function isBefore(a: string, b: string): boolean {
  return a.replace("Z", "") < b.replace("Z", "");
}
