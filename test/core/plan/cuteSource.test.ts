/** The layouts of a kernel as CuTe source: equal to the head of its file, and to its threads. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { valueTextOf } from '../../../src/core/layout/print';
import { cuteLayouts, cuteSource } from '../../../src/core/plan/cuteSource';
import { planIfLegal } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { runs } from '../../helpers/depth';
import { kernelFor } from '../../helpers/kernels';
import { specs } from '../../helpers/specs';

const TUTORIAL: GemmSpec = {
  problem: {
    m: 5120,
    n: 5120,
    k: 4096,
    a: { layout: 'col' },
    b: { layout: 'row' },
    c: { layout: 'col' },
  },
  schedule: { algorithm: 'layout' },
};

function layoutsOf(spec: GemmSpec): ReadonlyMap<string, string> {
  const plan = planIfLegal(resolve(spec), 'cuda');
  assert.ok(plan !== null);
  const named = cuteLayouts(plan);
  const before = cuteSource(named);
  return new Map(named.map(({ name }) => [name, valueTextOf(name, before)]));
}

describe('layouts of a kernel as CuTe source', () => {
  it('equal the layouts in the head of the kernel file', () => {
    const transposed = { ...TUTORIAL.problem, a: { layout: 'row' }, b: { layout: 'col' } } as const;
    for (const spec of [TUTORIAL, { ...TUTORIAL, problem: transposed }]) {
      const head = [...kernelFor(spec).source.matchAll(/^\/\/ {3}([mgst][ABC]) (\S+)$/gm)];
      assert.equal(head.length, 10);
      const layouts = layoutsOf(spec);
      for (const [, name = '', text] of head) assert.equal(layouts.get(name), text, name);
    }
    // The stride of K-major tiles along K is BK x _1, which is static too.
    assert.equal(
      layoutsOf({ ...TUTORIAL, problem: transposed }).get('gA'),
      '(_128,_8,512):(4096,_1,_8)',
    );
  });

  it('have the elements of thread 0, as the tutorial partitions them', () => {
    const layouts = layoutsOf(TUTORIAL);
    assert.equal(layouts.get('tAgA'), '(_4,_1,512):(_32,_0,40960)');
    assert.equal(layouts.get('tCsB'), '(_8,_8):(_16,_128)');
    assert.equal(layouts.get('tCgC'), '(_8,_8):(_16,81920)');
  });

  it('have a value for each legal kernel', () => {
    fc.assert(
      fc.property(specs, spec => {
        const plan = planIfLegal(resolve(spec), 'cuda');
        if (plan === null) return;
        const named = cuteLayouts(plan);
        const before = cuteSource(named);
        for (const { name } of named)
          assert.match(valueTextOf(name, before), /^\(.*\):\(.*\)$/, name);
        assert.deepEqual(
          named.slice(0, 6).map(({ name }) => name),
          ['mA', 'gA', 'mB', 'gB', 'mC', 'gC'],
        );
      }),
      { ...runs(100) },
    );
  });
});
