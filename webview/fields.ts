/** Number fields of the form, and the algorithms and element types that the core can plan. */
import { t } from '@vscode/l10n';
import { PLANNED, usesOf } from '../src/core/plan/fields';
import { DEFAULT_WEBGPU_LIMITS as LIMITS } from '../src/core/plan/limits';
import { plan } from '../src/core/plan/planner';
import { WORKSPACE_LIMIT_BYTES } from '../src/core/plan/workspace';
import { accumulatorsOf, DTYPES, outputsOf, type DType } from '../src/core/types/dtype';
import { resolve } from '../src/core/defaults/resolve';
import type { ResolvedProblem, ResolvedSchedule } from '../src/core/spec/resolved';
import { ALGORITHMS, TARGETS, type Algorithm, type GemmSpec } from '../src/core/spec/schema';
import { valueAt } from './edit';

export interface NumberFieldSpec {
  readonly path: string;
  /** Short name, equal to the constant in the kernel if there is one. */
  readonly name: string;
  readonly help: () => string;
  readonly step: 'double' | 'one' | 'any';
  /** Default value that `resolve` does not fill in. */
  readonly absent?: number;
}

/**
 * Returns the value after an arrow key: the adjacent power of two, or the value plus or minus one,
 * at least 0. Returns null for the step `any`.
 */
export function stepped(value: number, up: boolean, step: NumberFieldSpec['step']): number | null {
  if (step === 'any') return null;
  if (step === 'one') return Math.max(0, value + (up ? 1 : -1));
  if (value < 1) return 1;
  const exponent = Math.log2(value);
  return 2 ** Math.max(0, up ? Math.floor(exponent) + 1 : Math.ceil(exponent) - 1);
}

const number = (
  path: string,
  name: string,
  help: () => string,
  step: NumberFieldSpec['step'] = 'double',
  defaultValue?: number,
): NumberFieldSpec => ({
  path,
  name,
  help,
  step,
  ...(defaultValue === undefined ? {} : { absent: defaultValue }),
});

export const SIZE_FIELDS: readonly NumberFieldSpec[] = [
  number('problem.m', 'm', () => t('rows of A and C')),
  number('problem.n', 'n', () => t('columns of B and C')),
  number('problem.k', 'k', () => t('columns of A, rows of B')),
];

export const SCALAR_FIELDS: readonly NumberFieldSpec[] = [
  number('problem.alpha', 'alpha', () => t('C := alpha A B + beta C'), 'any'),
  number('problem.beta', 'beta', () => t('if 0, C is not read'), 'any'),
  number('problem.batch', 'batch', () => t('independent GEMMs'), 'one', 1),
];

export const LEADING_FIELDS: Readonly<Record<'a' | 'b' | 'c', NumberFieldSpec>> = {
  a: number('problem.a.ld', 'lda', () => t('leading dimension of A, elements'), 'one'),
  b: number('problem.b.ld', 'ldb', () => t('leading dimension of B, elements'), 'one'),
  c: number('problem.c.ld', 'ldc', () => t('leading dimension of C, elements'), 'one'),
};

const SCHEDULE_FIELDS: readonly NumberFieldSpec[] = [
  number('schedule.block.m', 'BM', () => t('rows of C per block')),
  number('schedule.block.n', 'BN', () => t('columns of C per block')),
  number('schedule.block.k', 'BK', () => t('K extent of the shared tile')),
  number('schedule.warp.m', 'WM', () => t('rows of C per warp')),
  number('schedule.warp.n', 'WN', () => t('columns of C per warp')),
  number('schedule.thread.m', 'TM', () => t('rows of C per thread')),
  number('schedule.thread.n', 'TN', () => t('columns of C per thread')),
  number('schedule.thread.k', 'TK', () => t('k values per thread and k-iteration')),
  number('schedule.vector', 'vector', () => t('maximum number of elements per access')),
  number('schedule.padding.a', 'pad A', () => t('padding elements per row of As'), 'one', 0),
  number('schedule.padding.b', 'pad B', () => t('padding elements per row of Bs'), 'one', 0),
  number('schedule.stages', 'stages', () => t('pipeline stages in shared memory'), 'one'),
  number('schedule.consumers', 'consumers', () => t('consumer warp groups'), 'one'),
  number('schedule.cluster.m', 'cluster M', () => t('blocks per cluster along M')),
  number('schedule.cluster.n', 'cluster N', () => t('blocks per cluster along N')),
  number('schedule.fragments', 'fragments', () => t('fragment buffers in registers'), 'one', 1),
  number('schedule.raster.group', 'group', () => t('tiles per raster group'), 'one', 1),
  number('schedule.splitK', 'split K', () => t('split-K slices'), 'one', 1),
  number(
    'schedule.minBlocksPerSm',
    'blocks/SM',
    () => t('minimum blocks per SM (__launch_bounds__)'),
    'one',
  ),
];

export const LIMIT_FIELDS: readonly NumberFieldSpec[] = [
  number(
    'webgpuLimits.invocations',
    'invocations',
    () => t('invocations per workgroup'),
    'double',
    LIMITS.invocations,
  ),
  number(
    'webgpuLimits.workgroupStorageBytes',
    'storage, B',
    () => t('storage bytes per workgroup'),
    'double',
    LIMITS.workgroupStorageBytes,
  ),
  number(
    'workspaceLimitBytes',
    'workspace, B',
    () => t('maximum for split-K results and repacked operands'),
    'double',
    WORKSPACE_LIMIT_BYTES,
  ),
];

export const fieldName = (path: string): string | undefined =>
  [...SIZE_FIELDS, ...SCALAR_FIELDS, ...Object.values(LEADING_FIELDS), ...SCHEDULE_FIELDS]
    .concat(LIMIT_FIELDS)
    .find(field => field.path === path)?.name;

/**
 * Returns the fields that the algorithm uses, and unused fields that the spec sets, so that the
 * user can remove them.
 */
export function scheduleFields(
  spec: GemmSpec,
  schedule: Pick<ResolvedSchedule, 'algorithm' | 'kernelSchedule'>,
): readonly NumberFieldSpec[] {
  const used = usesOf(schedule)?.fields ?? [];
  return SCHEDULE_FIELDS.filter(
    ({ path }) =>
      used.includes(path.slice('schedule.'.length)) || valueAt(spec, path) !== undefined,
  );
}

export const offeredAlgorithms: readonly Algorithm[] = ALGORITHMS.filter(
  algorithm => PLANNED[algorithm] !== undefined,
);

/** Element types that at least one target can plan with a default schedule. */
export const offeredDtypes: readonly DType[] = DTYPES.filter(dtype => {
  const resolved = resolve({ problem: { m: 64, n: 64, k: 64, a: { dtype } } });
  return TARGETS.some(target => plan(resolved, target).ok);
});

export const TYPE_PATHS = {
  a: 'problem.a.dtype',
  b: 'problem.b.dtype',
  c: 'problem.c.dtype',
  accumulator: 'problem.accumulator',
} as const;

export function dtypesOf(
  matrix: keyof typeof TYPE_PATHS,
  problem: ResolvedProblem,
): readonly DType[] {
  const [a, b] = [problem.a.dtype, problem.b.dtype];
  if (matrix === 'c') return outputsOf(problem.accumulator);
  if (matrix === 'accumulator') return accumulatorsOf(a, b);
  const other = matrix === 'a' ? b : a;
  return offeredDtypes.filter(dtype => accumulatorsOf(dtype, other).length > 0);
}
