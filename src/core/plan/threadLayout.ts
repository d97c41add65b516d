/** Thread layouts in CuTe's notation: shape:stride, from a coordinate of a tile to a thread's index. */
import type { ResolvedSchedule } from '../spec/resolved';

/** Which thread stands at (i, j): i * stride[0] + j * stride[1]. */
export interface ThreadLayout {
  readonly shape: readonly [number, number];
  readonly stride: readonly [number, number];
}

export type ThreadLayouts = Readonly<Record<'a' | 'b' | 'c', ThreadLayout>>;

/** As the CuTe tutorial's simple GEMM has them: 256 threads, copies M- and N-major. */
export const DEFAULT_THREAD_LAYOUTS = {
  ...{ a: '(32,8):(1,32)', b: '(32,8):(1,32)', c: '(16,16):(1,16)' },
} as const;

const TEXT = /^\(_?(\d{1,4}),_?(\d{1,4})\):\(_?(\d{1,7}),_?(\d{1,7})\)$/;

/** Reads `(32,8):(1,32)`; null when the text is no layout of two modes. */
export function parseThreadLayout(text: string): ThreadLayout | null {
  const found = TEXT.exec(text.replaceAll(' ', ''));
  if (found === null) return null;
  const [s0 = 0, s1 = 0, d0 = 0, d1 = 0] = found.slice(1).map(Number);
  return s0 < 1 || s1 < 1 ? null : { shape: [s0, s1], stride: [d0, d1] };
}

export const sizeOf = ({ shape: [s0, s1] }: ThreadLayout): number => s0 * s1;

/** Whether each of the threads 0 .. size - 1 stands at exactly one coordinate. */
export function isCompact({ shape: [s0, s1], stride: [d0, d1] }: ThreadLayout): boolean {
  const columns = (s0 === 1 || d0 === 1) && (s1 === 1 || d1 === s0);
  const rows = (s1 === 1 || d1 === 1) && (s0 === 1 || d0 === s1);
  return columns || rows;
}

/** The layouts of a schedule; null where one is missing or no layout. */
export function threadLayoutsOf({ threadLayout }: ResolvedSchedule): ThreadLayouts | null {
  const read = (text: string | undefined) => (text === undefined ? null : parseThreadLayout(text));
  const [a, b, c] = [threadLayout?.a, threadLayout?.b, threadLayout?.c].map(read);
  return a && b && c ? { a, b, c } : null;
}
