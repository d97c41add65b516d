/** Candidate addressing bugs in the matrices, the shared-memory tiles and the batch. */
import { inMatrix, inStaged } from '../plan/stridedRows';
import { lanePlanIn } from '../plan/family';
import type { Plan } from '../plan/plan';
import type { ResolvedProblem } from '../spec/resolved';
import { stepsOf } from './kLoopSuspects';
import { NAMES, STAGED, type Suspect } from './suspect';
import { indexOf, type ElementIndex } from './bugHypothesis';

export function addressSuspects(problem: ResolvedProblem): readonly Suspect[] {
  return STAGED.flatMap((operand): readonly Suspect[] => {
    const { ld, layout } = problem[operand];
    const index = indexOf(problem, operand);
    const named = { operand: NAMES[operand] } as const;
    const transposed = {
      ...problem,
      [operand]: { ...problem[operand], layout: layout === 'row' ? 'col' : 'row' },
    } as const;
    const extents = operand === 'a' ? [problem.m, problem.k] : [problem.k, problem.n];
    const shifted =
      (down: number, across: number): ElementIndex =>
      (product, row, column) =>
        row + down < 0 ||
        row + down >= (extents[0] ?? 0) ||
        column + across < 0 ||
        column + across >= (extents[1] ?? 0)
          ? undefined
          : index(product, row + down, column + across);
    const neighbours = [
      [1, 0],
      [-1, 0],
      [0, 1],
      [0, -1],
    ] as const;
    return [
      ...[ld + 1, ld - 1].map(other => ({
        ...({ id: 'leading-dimension', ...named } as const),
        [operand]: indexOf(problem, operand, other),
      })),
      { id: 'layout', ...named, [operand]: indexOf(transposed, operand) },
      ...neighbours.map(([down, across]) => ({
        ...({ id: 'neighbour', ...named } as const),
        [operand]: shifted(down, across),
      })),
    ];
  });
}

const NEIGHBORS = { fragment: 1, fragmentStride: 1 } as const;

/**
 * Returns suspects for shared-memory tiles that are read with exchanged indices, or swizzled only
 * by the store or only by the load.
 */
export function fragmentSuspects(plan: Plan): readonly Suspect[] {
  const { shared, spec, tile } = plan;
  const lanes = lanePlanIn(plan);
  if (shared === undefined) return [];
  const step = stepsOf(plan);
  return STAGED.flatMap((operand): readonly Suspect[] => {
    const { outer, inner, padding } = shared[operand];
    const depthFirst =
      lanes !== null || (spec.problem[operand].layout === 'row') === (operand === 'b');
    const index = indexOf(spec.problem, operand);
    const side = operand === 'a' ? tile.m : tile.n;
    const dealt = lanes?.[operand] ?? NEIGHBORS;
    const limit = operand === 'a' ? spec.problem.m : spec.problem.n;
    /**
     * Returns the memory index that is read if the kernel reads another position of the tile, given
     * by `move(depth, side)`.
     */
    const read =
      (move: (depth: number, at: number) => readonly [number, number] | undefined): ElementIndex =>
      (product, row, column) => {
        const [k, across] = operand === 'a' ? [column, row] : [row, column];
        const { at, end } = step(k);
        const to = move(at, inStaged(dealt, across % side));
        if (to === undefined) return undefined;
        const [there, shifted] = [
          k - at + to[0],
          across - (across % side) + inMatrix(dealt, to[1]),
        ];
        if (shifted >= limit || there < 0 || there >= end) return undefined;
        return operand === 'a' ? index(product, shifted, there) : index(product, there, shifted);
      };
    const stride = inner + padding;
    const exchanged = (depth: number, at: number): readonly [number, number] | undefined => {
      const flat = depthFirst ? at * stride + depth : depth * stride + at;
      const [o, i] = [Math.floor(flat / stride), flat % stride];
      if (o >= outer || i >= inner) return undefined;
      return depthFirst ? [o, i] : [i, o];
    };
    const { swizzle = 1 } = lanes?.[operand] ?? {};
    const group = lanes?.group[operand === 'a' ? 'm' : 'n'] ?? 1;
    const named = { operand: NAMES[operand] } as const;
    return [
      { id: 'fragment-transposed', ...named, [operand]: read(exchanged) },
      ...(swizzle === 1
        ? []
        : [
            {
              ...({ id: 'swizzle', ...named } as const),
              [operand]: read((depth, at) => [depth, at ^ ((depth % swizzle) * group)]),
            },
          ]),
    ];
  });
}

export function batchSuspects(problem: ResolvedProblem): readonly Suspect[] {
  if (problem.batch === 1) return [];
  const { a, b, c } = problem;
  const old = (stride: number): ElementIndex => indexOf(problem, 'c', c.ld, stride);
  const outputSuspects: readonly Suspect[] = [
    { id: 'batch-first', operand: 'C', old: old(0) },
    ...[a.batchStride, b.batchStride, c.batchStride + 1].map(stride => ({
      ...({ id: 'batch-stride', operand: 'C' } as const),
      old: old(stride),
    })),
  ];
  const staged = STAGED.flatMap((operand): readonly Suspect[] => {
    const named = { operand: NAMES[operand] } as const;
    const own = problem[operand].batchStride;
    const other = operand === 'a' ? b.batchStride : a.batchStride;
    const strided = (batchStride: number) => ({
      [operand]: indexOf(problem, operand, problem[operand].ld, batchStride),
    });
    return [
      { id: 'batch-first', ...named, ...strided(0) },
      ...[other, own + 1, own - 1].map(by => ({
        ...({ id: 'batch-stride', ...named } as const),
        ...strided(by),
      })),
    ];
  });
  return problem.beta === 0 ? staged : [...staged, ...outputSuspects];
}
