import { deflateSync } from "node:zlib";

export const minutes = {
  name: "harbour-minutes.txt",
  mimeType: "text/plain",
  buffer: Buffer.from(
    "Minutes of the harbour board, 14 March 1931.\n\nThe mole was rebuilt in 1931 after the storm of the winter before.\nMr Aðalsteinn asked for the accounts; they were laid on the table.\n",
  ),
};

export const report = {
  name: "survey.md",
  mimeType: "text/markdown",
  buffer: Buffer.from("# Harbour survey\n\nDepth at the quay: 7.2 m at low water.\n\n<script>alert('never')</script>\n"),
};

/** Has headings, and characters that take two units of a JavaScript string before the words that are looked for. */
export const survey = {
  name: "quay-survey.md",
  mimeType: "text/markdown",
  buffer: Buffer.from(
    "# Survey of the quay\n\nSeen from the ferry 🚢🚢 in the 港 of the north.\n\n## Depth at low water\n\nThe depth at the quay is 7.2 m, half a metre less than in 1927.\n\n<b>Not bold</b>\n",
  ),
};

/** Of no kind that has a text. */
export const unreadable = {
  name: "soundings.bin",
  mimeType: "application/octet-stream",
  buffer: Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256)),
};

function crc32(bytes: Buffer): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

/** A real PNG of 64 by 40 pixels: a horizon. */
function png(): Buffer {
  const [width, height] = [64, 40];
  const rows = Buffer.alloc((width * 3 + 1) * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      rows.set(y < 22 ? [196, 214, 232] : [52, 88, 120], y * (width * 3 + 1) + 1 + x * 3);
    }
  }
  const head = Buffer.from([0, 0, 0, width, 0, 0, 0, height, 8, 2, 0, 0, 0]);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", head), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}

export const picture = { name: "quay.png", mimeType: "image/png", buffer: png() };
