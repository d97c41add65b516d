/**
 * What a spec without a schedule gets where an adapter is told: what was measured on its family,
 * else what others found.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  ADAPTER_FAMILIES,
  type Adapter,
} from '../../../../src/core/defaults/dispatch/adapterFamily';
import { check } from '../../../../src/core/defaults/check';
import { plan } from '../../../../src/core/plan/planner';
import { resolve, resolveWithOrigin, withoutTables } from '../../../../src/core/defaults/resolve';
import { toSpec } from '../../../../src/core/spec/toSpec';
import { sameJson } from '../../../../src/core/spec/sameJson';
import type { GemmSpec } from '../../../../src/core/spec/schema';
import { LARGE, row, SMALL, tables } from './tables';
import { runs } from '../../../helpers/depth';

const cube = (size: number) => ({ m: size, n: size, k: size });
const on = (family: Adapter['family'], device?: string): Adapter => ({
  family,
  ...(device === undefined ? {} : { device }),
});

describe('the default of an adapter', () => {
  it("is legal under WebGPU's default limits, whatever the problem is", () => {
    const size = fc.oneof(fc.integer({ min: 1, max: 5000 }), fc.constantFrom(64, 1024, 4096));
    const layout = fc.constantFrom('row' as const, 'col' as const);
    const problems = fc.record({
      m: size,
      n: size,
      k: size,
      batch: fc.integer({ min: 1, max: 3 }),
      a: fc.record({ layout, dtype: fc.constantFrom('f32' as const, 'f16' as const) }),
      b: fc.record({ layout }),
      c: fc.record({ layout }),
      beta: fc.constantFrom(0, 2),
    });
    const families = fc.constantFrom(...ADAPTER_FAMILIES);
    fc.assert(
      fc.property(problems, families, (problem, family) => {
        const { resolved, found } = resolveWithOrigin({ problem }, undefined, on(family));
        const without = resolve({ problem });
        if (found === null || sameJson(resolved, without)) return;
        assert.ok(plan(resolved, 'wgsl').ok, JSON.stringify(resolved));
        assert.deepEqual(resolved.targets, ['wgsl']);
        // Nobody needs the adapter again: kernels and files hold the schedule.
        assert.deepEqual(resolve(toSpec(resolved)), resolved);
      }),
      { ...runs(300) },
    );
  });

  it('is what others published where nothing was measured, and that is said', () => {
    const from = (family: Adapter['family'], size: number) =>
      check({ problem: cube(size) }, undefined, on(family)).scheduleFrom;
    for (const family of ['apple', 'intel', 'amd'] as const) {
      for (const size of [64, 1024, 4096]) {
        const { from: kind, text } = from(family, size);
        assert.equal(kind, 'published', `${family} ${size}`);
        assert.match(
          text,
          /^Published for .* adapters, not measured by this project: .* \(.*\).*\.$/,
        );
      }
    }
    const threads = (family: Adapter['family'], size: number) =>
      resolve({ problem: cube(size) }, undefined, on(family)).schedule.thread;
    assert.deepEqual(threads('apple', 2048), { m: 4, n: 8 });
    assert.deepEqual(threads('apple', 48), { m: 4, n: 4 });
    assert.deepEqual(threads('amd', 2048), { m: 8, n: 8 });
  });

  it("is NVIDIA's from the H200's rows, scaled by SM count if the GPU is known", () => {
    const of = (device?: string) => {
      const { found } = resolveWithOrigin({ problem: cube(4096) }, undefined, on('nvidia', device));
      assert.ok(found !== null && 'kin' in found);
      return found;
    };
    const [h200, t4, unknown] = [of('h200'), of('t4'), of('nvidia ampere')];
    assert.deepEqual([h200.kin, t4.kin, unknown.kin], ['device', 'family', 'family']);
    assert.ok(t4.gflops < 0.5 * h200.gflops);
    assert.match(
      check({ problem: cube(4096) }, undefined, on('nvidia')).scheduleFrom.text,
      /from the table of NVIDIA H200 \(same adapter family, NVIDIA\), because this adapter has no suitable measurement\.$/,
    );
  });

  it('comes from the adapter itself before its family, and of NVIDIA from the nearest architecture', () => {
    const wgsl = { target: 'wgsl' as const };
    const hopper = row(1024, 9000, wgsl);
    const ampere = row(1024, 4000, {
      ...wgsl,
      device: 'rtx-3090',
      computeCapability: '8.6',
      schedule: SMALL,
    });
    const blockOn = (device: string) =>
      resolve({ problem: cube(1024) }, tables(hopper, ampere), on('nvidia', device)).schedule.block;
    assert.deepEqual(blockOn('h200'), LARGE.block);
    for (const device of ['rtx-3090', 't4']) assert.deepEqual(blockOn(device), SMALL.block);
  });

  it('is as without an adapter where nothing is known of its family, or WGSL is not asked for', () => {
    const bare: GemmSpec = { problem: cube(2048) };
    assert.deepEqual(resolve(bare, undefined, on('qualcomm')), resolve(bare));
    const cuda: GemmSpec = { ...bare, targets: ['cuda'] };
    assert.deepEqual(resolve(cuda, undefined, on('apple')), resolve(cuda));
    const own: GemmSpec = { ...bare, schedule: { algorithm: 'naive' } };
    assert.deepEqual(resolve(own, undefined, on('apple')), withoutTables(own));
    const f64: GemmSpec = { problem: { ...cube(64), a: { dtype: 'f64' } } };
    assert.deepEqual(resolve(f64, undefined, on('apple')), resolve(f64));
  });
});
