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
  buffer: Buffer.from(
    "# Harbour survey\n\nDepth at the quay: 7.2 m at low water.\n\n<script>alert('never')</script>\n",
  ),
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
  return Buffer.concat([
    signature,
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

export const picture = { name: "quay.png", mimeType: "image/png", buffer: png() };

/** A PDF with a page for each list of lines, written as plainly as the format allows. */
function pdf(pages: string[][]): Buffer {
  const escaped = (line: string) => line.replace(/[\\()]/g, "\\$&");
  const bodies = pages.map(
    (lines) => `BT /F1 14 Tf 72 760 Td 20 TL ${lines.map((line) => `(${escaped(line)}) Tj T*`).join(" ")} ET`,
  );
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, page) => `${4 + page * 2} 0 R`).join(" ")}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ...bodies.flatMap((body, page) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + page * 2} 0 R >>`,
      `<< /Length ${body.length} >>\nstream\n${body}\nendstream`,
    ]),
  ];
  let out = "%PDF-1.4\n";
  const starts = objects.map((object, index) => {
    const start = out.length;
    out += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return start;
  });
  const table = starts.map((start) => `${String(start).padStart(10, "0")} 00000 n \n`).join("");
  out += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${out.length}\n%%EOF\n`;
  return Buffer.from(out, "latin1");
}

const filler = (page: number) =>
  Array.from({ length: 24 }, (_, line) => `Sounding ${page}.${line} was taken at the outer buoy and noted.`);

/** Three pages; what is looked for stands on the last of them, over a line end and with a divided word. */
export const soundings = {
  name: "soundings-1931.pdf",
  mimeType: "application/pdf",
  buffer: pdf([
    ["Soundings of 1931", ...filler(1)],
    filler(2),
    [
      ...filler(3).slice(0, 12),
      "The depth at the quay is now half a me-",
      "tre less than it was in 1927.",
      ...filler(3).slice(12),
    ],
  ]),
};

/** Tries everything that a page can try. */
export const hostilePage = {
  name: "hostile.html",
  mimeType: "text/html",
  buffer: Buffer.from(`<!doctype html><html><head><title>Notes on the harbour</title>
<meta http-equiv="refresh" content="0;url=https://evil.example/refresh"><base href="https://evil.example/">
<link rel="stylesheet" href="https://evil.example/a.css"><script>top.hacked = 1; alert(1)</script>
<style>@import url(https://evil.example/b.css); body { background: url(https://evil.example/c.png) }</style></head>
<body onload="top.hacked = 2; alert(2)"><article><h1>Notes on the harbour</h1>
<img src="x" onerror="top.hacked = 3; alert(3)"><img src="https://evil.example/d.png">
<svg onload="alert(4)"><script>alert(5)</script><a xlink:href="javascript:alert(6)"><text y="20">drawn</text></a></svg>
<iframe src="https://evil.example/f"></iframe><object data="https://evil.example/g"></object>
<form action="https://evil.example/h"><input name="a" autofocus onfocus="alert(7)"><button>Send</button></form>
<noscript><p title="</noscript><img src=x onerror='top.hacked = 9; alert(9)'>"></p></noscript>
<template><img src=x onerror="alert(10)"></template><svg><style><img title="</style><img src=x onerror=alert(11)>"></style></svg>
<img srcset="https://evil.example/i.png 2x"><p style="background: \\75rl(https://evil.example/j.png)">Calm</p>
<a href=" jav&#x09;ascript:alert(12)">Chart</a>
${Array.from({ length: 60 }, (_, line) => `<p>Line ${line} of the notes says that the sea was calm on that day.</p>`).join("\n")}
<p>The mole was <b>rebuilt in 1931</b> after the <a href="javascript:alert(8)">storm of the winter</a> before.</p>
${Array.from({ length: 60 }, (_, line) => `<p>Line ${line + 60} of the notes says that the sea was rough on that day.</p>`).join("\n")}
</article></body></html>`),
};

export const hostileDrawing = {
  name: "hostile.svg",
  mimeType: "image/svg+xml",
  buffer: Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="80" onload="alert(1)"><script>top.hacked = 4; alert(2)</script><image href="https://evil.example/x.png"/><text x="10" y="40">Depth 7.2 m</text></svg>',
  ),
};

/** A million characters without a line end. */
export const endlessLine = {
  name: "endless.txt",
  mimeType: "text/plain",
  buffer: Buffer.from(`${"tide ".repeat(200_000)}and the very last words`),
};

/** The survey a year later: one figure is another, a sentence is new. */
export const laterSurvey = {
  name: "quay-survey-1932.md",
  mimeType: "text/markdown",
  buffer: Buffer.from(
    "# Survey of the quay\n\nSeen from the ferry 🚢🚢 in the 港 of the north.\n\n## Depth at low water\n\nThe depth at the quay is 6.9 m, half a metre less than in 1927. Dredging has begun.\n\n<b>Not bold</b>\n",
  ),
};
