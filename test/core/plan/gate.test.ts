/** Gated pairs: rules, work, bytes, registers and default schedules. */
import assert from 'node:assert/strict';
import { resolve, resolveWithOrigin } from '../../../src/core/defaults/resolve';
import { emit } from '../../../src/core/kernel/emit';
import { sizeNeeds } from '../../../src/core/kernel/file/sizeNeeds';
import { memoryLevels } from '../../../src/core/memory/memoryLevels';
import { isLegal, plan } from '../../../src/core/plan/planner';
import type { Plan, Violation } from '../../../src/core/plan/plan';
import { compulsoryBytes, epilogueBytes, uncachedBytes } from '../../../src/core/plan/traffic';
import { workspaceBytes } from '../../../src/core/plan/workspace';
import { analyze } from '../../../src/core/report/analyze';
import type { EpilogueOps } from '../../../src/core/spec/epilogue';
import { flops } from '../../../src/core/spec/resolved';
import { ALGORITHMS, TARGETS, type GemmSpec, type Target } from '../../../src/core/spec/schema';
import { toSpec } from '../../../src/core/spec/toSpec';
import { H200, legal } from '../../helpers/cudaKernels';

const GATE: EpilogueOps = [{ op: 'gate' }];
const TILED = {
  algorithm: 'thread-tile-2d',
  block: { m: 64, n: 64, k: 8 },
  thread: { m: 4, n: 4 },
} as const;

const gatedSpec = (
  problem: Partial<GemmSpec['problem']> = {},
  schedule: GemmSpec['schedule'] = TILED,
): GemmSpec => ({
  problem: { m: 256, n: 192, k: 128, epilogue: GATE, ...problem },
  schedule,
});
const plain = (spec: GemmSpec): GemmSpec => {
  const { m, n, k, batch = 1, a, b } = spec.problem;
  const given = { ...(a === undefined ? {} : { a }), ...(b === undefined ? {} : { b }) };
  return { ...spec, problem: { m, n, k, batch, ...given } };
};
const violationsOf = (spec: GemmSpec, target: Target = 'cuda'): readonly Violation[] => {
  const planned = plan(resolve({ ...spec, targets: [target] }), target);
  return planned.ok ? [] : planned.violations;
};
const planOf = (spec: GemmSpec): Plan => legal(spec).plan;
const placesOf = (spec: GemmSpec): readonly (readonly [string, unknown])[] =>
  violationsOf(spec).map(({ path, nearest }) => [path, nearest]);

describe('rules of a gate', () => {
  it('allow it as the first operation only', () => {
    assert.deepEqual(placesOf(gatedSpec({ epilogue: [{ op: 'gate' }, { op: 'relu' }] })), []);
    assert.deepEqual(placesOf(gatedSpec({ epilogue: [{ op: 'relu' }, { op: 'gate' }] })), [
      ['problem.epilogue.1', null],
    ]);
    assert.deepEqual(placesOf(gatedSpec({ epilogue: [{ op: 'gate' }, { op: 'gate' }] })), [
      ['problem.epilogue.1', null],
    ]);
  });

  it('require beta = 0, since neither product includes C', () => {
    assert.deepEqual(placesOf(gatedSpec({ alpha: 2, beta: 0 })), []);
    const [violation] = violationsOf(gatedSpec({ beta: 0.5 }));
    assert.deepEqual([violation?.path, violation?.nearest], ['problem.beta', 0]);
    assert.match(violation?.message ?? '', /residual after the gate/);
  });

  it('require the layout of B and a sufficient leading dimension', () => {
    const of = (layout: 'row' | 'col', ld?: number) =>
      placesOf(
        gatedSpec({
          b: { layout: 'col' },
          epilogue: [{ op: 'gate', layout, ...(ld === undefined ? {} : { ld }) }],
        }),
      );
    assert.deepEqual(of('col'), []);
    assert.deepEqual(of('col', 128), []);
    assert.deepEqual(of('row'), [['problem.epilogue.0.layout', 'col']]);
    assert.deepEqual(of('col', 127), [['problem.epilogue.0.ld', 128]]);
  });

  it('require floating-point accumulators', () => {
    const int8 = { dtype: 's8' } as const;
    const [violation] = violationsOf(gatedSpec({ a: int8, b: int8, c: { dtype: 's32' } }));
    assert.equal(violation?.path, 'problem.epilogue');
  });

  it('allow warp groups with at most 128 columns, without copies, split-K and swapped operands', () => {
    const of = (
      schedule: NonNullable<GemmSpec['schedule']> = {},
      problem: Partial<GemmSpec['problem']> = {},
    ) =>
      placesOf(
        gatedSpec(
          { a: { dtype: 'bf16' }, b: { dtype: 'bf16' }, ...problem },
          { algorithm: 'wgmma', block: { m: 128, n: 128, k: 64 }, ...schedule },
        ),
      );
    const groups = { consumers: 2, kernelSchedule: 'cooperative' } as const;
    assert.deepEqual(of(groups), []);
    assert.deepEqual(
      of({ ...groups, block: { m: 128, n: 160, k: 64 } }).map(([path]) => path),
      ['schedule.block.n'],
    );
    const pingpong = (n: number) => ({ consumers: 2, block: { m: 128, n, k: 64 } });
    assert.deepEqual(of(pingpong(64)), []);
    assert.deepEqual(
      of(pingpong(96)).map(([path]) => path),
      ['schedule.block.n'],
    );
    const small = { block: { m: 64, n: 64, k: 64 } };
    assert.deepEqual(of(small), []);
    assert.deepEqual(of({ ...small, operandOrder: 'ba' }), [['schedule.operandOrder', 'ab']]);
    assert.deepEqual(of({ ...small, splitK: 2 }), [['schedule.splitK', 1]]);
    assert.deepEqual(of(small, { b: { dtype: 'bf16', ld: 193 } }), [['schedule.algorithm', 'mma']]);
    assert.deepEqual(of(small, { epilogue: [{ op: 'gate', ld: 193 }] }), [
      ['problem.epilogue.0.ld', 200],
    ]);
  });

  it('count the second B as a storage buffer of WebGPU', () => {
    const biases = Array.from({ length: 5 }, () => ({ op: 'bias', along: 'n' }) as const);
    assert.deepEqual(
      violationsOf(gatedSpec({ epilogue: [...GATE, ...biases.slice(1)] }), 'wgsl'),
      [],
    );
    const [violation] = violationsOf(gatedSpec({ epilogue: [...GATE, ...biases] }), 'wgsl');
    assert.match(violation?.message ?? '', /5 operands; it has 6/);
  });
});

describe('work of a gate', () => {
  it('has two products and the bytes of a second B', () => {
    const spec = gatedSpec({ batch: 3, a: { dtype: 'f16' }, b: { dtype: 'f16' } });
    const [gated, single] = [resolve(spec).problem, resolve(plain(spec)).problem];
    assert.equal(flops(gated), 2 * flops(single));
    assert.equal(flops(gated), 4 * 256 * 192 * 128 * 3);
    assert.equal(compulsoryBytes(gated) - compulsoryBytes(single), 3 * 128 * 192 * 2);
    assert.equal(epilogueBytes(gated), 0);
  });

  it('loads the second B once per row of tiles, as B', () => {
    const spec = gatedSpec();
    const difference = uncachedBytes(planOf(spec)) - uncachedBytes(planOf(plain(spec)));
    assert.equal(difference, 4 * 128 * 192 * (256 / 64));
    const of = (given: GemmSpec) => {
      const kernel = legal(given);
      const analysis = analyze(kernel, { device: 'h200' });
      return new Map(
        memoryLevels(kernel, analysis, H200).levels.map(({ level, bytes }) => [level, bytes.value]),
      );
    };
    const [gated, single] = [of(spec), of(plain(spec))];
    assert.equal(gated.get('l2')! - single.get('l2')!, difference);
    assert.equal(gated.get('registers'), 2 * single.get('registers')!);
  });

  it('has twice the accumulators, shared tiles of B and partial results', () => {
    const spec = gatedSpec();
    const [gated, single] = [planOf(spec), planOf(plain(spec))];
    assert.equal(gated.sharedBytes - single.sharedBytes, 64 * 8 * 4);
    assert.equal(gated.registersEstimate - single.registersEstimate, 16 + 4);
    const split = gatedSpec({}, { ...TILED, splitK: 4 });
    assert.equal(workspaceBytes(planOf(split), 'f32'), 2 * 4 * 256 * 192 * 4);
  });

  it('takes about twice the predicted time of one product', () => {
    const large = { m: 4096, n: 4096, k: 4096 };
    const time = (spec: GemmSpec): number =>
      analyze(legal(spec), { device: 'h200' }).prediction?.milliseconds.value ?? NaN;
    const ratio = time(gatedSpec(large)) / time(plain(gatedSpec(large)));
    assert.ok(ratio > 1.5 && ratio < 2.3, String(ratio));
  });

  it('narrows the accesses of B to the leading dimension of the second B', () => {
    const schedule = {
      algorithm: 'vectorized',
      block: { m: 64, n: 64, k: 8 },
      thread: { m: 4, n: 4 },
      vector: 4,
    } as const;
    const widthOf = (ld: number): number | undefined => {
      const { family, ...planned } = planOf(
        gatedSpec({ epilogue: [{ op: 'gate', ld }] }, schedule),
      );
      return family === 'simt' && 'lanes' in planned ? planned.lanes?.b.width : undefined;
    };
    assert.deepEqual([192, 196, 194, 193].map(widthOf), [4, 4, 2, 1]);
    const needs = sizeNeeds(legal(gatedSpec({}, schedule)));
    assert.equal(needs.alignments.epilogue0, 16);
    assert.ok(needs.narrow.includes('epilogue0'));
  });
});

describe('kernels with a gate', () => {
  it('multiply both products in one loop, which loads A once', () => {
    const { source } = legal(gatedSpec({ epilogue: [{ op: 'gate', act: 'gelu' }] }));
    assert.match(
      source,
      /acc\[m\]\[n\] \+= a\[m\] \* b\[n\];\s+accUp\[m\]\[n\] \+= a\[m\] \* bUp\[n\];/,
    );
    assert.equal(source.match(/ = A\[/g)?.length, 1);
    assert.match(source, /gelu\(acc\[m\]\[n\]\) \* accUp\[m\]\[n\]/);
    assert.match(source, /C = gelu\(A \* B\) \* \(A \* B2\)/);
    assert.match(source, /epilogue0 is B2, K x N elements of type f32, row-major/);
  });
});

describe('warp-group kernels with a gate', () => {
  const wide = gatedSpec(
    { a: { dtype: 'bf16' }, b: { dtype: 'bf16', layout: 'col' }, alpha: 2 },
    { algorithm: 'wgmma', block: { m: 128, n: 80, k: 64 }, consumers: 2 },
  );

  it('compute both products with one instruction, whose tiles of B are adjacent', () => {
    const { source, arguments: args, tensorMaps } = legal(wide);
    assert.match(source, /wgmma\.mma_async\.sync\.aligned\.m64n160k16/);
    assert.match(source, /tmaLoad\(b \+ B_BYTES \/ 2, mapB2, barrier, k, tile\.n\)/);
    assert.match(
      source,
      /silu\(alpha \* products\[m\]\[i\]\) \* \(alpha \* products\[m\]\[BN \/ 2 \+ i\]\)/,
    );
    assert.ok(args.includes('tensorMapB2') && !args.includes('epilogue0'));
    assert.deepEqual(tensorMaps?.gate, tensorMaps?.b);
    assert.equal(sizeNeeds(legal(wide)).alignments.epilogue0, 16);
  });

  it('take the shared memory and the predicted time of twice the columns', () => {
    const single = {
      ...plain(wide),
      schedule: { ...wide.schedule, block: { m: 128, n: 160, k: 64 } },
    };
    const of = (spec: GemmSpec, n: number): number => {
      const problem = { ...spec.problem, m: 4096, n, k: 4096 };
      const { plan: planned, ...kernel } = legal({ ...spec, problem });
      assert.equal(planned.family, 'wgmma');
      const prediction = analyze({ ...kernel, plan: planned }, { device: 'h200' }).prediction;
      return prediction?.milliseconds.value ?? NaN;
    };
    const ratio = of(wide, 4096) / of(single, 8192);
    assert.ok(ratio > 0.9 && ratio < 1.05, String(ratio));
  });
});

describe('specs with a gate', () => {
  it('resolve to SiLU and the layout of B, and omit these defaults again', () => {
    const spec = gatedSpec({ b: { layout: 'col' } });
    const resolved = resolve(spec);
    assert.deepEqual(resolved.problem.epilogue, [
      { op: 'gate', act: 'silu', layout: 'col', ld: 128, dtype: 'f32' },
    ]);
    assert.deepEqual(toSpec(resolved).problem.epilogue, GATE);
    const other: EpilogueOps = [{ op: 'gate', act: 'relu', layout: 'row', ld: 200 }];
    const again = toSpec(resolve(gatedSpec({ b: { layout: 'col' }, epilogue: other })));
    assert.deepEqual(again.problem.epilogue, other);
  });

  it('get a legal default schedule for every type, shape, target and algorithm', () => {
    const shapes = [
      { m: 4096, n: 4096, k: 4096 },
      { m: 1, n: 4096, k: 4096 },
      { m: 16, n: 14_336, k: 4096 },
      { m: 100, n: 77, k: 33 },
    ];
    for (const device of ['h200', 'rtx-4090'] as const)
      for (const dtype of ['f32', 'f16', 'bf16', 'tf32', 'e4m3', 'f64'] as const)
        for (const shape of shapes) {
          const operand = { dtype, layout: 'col' } as const;
          const c = dtype === 'e4m3' ? { c: { dtype: 'bf16' } as const } : {};
          const problem = { ...shape, a: { dtype }, b: operand, ...c, epilogue: GATE };
          const targets = dtype === 'f32' || dtype === 'f16' ? TARGETS : (['cuda'] as const);
          for (const target of targets) {
            const { resolved } = resolveWithOrigin({ problem, device, targets: [target] });
            assert.ok(isLegal(resolved, target), JSON.stringify([resolved, target]));
          }
        }
    const size = { m: 512, n: 512, k: 512 };
    for (const algorithm of ALGORITHMS) {
      const shape = algorithm === 'gemv' ? { ...size, m: 1 } : size;
      const half = algorithm.endsWith('mma')
        ? ({ a: { dtype: 'f16' }, b: { dtype: 'f16' } } as const)
        : {};
      const problem = { ...shape, ...half, epilogue: GATE };
      const planned = plan(resolve({ problem, schedule: { algorithm } }), 'cuda');
      assert.ok(planned.ok, JSON.stringify(planned));
      assert.ok(emit(planned.plan).source.includes('epilogue0'));
    }
  });
});
