/**
 * f32 by splitting in `mma`: both sides of its limits, its defaults, its text, its analysis and its
 * space.
 */
import assert from 'node:assert/strict';
import { rooflineOfLevels } from '../../../src/core/roofline/levelRoofline';
import { deviceOf } from '../../../src/core/hardware/devices';
import { analyze } from '../../../src/core/report/analyze';
import { fragmentMaps, type Holder } from '../../../src/core/charts/fragmentMap';
import { scorerFor } from '../../../src/core/search/tune/order';
import { defaultSpace } from '../../../src/core/search/tune/space';
import { SPLITS } from '../../../src/core/plan/fp32Emulation';
import type { Violation } from '../../../src/core/plan/plan';
import { plan } from '../../../src/core/plan/planner';
import { check } from '../../../src/core/defaults/check';
import { DTYPE_BYTES } from '../../../src/core/types/dtype';
import { resolve } from '../../../src/core/defaults/resolve';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { kernelOf, planOf, SPLIT_NAMES, splitSpec, type Split } from '../../helpers/splitSpecs';
import { specKey } from '../../../src/core/plan/specKey';

const LAYOUTS = ['row', 'col'] as const;
const LAYOUT_PAIRS = LAYOUTS.flatMap(a => LAYOUTS.map(b => ({ a, b })));

function broken(spec: GemmSpec): readonly unknown[] {
  const found = plan(resolve(spec), 'cuda');
  assert.ok(!found.ok && found.violations.length === 1, JSON.stringify(found));
  const [{ rule, path, nearest }] = found.violations as readonly [Violation];
  return [rule, path, nearest];
}

describe('mma with FP32 emulation', () => {
  it('is legal if tensor cores support the split terms, and reports what is missing otherwise', () => {
    for (const split of SPLIT_NAMES) {
      for (const device of ['h200', 'a100-sxm-80gb', 'rtx-4090', 'b200'])
        planOf(splitSpec(split, {}, {}, device));
      assert.deepEqual(check(splitSpec(split)).legal, ['cuda']);
      const deep = { mma: { m: 16, n: 8, k: 32 }, stages: 3 };
      assert.deepEqual(broken(splitSpec(split, {}, deep)).slice(0, 2), [
        'matrix-shape',
        'schedule.mma',
      ]);
    }
    const t4 = plan(resolve({ ...splitSpec('bf16x6', {}, {}, 't4'), targets: ['cuda'] }), 'cuda');
    assert.ok(!t4.ok);
    const [first] = t4.violations;
    assert.deepEqual([first?.rule, first?.path, first?.nearest], ['matrix-type', 'device', 'h200']);
    assert.match(first?.message ?? '', /bf16 on tensor cores requires compute capability 8\.0/);
  });

  it('splits only f32, with f32 accumulation', () => {
    const tensor = { mma: { m: 16, n: 8, k: 16 }, stages: 3 };
    const { split, ...whole } = splitSpec('bf16x6', {}, tensor).schedule ?? {};
    assert.equal(split, 'bf16x6');
    assert.deepEqual(broken({ ...splitSpec('bf16x6'), schedule: whole }), [
      'matrix-type',
      'schedule.split',
      'bf16x6',
    ]);
    assert.deepEqual(broken(splitSpec('tf32x3', { a: { dtype: 'tf32' } })), [
      'matrix-type',
      'schedule.split',
      null,
    ]);
    assert.deepEqual(broken(splitSpec('bf16x3', { b: { dtype: 'f16' } })), [
      'matrix-type',
      'problem.b.dtype',
      'f32',
    ]);
    assert.deepEqual(broken(splitSpec('bf16x3', { accumulator: 'f64', c: { dtype: 'f64' } })), [
      'matrix-type',
      'problem.accumulator',
      'f32',
    ]);
    planOf(splitSpec('bf16x3', { c: { dtype: 'f16' } }));
  });

  it('is an unused field for subgroup matrices and other algorithms', () => {
    const of = (spec: GemmSpec, target: 'cuda' | 'wgsl') => {
      const found = plan(resolve(spec), target);
      return found.ok ? [] : found.violations.map(({ rule, path }) => `${rule} ${path}`);
    };
    const wgsl = { ...splitSpec('tf32x3'), targets: ['wgsl' as const] };
    assert.ok(of(wgsl, 'wgsl').includes('unused-field schedule.split'));
    const pipelined = { algorithm: 'pipelined', split: 'tf32x3' } as const;
    assert.deepEqual(of({ ...splitSpec('tf32x3'), schedule: pipelined }, 'cuda'), [
      'unused-field schedule.split',
    ]);
  });

  it('counts the registers of the split terms, which reduces the accumulators per warp', () => {
    const of = (split: Split, n: number, fragments: 1 | 2) =>
      splitSpec(
        split,
        { m: 128, n: 128, k: 128 },
        { block: { m: 128, n: 128, k: 32 }, warp: { m: 64, n }, fragments },
      );
    assert.deepEqual(broken(of('bf16x6', 64, 2)), ['registers', 'schedule.warp.m', 32]);
    planOf(of('bf16x6', 32, 2));
    const { registersEstimate } = planOf(of('bf16x6', 32, 1));
    assert.ok(registersEstimate > planOf(of('bf16x3', 32, 1)).registersEstimate);
  });

  it('has its own default tiles, stages and warps, which fit every GPU with support', () => {
    for (const split of SPLIT_NAMES)
      for (const size of [256, 4096])
        for (const device of ['h200', 'a100-sxm-80gb', 'rtx-4090']) {
          const problem = { m: size, n: size, k: size };
          const schedule = { algorithm: 'mma', split } as const;
          const found = planOf({ problem, schedule, device });
          assert.ok(found.family === 'mma');
          const { matrix, fragments, tile } = found;
          const stages = device === 'rtx-4090' ? 2 : 3;
          assert.deepEqual(tile, { m: 128, n: 128, k: 32 });
          assert.deepEqual(matrix.warp, { m: 64, n: 32 });
          assert.deepEqual([fragments.stages, fragments.buffers], [stages, 1]);
          assert.equal(found.spilledEstimate.inner, 0);
        }
    const keys = SPLIT_NAMES.map(split => specKey(resolve(splitSpec(split))));
    assert.equal(new Set(keys).size, keys.length);
  });

  it('loads like tf32, without bank conflicts, for every layout', () => {
    for (const split of SPLIT_NAMES)
      for (const { a, b } of LAYOUT_PAIRS)
        for (const k of [16, 32]) {
          const problem = { m: 128, n: 128, k: 128, a: { layout: a }, b: { layout: b } };
          const kernel = kernelOf(splitSpec(split, problem, { block: { m: 64, n: 64, k } }));
          const { sharedMemory } = analyze(kernel, { device: 'h200' });
          const staged = sharedMemory.filter(({ operand }) => operand !== 'c');
          assert.ok(staged.length >= 4);
          for (const { site, conflictsPerRequest } of staged)
            assert.equal(conflictsPerRequest, 0, `${split} ${a} ${b} ${k} ${site}`);
        }
  });

  it('emits the MMAs of the split terms, the largest product last', () => {
    const texts = SPLIT_NAMES.map(split => kernelOf(splitSpec(split)).source);
    const instructions = texts.map(text => /mma\.sync\.aligned\.(\S+)/.exec(text)?.[1]);
    const bf16 = 'm16n8k16.row.col.f32.bf16.bf16.f32';
    assert.deepEqual(instructions, ['m16n8k8.row.col.f32.tf32.tf32.f32', bf16, bf16, bf16]);
    texts.forEach((text, i) => {
      const split = SPLITS[SPLIT_NAMES[i] ?? 'tf32x3'];
      const once = text.slice(
        text.indexOf('float partial[4] = {};'),
        text.indexOf('+= partial[i]'),
      );
      const products = [...once.matchAll(/mma\(partial, termsA\[(\d)\], termsB\[n\]\[(\d)\]\)/g)];
      assert.deepEqual(
        products.map(([, a, b]) => [Number(a), Number(b)]),
        split.products,
      );
      assert.deepEqual(split.products.at(-1), [0, 0]);
    });
  });

  it('holds each term once, with the same K order in A and B', () => {
    for (const split of SPLIT_NAMES)
      for (const k of SPLITS[split].dtype === 'tf32' ? [4, 8] : [8, 16]) {
        const found = planOf(splitSpec(split, {}, { mma: { m: 16, n: 8, k } }));
        const maps = fragmentMaps(found);
        const [a, b] = maps;
        assert.ok(a !== undefined && b !== undefined);
        assert.equal(a.bits, 8 * DTYPE_BYTES[SPLITS[split].dtype]);
        for (const { holders } of maps) {
          const held = holders.flat().map(one => `${one.lane} ${one.register} ${one.bit}`);
          assert.equal(new Set(held).size, held.length);
        }
        // The instruction meets elements of A and B that stand in the same word of lanes of a row
        // and a column.
        for (let depth = 0; depth < k; depth++) {
          const row: Holder | undefined = a.holders[0]?.[depth];
          const column: Holder | undefined = b.holders[depth]?.[0];
          assert.ok(row !== undefined && column !== undefined);
          assert.deepEqual(
            [row.lane % 4, row.bit, Math.floor(row.register / 2)],
            [column.lane % 4, column.bit, column.register],
          );
        }
      }
  });

  it('is bounded by its products on tensor cores', () => {
    const compute = (split: Split): number => {
      const kernel = kernelOf(splitSpec(split));
      const analysis = analyze(kernel, { device: 'h200' });
      const { roofline, prediction } = analysis;
      const [peak, ...others] = roofline.ceilings.filter(({ kind }) => kind === 'compute');
      assert.equal(others.length, 0);
      assert.ok(prediction !== null && prediction.tflops.value < (peak?.value ?? 0));
      const units = rooflineOfLevels(kernel, deviceOf('h200'), analysis)?.units;
      const [used] = units?.filter(one => one.used) ?? [];
      assert.deepEqual([used?.dtype, used?.peak.value], [SPLITS[split].dtype, peak?.value]);
      return peak?.value ?? 0;
    };
    const [bf16, six, nine] = [compute('bf16x3'), compute('bf16x6'), compute('bf16x9')];
    for (const [value, share] of [
      [six, 2],
      [nine, 3],
      [compute('tf32x3'), 2],
    ] as const)
      assert.ok(Math.abs(value * share - bf16) < 0.5);
  });

  it('is preserved by searches, which have schedules for it', () => {
    for (const split of ['tf32x3', 'bf16x6'] as const) {
      const problem = { m: 1024, n: 1024, k: 1024 };
      const schedule = { algorithm: 'mma', split } as const;
      const of = resolve({ problem, schedule, targets: ['cuda'], device: 'a100-sxm-80gb' });
      const all = [...defaultSpace(of, 'cuda').walk()];
      assert.ok(all.every(one => one.algorithm === 'mma' && one.split === split));
      const { score } = scorerFor(of, 'cuda');
      assert.ok(score(all).length > 100);
    }
  });
});
