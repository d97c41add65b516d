/** Four runs of one problem on one machine, and the message that shows them. */
import assert from 'node:assert/strict';
import { newest } from '../../scripts/page/samples';
import { emit } from '../../src/core/kernel/emit';
import { sourceHashOf } from '../../src/core/text/hash';
import { plan } from '../../src/core/plan/planner';
import { resolve } from '../../src/core/defaults/resolve';
import type { ToWebview } from '../../src/protocol';
import { timed } from './measurements';

export type Show = Extract<ToWebview, { type: 'show' }>;

export const spec: Show['spec'] = {
  problem: { m: 2048, n: 2048, k: 2048 },
  schedule: { algorithm: 'thread-tile-2d' },
};
export const resolved = resolve(spec);
const planned = plan(resolved, 'cuda');
assert.ok(planned.ok);
const kernel = emit(planned.plan);
const at = (minute: number) => `2026-01-01T00:${String(minute + 10)}:00Z`;
export const earlier = [500, 9300, 31_400].map((gflops, i) =>
  timed({ gflops, resolved, specKey: `other-${i}`, sourceHash: 'b'.repeat(64), at: at(i) }),
);
export const own = timed({
  gflops: 48_300,
  resolved,
  specKey: kernel.specKey,
  at: at(9),
  sourceHash: sourceHashOf(kernel),
});

export const show = (over: Partial<Show> = {}): Show => ({
  type: 'show',
  spec,
  name: 'first.gemm.json',
  trusted: true,
  backends: [],
  ...newest(),
  runs: [...earlier, own],
  ...over,
});
