/** Legality of split-K: slices, reduction, and ranges of grids and indices. */
import { t } from '@vscode/l10n';
import { grouped as n } from '../../text/numbers';
import { EPILOGUE_RULES } from './epilogueRules';
import type { RuleViolation, Rule, RuleInput } from './rule';
import { kIterationsOf } from '../split';

/** Checks that every slice has at least one k-iteration. */
const parts: Rule = ({ spec, geometry: { split, tile } }) => {
  if (split === undefined) return [];
  const steps = kIterationsOf(spec, tile);
  const each = Math.ceil(steps / split.slices);
  const used = Math.ceil(steps / each);
  if (used === split.slices) return [];
  const deep = Math.max(1, tile.k);
  const counts = [n(spec.problem.k), n(steps), deep, n(split.slices), n(each), n(used)] as const;
  const message =
    steps < split.slices
      ? t('K = {0} has {1} k-iterations of {2}, too few for {3} slices.', ...counts)
      : t(
          'K = {0} has {1} k-iterations of {2}. With {4} per slice, only {5} of {3} slices are used.',
          counts[0],
          counts[1],
          counts[2],
          counts[3],
          counts[4],
          counts[5],
        );
  return [{ rule: 'split-k', path: 'schedule.splitK', message, nearest: used }];
};

const batch: Rule = ({ spec: { problem }, geometry: { split, family }, limits }) => {
  const most = limits.grid.z;
  // Persistent blocks of `wgmma` loop over the slices, so only the batch maps to a grid dimension.
  const parts = family === 'wgmma' ? 1 : (split?.slices ?? 1);
  if (problem.batch * parts <= most) return [];
  if (parts === 1) {
    const message = t(
      'The batch maps to grid.z, which must be at most {0} ({1}); batch is {2}.',
      n(most),
      limits.owner,
      n(problem.batch),
    );
    return [{ rule: 'batch', path: 'problem.batch', message, nearest: most }];
  }
  const message = t(
    '{0} batch entries x {1} slices map to grid.z, which must be at most {2} ({3}).',
    n(problem.batch),
    n(parts),
    n(most),
    limits.owner,
  );
  const left = Math.floor(most / problem.batch);
  const nearest = Math.max(1, left);
  return [{ rule: 'batch', path: 'schedule.splitK', message, nearest }];
};

/**
 * Checks that every GPU of the target supports atomic addition for the type of C, and that each
 * addition is in the accumulator type.
 */
const atomics: Rule = ({ spec: { problem }, target, geometry: { split } }) => {
  if (split?.reduction !== 'atomic') return [];
  const breach = (message: string): readonly RuleViolation[] => [
    { rule: 'atomic', path: 'schedule.splitKReduction', message, nearest: 'two-pass' },
  ];
  if (target === 'wgsl') {
    return breach(
      t(
        'WGSL supports atomic addition only for integers. Fix: use two-pass, which needs no atomics.',
      ),
    );
  }
  const { dtype } = problem.c;
  if (dtype !== 'f32' && dtype !== 'f64' && dtype !== 's32')
    return breach(
      t('CUDA supports atomic addition of f32, f64 and s32 on every GPU; C is {0}.', dtype),
    );
  if (dtype === problem.accumulator) return [];
  return breach(
    t(
      'Each atomic addition would round {0} to {1}. Fix: use two-pass, which rounds once.',
      problem.accumulator,
      dtype,
    ),
  );
};

/**
 * Checks that rows (CUDA) or elements (WGSL) of the partial results do not exceed the index range.
 */
const workspace: Rule = ({ spec: { problem }, target, geometry: { split } }) => {
  if (split === undefined || split.workspaceElements === 0) return [];
  const lines = problem.c.layout === 'row' ? problem.m : problem.n;
  const wide = target === 'cuda';
  const [count, most] = wide
    ? [problem.batch * split.slices * lines, 2 ** 31 - 1]
    : [split.workspaceElements, 2 ** 32 - 1];
  if (count <= most) return [];
  const figures = [n(split.slices), n(count), n(most)] as const;
  const message = wide
    ? t('{0} slices have {1} rows of partial results; kernels support at most {2}.', ...figures)
    : t('{0} slices have {1} partial results; WGSL indexes at most {2} with u32.', ...figures);
  const nearest = Math.floor(split.slices / (count / most));
  return [{ rule: 'workspace', path: 'schedule.splitK', message, nearest: Math.max(1, nearest) }];
};

const passGrid: Rule = input => {
  const { geometry, limits } = input;
  const pass = geometry.split?.pass;
  if (pass === undefined) return [];
  const over = (['x', 'y'] as const).find(axis => pass.grid[axis] > limits.grid[axis]);
  if (over === undefined) return [];
  const row = input.spec.problem.c.layout === 'row';
  const side = (over === 'x') === row ? 'n' : 'm';
  const message = t(
    'The kernel that reduces the slices or scales C has {0} x {1} blocks; its {2} dimension must be at most {3} ({4}).',
    n(pass.grid.x),
    n(pass.grid.y),
    over,
    n(limits.grid[over]),
    limits.owner,
  );
  return [{ rule: 'grid', path: `problem.${side}`, message, nearest: maxSize(side, input) }];
};

/** Returns the maximum M or N for which the grids of all kernels are legal. */
export function maxSize(side: 'm' | 'n', input: RuleInput): number {
  const { geometry, limits } = input;
  const { gridMap, tile, split } = geometry;
  const own = (gridMap === 'x-rows') === (side === 'm') ? 'x' : 'y';
  const passing = (input.spec.problem.c.layout === 'row') === (side === 'n') ? 'x' : 'y';
  const pass = split?.pass;
  return Math.min(
    limits.grid[own] * tile[side],
    pass === undefined ? Infinity : limits.grid[passing] * pass.block[passing],
  );
}

export const SPLIT_RULES: readonly Rule[] = [
  parts,
  batch,
  atomics,
  workspace,
  passGrid,
  ...EPILOGUE_RULES,
];
