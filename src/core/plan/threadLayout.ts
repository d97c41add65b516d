/** Thread layouts in CuTe's notation: shape:stride, from a coordinate of a tile to a thread's index. */
import { parseLayout } from '../layout/evaluate';
import { modesOf, type IntTuple } from '../layout/intTuple';
import type { ResolvedSchedule } from '../spec/resolved';

/** Which thread stands at (i, j): i * stride[0] + j * stride[1]. */
export interface ThreadLayout {
  readonly shape: readonly [number, number];
  readonly stride: readonly [number, number];
}

export type ThreadLayouts = Readonly<Record<'a' | 'b' | 'c', ThreadLayout>>;

/** As the CuTe tutorial's simple GEMM has them: 256 threads, copies M- and N-major. */
export const DEFAULT_THREAD_LAYOUTS = {
  a: '(32,8):(1,32)',
  b: '(32,8):(1,32)',
  c: '(16,16):(1,16)',
} as const;

/** What was read before: a plan, and the search for a legal one, read the same few texts again and again. */
const known = new Map<string, ThreadLayout | null>();
const MOST_KNOWN = 64;

/** Reads `(32,8):(1,32)`; null when the text is no layout of two modes. */
export function parseThreadLayout(text: string): ThreadLayout | null {
  const before = known.get(text);
  if (before !== undefined) return before;
  if (known.size >= MOST_KNOWN) known.clear();
  const layout = read(text);
  known.set(text, layout);
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

/** The layouts of a schedule; null where one is missing or no layout. */
export function threadLayoutsOf({ threadLayout }: ResolvedSchedule): ThreadLayouts | null {
  const layout = (text = '') => parseThreadLayout(text);
  const [a, b, c] = [threadLayout?.a, threadLayout?.b, threadLayout?.c].map(layout);
  return a && b && c ? { a, b, c } : null;
}
