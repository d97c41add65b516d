/** Animated PNG with a palette (PNG Specification, third edition). */
import { crc32, deflateSync } from 'node:zlib';

export interface AnimationFrame {
  /** Opaque colors as 0xAABBGGRR, row-major. */
  readonly pixels: Uint32Array;
  readonly milliseconds: number;
}

export interface AnimationSize {
  readonly width: number;
  readonly height: number;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Bit depth 8, palette, and the only methods of compression, filters and interlacing. */
const FORMAT = Buffer.from([8, 3, 0, 0, 0]);
/** Palette entry of a pixel that keeps the color of the preceding frames. */
const UNCHANGED = 0;
const MAX_COLORS = 255;
/** Disposal: none. Blending: over the preceding frames. */
const OVER = Buffer.from([0, 1]);

/** Encodes an animation that repeats forever. Rare colors are replaced by similar ones. */
export function animatedPng(size: AnimationSize, frames: readonly AnimationFrame[]): Buffer {
  const colors = frequentColors(frames);
  const indexOf = paletteIndex(colors);
  let sequence = 0;
  const body = frames.flatMap(({ pixels, milliseconds }, i) => {
    const before = frames[i - 1]?.pixels;
    const data = deflateSync(rowsOf(size, pixels, before, indexOf), { level: 9 });
    const control = [uint32(sequence++), sides(size), uint32(0), uint32(0), delay(milliseconds)];
    return [
      chunk('fcTL', ...control, OVER),
      // The data of the first frame is also the image of viewers without animation.
      i === 0 ? chunk('IDAT', data) : chunk('fdAT', uint32(sequence++), data),
    ];
  });
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', sides(size), FORMAT),
    chunk('acTL', uint32(frames.length), uint32(0)),
    chunk('PLTE', Buffer.from([0, 0, 0, ...colors.flatMap(channelsOf)])),
    chunk('tRNS', Buffer.from([0])),
    ...body,
    chunk('IEND'),
  ]);
}

const channelsOf = (color: number): readonly [red: number, green: number, blue: number] => [
  color & 0xff,
  (color >> 8) & 0xff,
  (color >> 16) & 0xff,
];

function frequentColors(frames: readonly AnimationFrame[]): readonly number[] {
  const counts = new Map<number, number>();
  for (const { pixels } of frames)
    for (const color of pixels) counts.set(color, (counts.get(color) ?? 0) + 1);
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .slice(0, MAX_COLORS)
    .map(([color]) => color);
}

/** Returns a function from a color to the index of the most similar color of the palette. */
function paletteIndex(colors: readonly number[]): (color: number) => number {
  const known = new Map(colors.map((color, i) => [color, i + 1]));
  const channels = colors.map(channelsOf);
  return color => {
    const found = known.get(color);
    if (found !== undefined) return found;
    const [red, green, blue] = channelsOf(color);
    const distances = channels.map(
      ([r, g, b]) => (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2,
    );
    const nearest = 1 + distances.indexOf(Math.min(...distances));
    known.set(color, nearest);
    return nearest;
  };
}

/** Returns the rows, each after the number of its filter (0: none). */
function rowsOf(
  { width, height }: AnimationSize,
  pixels: Uint32Array,
  before: Uint32Array | undefined,
  indexOf: (color: number) => number,
): Buffer {
  const rows = Buffer.alloc((width + 1) * height);
  pixels.forEach((color, i) => {
    const at = Math.floor(i / width) * (width + 1) + 1 + (i % width);
    rows[at] = color === before?.[i] ? UNCHANGED : indexOf(color);
  });
  return rows;
}

const sides = ({ width, height }: AnimationSize): Buffer =>
  Buffer.concat([uint32(width), uint32(height)]);

/** Returns a duration as a fraction of a second. */
function delay(milliseconds: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt16BE(milliseconds, 0);
  bytes.writeUInt16BE(1000, 2);
  return bytes;
}

function chunk(type: string, ...parts: readonly Buffer[]): Buffer {
  const data = Buffer.concat(parts);
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([uint32(data.length), named, uint32(crc32(named))]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
