import { inflateSync } from 'node:zlib';

import { createRequire } from 'node:module';

/** A picture in black and white, as a test looks at it. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly isDark: (x: number, y: number) => boolean;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

type Decoder = (data: Uint8ClampedArray, width: number, height: number) => { data: string } | null;
const decode = createRequire(import.meta.url)('jsqr').default as Decoder;

/** What a scanner reads in the picture; undefined when it finds nothing. */
export function decodeQr(pixels: Pixels): string | undefined {
  const { width, height } = pixels;
  const rgba = new Uint8ClampedArray(width * height * 4);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = (y * width + x) * 4;
      rgba.fill(pixels.isDark(x, y) ? 0 : 255, at, at + 3);
      rgba[at + 3] = 255;
    }
  }
  return decode(rgba, width, height)?.data;
}

/** A PNG of one bit per pixel without filters, which is all we write. */
export function pixelsOfPng(png: Uint8Array): Pixels {
  const bytes = Buffer.from(png);
  const width = bytes.readUInt32BE(16);
  const height = bytes.readUInt32BE(20);
  const start = bytes.indexOf('IDAT');
  const rows = inflateSync(bytes.subarray(start + 4, start + 4 + bytes.readUInt32BE(start - 4)));
  const rowBytes = 1 + width / 8;
  return {
    width,
    height,
    isDark: (x, y) => (((rows[y * rowBytes + 1 + (x >> 3)] ?? 0xff) >> (7 - (x & 7))) & 1) === 0,
  };
}

/** An SVG whose second path is made of unit-high boxes: `M<x> <y>h<w>v1h-<w>z`. */
export function pixelsOfSvg(svg: string): Pixels {
  const side = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1]);
  const path = svg.split('<path').at(-1) ?? '';
  const boxes = [...path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g)].map(([, x, y, width]) => ({
    x: Number(x),
    y: Number(y),
    width: Number(width),
    height: 1,
  }));
  return paint(boxes, { width: side, height: side, scale: 4 });
}

function paint(boxes: readonly Box[], canvas: { width: number; height: number; scale: number }): Pixels {
  const width = Math.round(canvas.width * canvas.scale);
  const height = Math.round(canvas.height * canvas.scale);
  const dark = new Uint8Array(width * height);
  for (const box of boxes) {
    const right = Math.round((box.x + box.width) * canvas.scale);
    const bottom = Math.round((box.y + box.height) * canvas.scale);
    for (let y = Math.round(box.y * canvas.scale); y < bottom; y += 1) {
      dark.fill(1, y * width + Math.round(box.x * canvas.scale), y * width + right);
    }
  }
  return { width, height, isDark: (x, y) => dark[y * width + x] === 1 };
}

const DOTS_PER_POINT = 200 / 72;

/**
 * The pages of one of our PDF documents as a printer of 200 dots per inch paints them: its content streams are read,
 * their transformations followed, and every filled rectangle painted. Text is left out.
 */
export function pagesOfPdf(pdf: Buffer): Pixels[] {
  return contentStreams(pdf).map((content) =>
    paint(filledBoxes(content), { width: 595.28, height: 841.89, scale: DOTS_PER_POINT }),
  );
}

/** The text operators and drawing operators of each page. */
export function contentStreams(pdf: Buffer): string[] {
  const streams: string[] = [];
  let at = 0;
  for (;;) {
    const start = pdf.indexOf('stream\n', at);
    if (start < 0) break;
    const end = pdf.indexOf('endstream', start);
    const raw = pdf.subarray(start + 7, end);
    at = end + 9;
    try {
      const content = inflateSync(raw).toString('latin1');
      if (/ re\b/.test(content)) streams.push(content);
    } catch {
      // A stream that is not compressed is not a page's content.
    }
  }
  return streams;
}

type Matrix = readonly [number, number, number, number, number, number];

/** Follows `q`, `Q`, `cm`, `re` and the painting operators; everything we draw is upright. */
function filledBoxes(content: string): Box[] {
  const filled: Box[] = [];
  const stack: Matrix[] = [];
  let matrix: Matrix = [1, 0, 0, 1, 0, 0];
  let path: Box[] = [];
  let operands: number[] = [];
  for (const token of content.split(/\s+/)) {
    const number = Number(token);
    if (token !== '' && !Number.isNaN(number)) {
      operands.push(number);
      continue;
    }
    if (token === 'q') stack.push(matrix);
    else if (token === 'Q') matrix = stack.pop() ?? matrix;
    else if (token === 'cm') matrix = multiply(operands, matrix);
    else if (token === 're') path.push(place(operands, matrix));
    else if (token === 'f') filled.push(...path);
    if (/^(f|S|n|B)$/.test(token)) path = [];
    operands = [];
  }
  return filled;
}

function multiply(operands: readonly number[], [ma, , , md, me, mf]: Matrix): Matrix {
  const [a = 1, , , d = 1, e = 0, f = 0] = operands.slice(-6);
  return [a * ma, 0, 0, d * md, e * ma + me, f * md + mf];
}

/** In points from the top left corner. */
function place(operands: readonly number[], [a, , , d, e, f]: Matrix): Box {
  const [x = 0, y = 0, width = 0, height = 0] = operands.slice(-4);
  const [left, right] = [x * a + e, (x + width) * a + e].toSorted((one, other) => one - other);
  const [low, high] = [y * d + f, (y + height) * d + f].toSorted((one, other) => one - other);
  const top = 841.89 - (high ?? 0);
  return { x: left ?? 0, y: top, width: (right ?? 0) - (left ?? 0), height: (high ?? 0) - (low ?? 0) };
}

/** A part of a picture, in millimetres from the top left corner of the paper. */
export function crop(pixels: Pixels, box: Box): Pixels {
  const scale = (DOTS_PER_POINT * 72) / 25.4;
  const left = Math.round(box.x * scale);
  const top = Math.round(box.y * scale);
  return {
    width: Math.round(box.width * scale),
    height: Math.round(box.height * scale),
    isDark: (x, y) => pixels.isDark(left + x, top + y),
  };
}
