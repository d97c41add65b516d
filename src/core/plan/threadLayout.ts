/** Thread layouts in CuTe notation (shape:stride). They map a tile coordinate to a thread index. */
import { parseLayout } from '../layout/evaluate';
import { modesOf, type IntTuple } from '../layout/intTuple';
import type { ResolvedSchedule } from '../spec/resolved';

/** Thread layout with two modes. Coordinate (i, j) maps to thread i * stride[0] + j * stride[1]. */
export interface ThreadLayout {
  readonly shape: readonly [number, number];
  readonly stride: readonly [number, number];
}

export type ThreadLayouts = Readonly<Record<'a' | 'b' | 'c', ThreadLayout>>;

/**
 * Default layouts, from the simple GEMM of the CuTe tutorial: 256 threads, with M-major and N-major
 * copies.
 */
export const DEFAULT_THREAD_LAYOUTS = {
  a: '(32,8):(1,32)',
  b: '(32,8):(1,32)',
  c: '(16,16):(1,16)',
} as const;

/**
 * Cache of parsed layouts. Planning and the search for legal tiles parse the same few layouts
 * repeatedly.
 */
const parsed = new Map<string, ThreadLayout | null>();
const MAX_PARSED = 64;

/**
 * Parses a layout such as `(32,8):(1,32)`. Returns null if the text is not a layout with two modes.
 */
export function parseThreadLayout(text: string): ThreadLayout | null {
  const before = parsed.get(text);
  if (before !== undefined) return before;
  if (parsed.size >= MAX_PARSED) parsed.clear();
  const layout = read(text);
  parsed.set(text, layout);
  return layout;
}

function read(text: string): ThreadLayout | null {
  const layout = parseLayout(text);
  if (layout === null) return null;
  const [s0, s1, ...others] = modesOf(layout.shape);
  const [d0, d1] = modesOf(layout.stride);
  return isExtent(s0) && isExtent(s1) && isExtent(d0) && isExtent(d1) && others.length === 0
    ? { shape: [s0, s1], stride: [d0, d1] }
    : null;
}

const isExtent = (mode: IntTuple | undefined): mode is number => typeof mode === 'number';

/** Returns the thread layouts of a schedule; null if a layout is missing or invalid. */
export function threadLayoutsOf({ threadLayout }: ResolvedSchedule): ThreadLayouts | null {
  const layout = (text = '') => parseThreadLayout(text);
  const [a, b, c] = [threadLayout?.a, threadLayout?.b, threadLayout?.c].map(layout);
  return a && b && c ? { a, b, c } : null;
}
