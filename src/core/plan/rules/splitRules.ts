/** Legality of split-K: what each part sums, where the sums go, and what a grid and an index can count. */
import { t } from '@vscode/l10n';
import { grouped as n } from '../../text/numbers';
import type { Breach, Rule, RuleInput } from './rule';
import { stepsAlongK } from '../split';

/** Every part has a step along K at least. */
const parts: Rule = ({ spec, geometry: { split, tile } }) => {
  if (split === undefined) return [];
  const steps = stepsAlongK(spec, tile);
  const each = Math.ceil(steps / split.parts);
  const used = Math.ceil(steps / each);
  if (used === split.parts) return [];
  const deep = Math.max(1, tile.k);
  const counts = [n(spec.problem.k), n(steps), deep, n(split.parts), n(each), n(used)] as const;
  const message =
    steps < split.parts
      ? t('K = {0} has {1} steps of {2}: too few for {3} parts.', ...counts)
      : t(
          'K = {0} has {1} steps of {2}: of {3} parts of {4} only {5} have any.',
          counts[0],
          counts[1],
          counts[2],
          counts[3],
          counts[4],
          counts[5],
        );
  return [{ rule: 'split-k', path: 'schedule.splitK', message, nearest: used }];
};

const batch: Rule = ({ spec: { problem }, geometry: { split }, limits }) => {
  const most = limits.grid.z;
  const parts = split?.parts ?? 1;
  if (problem.batch * parts <= most) return [];
  if (parts === 1) {
    const message = t(
      'A product of the batch is a block along z, of which there may be {0} ({1}); batch is {2}.',
      n(most),
      limits.owner,
      n(problem.batch),
    );
    return [{ rule: 'batch', path: 'problem.batch', message, nearest: most }];
  }
  const message = t(
    '{0} products in {1} parts are as many blocks along z, of which there may be {2} ({3}).',
    n(problem.batch),
    n(parts),
    n(most),
    limits.owner,
  );
  const left = Math.floor(most / problem.batch);
  const nearest = Math.max(1, left);
  return [{ rule: 'batch', path: 'schedule.splitK', message, nearest }];
};

/** Atomic addition is for what every GPU of the target adds in memory. */
const atomics: Rule = ({ spec: { problem }, target, geometry: { split } }) => {
  if (split?.reduction !== 'atomic') return [];
  const breach = (message: string): readonly Breach[] => [
    { rule: 'atomic', path: 'schedule.splitKReduction', message, nearest: 'two-pass' },
  ];
  if (target === 'wgsl') {
    return breach(
      t(
        'WGSL adds atomically to integers alone, and its C would have to be declared as nothing else; two-pass needs no atomics.',
      ),
    );
  }
  const { dtype } = problem.c;
  if (dtype !== 'f32' && dtype !== 'f64' && dtype !== 's32')
    return breach(t('CUDA adds f32, f64 and s32 atomically on every GPU; C is {0}.', dtype));
  if (dtype === problem.accumulator) return [];
  return breach(
    t(
      'Each atomic addition would round a sum of {0} to {1}; two-pass rounds once.',
      problem.accumulator,
      dtype,
    ),
  );
};

/** Rows of partial sums are counted like those of a matrix. */
const workspace: Rule = ({ spec: { problem }, target, geometry: { split } }) => {
  if (split === undefined || split.workspaceElements === 0) return [];
  const lines = problem.c.layout === 'row' ? problem.m : problem.n;
  const wide = target === 'cuda';
  const [count, most] = wide
    ? [problem.batch * split.parts * lines, 2 ** 31 - 1]
    : [split.workspaceElements, 2 ** 32 - 1];
  if (count <= most) return [];
  const figures = [n(split.parts), n(count), n(most)] as const;
  const message = wide
    ? t('{0} parts leave {1} lines of partial sums; a kernel counts {2}.', ...figures)
    : t('{0} parts leave {1} partial sums; WGSL indexes {2} with u32.', ...figures);
  const nearest = Math.floor(split.parts / (count / most));
  return [{ rule: 'workspace', path: 'schedule.splitK', message, nearest: Math.max(1, nearest) }];
};

/** The kernel before or after has a grid of its own. */
const passGrid: Rule = input => {
  const { geometry, limits } = input;
  const pass = geometry.split?.pass;
  if (pass === undefined) return [];
  const over = (['x', 'y'] as const).find(axis => pass.grid[axis] > limits.grid[axis]);
  if (over === undefined) return [];
  const row = input.spec.problem.c.layout === 'row';
  const side = (over === 'x') === row ? 'n' : 'm';
  const message = t(
    'The kernel that adds up the parts, or scales C, has {0} x {1} blocks; {2} may be {3} ({4}).',
    n(pass.grid.x),
    n(pass.grid.y),
    over,
    n(limits.grid[over]),
    limits.owner,
  );
  return [{ rule: 'grid', path: `problem.${side}`, message, nearest: mostAlong(side, input) }];
};

/** The largest m or n of which all grids of the kernels have blocks enough. */
export function mostAlong(side: 'm' | 'n', input: RuleInput): number {
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

export const SPLIT_RULES: readonly Rule[] = [parts, batch, atomics, workspace, passGrid];
