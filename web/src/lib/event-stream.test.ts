import { expect, it } from "vitest";
import { readEvents, type ServerEvent } from "@/lib/event-stream";

const bytes = new TextEncoder();

function stream(pieces: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      pieces.forEach((piece) => controller.enqueue(piece));
      controller.close();
    },
  });
}

async function read(body: ReadableStream<Uint8Array>): Promise<ServerEvent[]> {
  const events: ServerEvent[] = [];
  for await (const event of readEvents(body)) events.push(event);
  return events;
}

const TEXT =
  'event: content_delta\nid: 7\ndata: {"text":"港 🚢"}\n\n: keep-alive\n\ndata: a\r\ndata: b\r\n\r\nid: 9\nevent: x\n\nevent:y\ndata:z\n\ndata: cut off';
const EVENTS = [
  { event: "content_delta", id: "7", data: '{"text":"港 🚢"}' },
  { event: "message", id: "7", data: "a\nb" },
  { event: "y", id: "9", data: "z" },
];

it("reads events however the stream is cut", async () => {
  const whole = bytes.encode(TEXT);
  expect(await read(stream([whole]))).toEqual(EVENTS);
  expect(await read(stream(Array.from(whole, (byte) => Uint8Array.of(byte))))).toEqual(EVENTS);
  for (let cut = 1; cut < whole.length; cut += 1) {
    expect(await read(stream([whole.slice(0, cut), whole.slice(cut)])), `cut at ${cut}`).toEqual(EVENTS);
  }
});

it("lets go of the stream when nobody listens any more", async () => {
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(bytes.encode("data: 1\n\n")),
    cancel: () => {
      cancelled = true;
    },
  });
  for await (const event of readEvents(body)) {
    expect(event.data).toBe("1");
    break;
  }
  expect(cancelled).toBe(true);
});
