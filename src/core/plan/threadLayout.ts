/** Thread layouts in CuTe notation (shape:stride), from a tile coordinate to a thread index. */
import { parseLayout } from '../layout/evaluate';
import { modesOf, type IntTuple } from '../layout/intTuple';
import type { ResolvedSchedule } from '../spec/resolved';

/** The thread at (i, j) is i * stride[0] + j * stride[1]. */
export interface ThreadLayout {
  readonly shape: readonly [number, number];
  readonly stride: readonly [number, number];
}

export type ThreadLayouts = Readonly<Record<'a' | 'b' | 'c', ThreadLayout>>;

/** Default layouts of the CuTe tutorial's simple GEMM: 256 threads, copies M- and N-major. */
export const DEFAULT_THREAD_LAYOUTS = {
  a: '(32,8):(1,32)',
  b: '(32,8):(1,32)',
  c: '(16,16):(1,16)',
} as const;

/**
 * Cache of parsed texts: planning and the search for legal tiles parse the same few texts
 * repeatedly.
 */
const parsed = new Map<string, ThreadLayout | null>();
const MAX_PARSED = 64;

/** Parses `(32,8):(1,32)`; null if the text is not a layout of two modes. */
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

/** Returns the layouts of a schedule; null if one is missing or invalid. */
export function threadLayoutsOf({ threadLayout }: ResolvedSchedule): ThreadLayouts | null {
  const layout = (text = '') => parseThreadLayout(text);
  const [a, b, c] = [threadLayout?.a, threadLayout?.b, threadLayout?.c].map(layout);
  return a && b && c ? { a, b, c } : null;
}
