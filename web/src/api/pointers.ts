import { call, client } from "@/api/client";
import type { Page, Pointer, PointerMove } from "@/api/types";
import { Problem } from "@/lib/problem";

export const pointerKeys = {
  all: ["pointers"] as const,
  list: ["pointers", "list"] as const,
  one: (namespace: string, name: string) => ["pointers", "one", namespace, name] as const,
  history: (namespace: string, name: string) => ["pointers", "history", namespace, name] as const,
};

const PAGE = 100;

export function listPointers(cursor: string | null, signal?: AbortSignal): Promise<Page<Pointer>> {
  return call(
    client.GET("/api/v1/pointers", { params: { query: { limit: PAGE, ...(cursor && { cursor }) } }, signal }),
  );
}

export function getPointer(namespace: string, name: string, signal?: AbortSignal): Promise<Pointer> {
  return call(client.GET("/api/v1/pointers/{namespace}/{name}", { params: { path: { namespace, name } }, signal }));
}

/** The first page of a namespace. */
export function listNamespace(namespace: string, signal?: AbortSignal): Promise<Page<Pointer>> {
  return call(client.GET("/api/v1/pointers", { params: { query: { namespace, limit: PAGE } }, signal }));
}

/** The pointer, or null where none has that name. */
export async function findPointer(namespace: string, name: string, signal?: AbortSignal): Promise<Pointer | null> {
  try {
    return await getPointer(namespace, name, signal);
  } catch (thrown) {
    if (thrown instanceof Problem && thrown.status === 404) return null;
    throw thrown;
  }
}

/** Names a snapshot without moving it: moving is `advancePointer`, which checks what it moves from. */
export function createPointer(namespace: string, name: string): Promise<Pointer> {
  return call(
    client.PUT("/api/v1/pointers/{namespace}/{name}", {
      params: { path: { namespace, name } },
      body: { pointer_type: "snapshot" },
    }),
  );
}

export function advancePointer(
  namespace: string,
  name: string,
  body: { to: string; expected: string | null; reason: string | null },
): Promise<Pointer> {
  return call(
    client.POST("/api/v1/pointers/{namespace}/{name}/advance", { params: { path: { namespace, name } }, body }),
  );
}

export function pointerHistory(
  namespace: string,
  name: string,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<Page<PointerMove>> {
  return call(
    client.GET("/api/v1/pointers/{namespace}/{name}/history", {
      params: { path: { namespace, name }, query: { limit: PAGE, ...(cursor && { cursor }) } },
      signal,
    }),
  );
}
