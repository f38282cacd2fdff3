import { call } from "@/api/client";

export async function send<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  return call<T>(
    fetch(path, { method, signal, ...(body !== undefined && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }) }).then(async (response) => {
      const said: unknown = await response.json().catch(() => null);
      return response.ok ? { data: said as T, response } : { error: said, response };
    }),
  );
}
