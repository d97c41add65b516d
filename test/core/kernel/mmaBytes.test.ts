/**
 * `mma` of CUDA on floats of 8 bits: which GPUs have it, its instruction, its defaults, and its
 * fragments lane by lane.
 */
import assert from 'node:assert/strict';
import { matrixPlanIn } from '../../../src/core/plan/family';
import { emit } from '../../../src/core/kernel/emit';
import { plan } from '../../../src/core/plan/planner';
import { simulateBackend } from '../../../src/core/simulate/backend';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { CONTEXT } from '../../helpers/context';

type Problem = GemmSpec['problem'];
const TYPES = ['e4m3', 'e5m2'] as const;

const planned = (problem: Partial<Problem>, device = 'h200', schedule: object = {}) =>
  plan(
    resolve({
      problem: { m: 64, n: 64, k: 128, b: { layout: 'col' }, ...problem },
      device,
      schedule: { algorithm: 'mma', ...schedule },
    }),
    'cuda',
  );

function kernelOf(...given: Parameters<typeof planned>) {
  const found = planned(...given);
  assert.ok(found.ok, JSON.stringify(found));
  return emit(found.plan);
}

const SMALL = { block: { m: 32, n: 64, k: 64 }, warp: { m: 32, n: 32 } };

describe('mma of floats of 8 bits', () => {
  it('requires compute capability 8.9, K extent 32 and f32 accumulation', () => {
    for (const dtype of TYPES) {
      const { source } = kernelOf({ a: { dtype } }, 'rtx-4090');
      assert.ok(source.includes(`m16n8k32.row.col.f32.${dtype}.${dtype}.f32`));
      assert.ok(source.includes('#include <cuda_fp8.h>'));
      const before = planned({ a: { dtype } }, 'a100-sxm-80gb');
      assert.ok(!before.ok);
      assert.match(
        before.violations.map(({ message }) => message).join(),
        /requires compute capability 8\.9/,
      );
    }
  });

  it('needs K to be contiguous in both: no load turns bytes over', () => {
    const found = planned({ a: { dtype: 'e5m2', layout: 'col' } }, 'h200', SMALL);
    assert.ok(!found.ok);
    assert.deepEqual(
      found.violations.map(({ rule, path, nearest }) => [rule, path, nearest]),
      [['matrix-layout', 'problem.a.layout', 'row']],
    );
    assert.ok(!planned({ a: { dtype: 'e4m3' }, b: { dtype: 'e5m2', layout: 'col' } }).ok);
  });

  it('has narrower warps by default where compilers convert it to f16, which takes registers', () => {
    const of = (device: string) => {
      const found = planned({ m: 4096, n: 4096, k: 4096, a: { dtype: 'e4m3' } }, device);
      assert.ok(found.ok, JSON.stringify(found));
      return matrixPlanIn(found.plan)?.warp;
    };
    assert.deepEqual(of('h200'), { m: 64, n: 32 });
    assert.deepEqual(of('rtx-4090'), { m: 64, n: 64 });
  });

  it('deals fragments as the PTX ISA does, past the edge and into other types', async () => {
    for (const dtype of TYPES)
      for (const problem of [
        {},
        { m: 37, n: 41, k: 71 },
        { m: 50, k: 96, c: { dtype: 'bf16' }, alpha: 2, beta: 1 },
      ] as const) {
        const runnable = kernelOf({ a: { dtype }, ...problem }, 'h200', SMALL);
        const { outcome, message = '' } = await simulateBackend.run(
          { runnable, mode: 'verify', seed: 5 },
          CONTEXT,
        );
        assert.equal(outcome, 'correct', `${dtype} ${JSON.stringify(problem)} ${message}`);
      }
  });
});
