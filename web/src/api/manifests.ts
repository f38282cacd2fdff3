import { call, client } from "@/api/client";
import type { Manifest, ManifestDiff, NewManifest } from "@/api/types";

export const manifestKeys = {
  one: (sha256: string) => ["manifests", "one", sha256] as const,
  diff: (from: string, to: string) => ["manifests", "diff", from, to] as const,
};

export function createManifest(body: NewManifest): Promise<Manifest> {
  return call(client.POST("/api/v1/manifests", { body }));
}

export function getManifest(sha256: string, signal?: AbortSignal): Promise<Manifest> {
  return call(client.GET("/api/v1/manifests/{sha256}", { params: { path: { sha256 } }, signal }));
}

export function diffManifests(from: string, to: string, signal?: AbortSignal): Promise<ManifestDiff> {
  return call(
    client.GET("/api/v1/manifests/{sha256}/diff/{other}", { params: { path: { sha256: from, other: to } }, signal }),
  );
}

export function archiveUrl(sha256: string): string {
  return `/api/v1/manifests/${encodeURIComponent(sha256)}/archive`;
}
