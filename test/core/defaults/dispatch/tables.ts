/** Made-up tables: what a choice is made from, without what is true of any GPU. */
import {
  rowSteps,
  type DecodedRows,
  type DispatchRow,
} from '../../../../src/core/defaults/dispatch/row';
import type { DispatchTable } from '../../../../src/core/defaults/dispatch/table';
import { tablesOf } from '../../../../src/core/defaults/dispatch/table';

export const F32 = { a: 'f32', b: 'f32', c: 'f32', accumulator: 'f32' } as const;

export const schedule = (m: number, n: number): DispatchRow['schedule'] => ({
  algorithm: 'thread-tile-2d',
  block: { m, n, k: 8 },
  thread: { m: m / 16, n: n / 16 },
});
export const LARGE = schedule(128, 128);
export const SMALL = schedule(64, 64);

export function row(
  size: number | readonly [number, number, number],
  gflops: number,
  over: Partial<DispatchRow> = {},
): DispatchRow {
  const [m, n, k] = typeof size === 'number' ? [size, size, size] : size;
  return {
    device: 'h200',
    computeCapability: '9.0',
    target: 'cuda',
    types: F32,
    layouts: 'rrr',
    shape: { m, n, k, batch: 1 },
    schedule: LARGE,
    gflops,
    source: { record: 'a test' },
    ...over,
  };
}

export const tables = (...rows: readonly DispatchRow[]): readonly DispatchTable[] =>
  tablesOf({ rows, origin: 'shipped' });

/** Decodes a `dispatch.json`, the file of older versions. */
export function parseRows(text: string): DecodedRows {
  const steps = rowSteps(text);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
