/** Sizes that the source of a kernel accepts besides the size of its spec. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { gridDims, type GridDim } from '../../../src/core/kernel/file/gridDims';
import { sizeNeeds, workspaceParts, type SizeNeeds } from '../../../src/core/kernel/file/sizeNeeds';
import { smallSize } from '../../../src/core/export/sizes';
import { emit } from '../../../src/core/kernel/emit';
import { isLowered, type Kernel, type KernelLaunch } from '../../../src/core/kernel/kernel';
import type { LoweredKernel } from '../../../src/core/kernel/kernel';
import { plan } from '../../../src/core/plan/planner';
import { resolve } from '../../../src/core/defaults/resolve';
import { epilogueOperands } from '../../../src/core/spec/epilogue';
import type { ResolvedProblem } from '../../../src/core/spec/resolved';
import type { GemmSpec } from '../../../src/core/spec/schema';
import { execute } from '../../../src/core/simulate/execute';
import { epilogueData, fillMatrix, poisonMatrix } from '../../../src/core/verify/inputs';
import { checkedOf } from '../../../src/core/verify/bound';
import { verifyResult } from '../../../src/core/verify/verify';
import { isEnough, runs } from '../../helpers/depth';
import { epilogueSpecs, warpGroupEpilogueSpecs } from '../../helpers/epilogues';
import { fragmentSpecs, gemvSpecs, matrixSpecs, specs } from '../../helpers/specs';
import { splitSpecs } from '../../helpers/splitSpecs';
import { warpGroupSpecs } from '../../helpers/warpGroupSpecs';

const kernelOf = (spec: GemmSpec, target: 'cuda' | 'wgsl'): Kernel | undefined => {
  const planned = plan(resolve(spec), target);
  return planned.ok ? emit(planned.plan) : undefined;
};

const targets = fc.constantFrom('cuda' as const, 'wgsl' as const);

type Extents = Pick<ResolvedProblem, 'm' | 'n' | 'k'>;

const packed = (problem: ResolvedProblem, extents: Extents): ResolvedProblem => {
  const sides = { a: ['m', 'k'], b: ['k', 'n'], c: ['m', 'n'] } as const;
  const operand = (name: 'a' | 'b' | 'c') => {
    const [rows, columns] = sides[name];
    const { layout } = problem[name];
    const ld = extents[layout === 'row' ? columns : rows];
    const batchStride = extents[rows] * extents[columns];
    return { ...problem[name], ld, batchStride };
  };
  const epilogue = problem.epilogue?.map(op => {
    if (op.op !== 'residual') return op;
    const along = op.layout === 'row' ? 'n' : 'm';
    // The leading dimension of a residual with gaps is fixed in the kernel.
    return op.ld === problem[along] ? { ...op, ld: extents[along] } : op;
  });
  return {
    ...problem,
    ...extents,
    a: operand('a'),
    b: operand('b'),
    c: operand('c'),
    ...(epilogue === undefined ? {} : { epilogue }),
  };
};

function supports({ multiples, leastK, slices }: SizeNeeds, problem: ResolvedProblem): boolean {
  const { a, b, c } = problem;
  const values = {
    m: problem.m,
    n: problem.n,
    k: problem.k,
    lda: a.ld,
    ldb: b.ld,
    ldc: c.ld,
    strideA: a.batchStride,
    strideB: b.batchStride,
    strideC: c.batchStride,
  };
  const iterations = slices === undefined ? 0 : Math.ceil(problem.k / slices.depth);
  return (
    multiples.every(({ role, of }) => values[role] % of === 0) &&
    problem.k >= leastK &&
    (slices === undefined ||
      Math.ceil(iterations / Math.ceil(iterations / slices.count)) === slices.count)
  );
}

const bytesOf = (kernel: Kernel, problem: ResolvedProblem): number =>
  workspaceParts(kernel).reduce((sum, { bytes, count, extents, padded }) => {
    const pitch =
      padded === undefined ? 1 : Math.ceil(problem[padded.role] / padded.to) * padded.to;
    return sum + extents.reduce((product, role) => product * problem[role], bytes * count * pitch);
  }, 0);

/** The launches of a kernel at another size, whose source is the same. */
function resized(kernel: LoweredKernel, problem: ResolvedProblem): LoweredKernel {
  const dimension = (dim: GridDim | undefined): number =>
    dim === undefined
      ? 1
      : (dim.side === undefined ? 1 : Math.ceil(problem[dim.side] / dim.per)) *
        dim.times *
        (dim.batch ? problem.batch : 1);
  const at = <L extends KernelLaunch>(launch: L): L => {
    const [x, y, z] = gridDims(kernel.plan, launch);
    return { ...launch, grid: { x: dimension(x), y: dimension(y), z: dimension(z) } };
  };
  const { before, after } = kernel;
  return {
    ...at(kernel),
    problem,
    ...(before === undefined ? {} : { before: before.map(at) }),
    ...(after === undefined ? {} : { after: after.map(at) }),
    ...(kernel.workspaceBytes === undefined ? {} : { workspaceBytes: bytesOf(kernel, problem) }),
  };
}

const twoPass = (splitK: number): GemmSpec => {
  const [row, col] = (['row', 'col'] as const).map(layout => ({ dtype: 'bf16' as const, layout }));
  return {
    problem: { m: 64, n: 2048, k: 16384, a: row, b: col, c: row },
    schedule: { algorithm: 'wgmma', splitK, splitKReduction: 'two-pass' },
  };
};

describe('sizes that a kernel supports', () => {
  for (const [name, drawn] of Object.entries({
    specs,
    splitSpecs,
    gemvSpecs,
    fragmentSpecs,
    matrixSpecs,
    epilogueSpecs,
  })) {
    it(`gives correct results at other sizes that it supports (${name})`, () => {
      let right = 0;
      fc.assert(
        fc.property(drawn, targets, fc.nat(96), fc.nat(96), fc.nat(96), (spec, target, m, n, k) => {
          const kernel = kernelOf({ ...spec, targets: [target] }, target);
          if (kernel === undefined || !isLowered(kernel)) return;
          const needs = sizeNeeds(kernel);
          const step = (role: 'm' | 'n' | 'k'): number =>
            Math.max(1, ...needs.multiples.flatMap(each => (each.role === role ? [each.of] : [])));
          const round = (value: number, by: number): number =>
            Math.max(1, Math.ceil(value / by)) * by;
          const extents = {
            m: round(m, step('m')),
            n: round(n, step('n')),
            k: round(k, step('k')),
          };
          if (extents.m * extents.n * extents.k > 2 ** 20) return;
          const problem = packed(kernel.problem, extents);
          if (!supports(needs, problem)) return;
          const c = problem.beta === 0 ? poisonMatrix(problem) : fillMatrix(problem, 'c', 1);
          const operands = epilogueOperands(problem);
          if (operands.some(each => each.ld < (each.layout === 'row' ? each.columns : each.rows)))
            return;
          const matrices = {
            a: fillMatrix(problem, 'a', 1),
            b: fillMatrix(problem, 'b', 1),
            c,
            epilogue: epilogueData(problem, 1),
          };
          for (const { findings } of execute(resized(kernel, problem), matrices)) {
            assert.deepEqual(findings, [], JSON.stringify({ spec, extents }));
          }
          const { mismatches } = verifyResult(checkedOf({ ...kernel, problem }), 1, c, {});
          assert.equal(mismatches, 0, JSON.stringify({ spec, extents }));
          right++;
        }),
        { ...runs(400, 40) },
      );
      assert.ok(isEnough(right, 20), `${right}`);
    });
  }

  it('computes the workspace of the spec from its parts', () => {
    let used = 0;
    fc.assert(
      fc.property(fc.oneof(warpGroupSpecs, splitSpecs), spec => {
        for (const target of ['cuda', 'wgsl'] as const) {
          const kernel = kernelOf(spec, target);
          if (kernel === undefined) continue;
          assert.equal(bytesOf(kernel, kernel.problem), kernel.workspaceBytes ?? 0);
          if (kernel.workspaceBytes !== undefined) used++;
        }
      }),
      { ...runs(2000, 200) },
    );
    assert.ok(isEnough(used, 50), `${used}`);
  });

  it('supports the size of its own spec', () => {
    fc.assert(
      fc.property(
        fc.oneof(specs, splitSpecs, warpGroupSpecs, fragmentSpecs, warpGroupEpilogueSpecs),
        spec => {
          for (const target of ['cuda', 'wgsl'] as const) {
            const kernel = kernelOf(spec, target);
            if (kernel === undefined) continue;
            const needs = sizeNeeds(kernel);
            const { slices } = needs;
            // Slices in a cluster differ by at most one k-iteration, so that none is empty.
            const checked = slices?.isEven === true ? { ...needs, slices: undefined } : needs;
            assert.ok(supports(checked as SizeNeeds, kernel.problem), JSON.stringify(spec));
          }
        },
      ),
      { ...runs(2000, 200) },
    );
  });

  it('supports the small size at which an export is tested', () => {
    let split = 0;
    fc.assert(
      fc.property(
        fc.oneof(specs, splitSpecs, warpGroupSpecs, fragmentSpecs, warpGroupEpilogueSpecs),
        // The small size has a smaller K than a spec with a large one.
        fc.constantFrom(1, 8, 64),
        (drawn, factor) => {
          const { problem } = drawn;
          const [a, b] = [problem.a, problem.b].map(each => ({ ...each, ld: undefined }));
          const spec = { ...drawn, problem: { ...problem, k: problem.k * factor, a, b } };
          const kernel = kernelOf(spec, 'cuda');
          if (kernel === undefined) return;
          const needs = sizeNeeds(kernel);
          const small = smallSize(kernel, kernel.problem);
          assert.ok(
            supports(needs, packed(kernel.problem, small)),
            JSON.stringify({ spec, small }),
          );
          if (needs.slices !== undefined) split++;
        },
      ),
      // Five k-iterations fill only three of four slices.
      { ...runs(2000, 200), examples: [[twoPass(4), 1]] },
    );
    assert.ok(isEnough(split, 20), `${split}`);
  });
});
