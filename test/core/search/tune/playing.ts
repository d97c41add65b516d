/** A small problem and space, and a tune of them on a fake bench. */
import assert from 'node:assert/strict';
import { resolve } from '../../../../src/core/defaults/resolve';
import { transientStore, type MeasurementStore } from '../../../../src/core/search/tune/bench';
import type { TuneSummary } from '../../../../src/core/search/tune/events';
import { parseSpace } from '../../../../src/core/search/tune/spaceFile';
import { tune, type TuneContext, type TuneInput } from '../../../../src/core/search/tune/tune';
import { fakeContext, hashed, type FakeBench } from './fakeBench';

const spec = resolve({ problem: { m: 512, n: 512, k: 512 }, targets: ['cuda'] });
const LISTS = {
  algorithm: ['pipelined'],
  'block.k': [8, 16],
  stages: [2, 3, 4],
  padding: [null, { a: 4 }],
  warp: [
    { m: 64, n: 32 },
    { m: 32, n: 64 },
  ],
  'block.m': [64, 128],
  'block.n': [64, 128],
  minBlocksPerSm: [null, 2],
};
export const spaceOf = (lists: object): TuneInput['space'] => {
  const decoded = parseSpace(JSON.stringify(lists), { problem: spec.problem, schedule: {} });
  assert.ok(decoded.ok);
  return decoded.space;
};
const place = { backend: 'cuda', target: 'cuda', device: 'h200', gpus: ['fake'] } as const;
export const input = (more: Partial<TuneInput> = {}): TuneInput => ({
  spec,
  place,
  space: spaceOf(LISTS),
  seeds: [],
  notes: [],
  ...more,
});
/** Between 1 and 2 ms. */
export const timeOf = (specKey: string): number => 1 + hashed(specKey);

export const play = (
  bench: FakeBench,
  more: Partial<TuneInput> = {},
  context: Partial<TuneContext> = {},
  memory: MeasurementStore = transientStore(),
): Promise<TuneSummary> => tune(input(more), bench, memory, fakeContext(context));
