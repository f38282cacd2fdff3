import { expect, it } from "vitest";
import { mediaName, previewOf } from "@/lib/media";

it("knows what can be shown", () => {
  expect(previewOf("text/plain; charset=utf-8")).toBe("text");
  expect(previewOf("text/html")).toBe("text");
  expect(previewOf("application/geo+json")).toBe("text");
  expect(previewOf("image/svg+xml")).toBe("image");
  expect(previewOf("image/tiff")).toBe("none");
  expect(previewOf("application/pdf")).toBe("none");
});

it("has short names for types", () => {
  expect(mediaName("application/pdf")).toBe("PDF");
  expect(mediaName("text/plain; charset=utf-8")).toBe("Text");
  expect(mediaName("image/png")).toBe("PNG");
  expect(mediaName("application/x-tar")).toBe("TAR");
});
