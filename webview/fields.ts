/** What the form offers: the fields an algorithm has a use for, and the choices the core can plan. */
import { t } from '@vscode/l10n';
import { PLANNED } from '../src/core/plan/fields';
import { DEFAULT_WEBGPU_LIMITS as LIMITS } from '../src/core/plan/limits';
import { plan } from '../src/core/plan/planner';
import { accumulatorsOf, DTYPES, outputsOf, type DType } from '../src/core/types/dtype';
import { resolve } from '../src/core/defaults/resolve';
import type { ResolvedProblem } from '../src/core/spec/resolved';
import { ALGORITHMS, TARGETS, type Algorithm, type GemmSpec } from '../src/core/spec/schema';
import { valueAt } from './edit';

export interface NumberFieldSpec {
  readonly path: string;
  /** Short name, as kernels write it where they do. */
  readonly name: string;
  /** What it is, in a few words. */
  readonly help: () => string;
  /** What the arrow keys do. */
  readonly step: 'double' | 'one' | 'any';
  /** What holds where the spec says nothing and `resolve` fills nothing in. */
  readonly absent?: number;
}

/** The value an arrow key leads to: the next power of two or half, or one more or less. */
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
  absent?: number,
): NumberFieldSpec => ({ path, name, help, step, ...(absent === undefined ? {} : { absent }) });

export const SIZE_FIELDS: readonly NumberFieldSpec[] = [
  number('problem.m', 'm', () => t('rows of A and C')),
  number('problem.n', 'n', () => t('columns of B and C')),
  number('problem.k', 'k', () => t('columns of A, rows of B')),
];

export const SCALAR_FIELDS: readonly NumberFieldSpec[] = [
  number('problem.alpha', 'alpha', () => t('C := alpha A B + beta C'), 'any'),
  number('problem.beta', 'beta', () => t('0: C is not read'), 'any'),
  number('problem.batch', 'batch', () => t('independent products'), 'one', 1),
];

export const LEADING_FIELDS: Readonly<Record<'a' | 'b' | 'c', NumberFieldSpec>> = {
  a: number('problem.a.ld', 'lda', () => t('leading dimension of A, elements'), 'one'),
  b: number('problem.b.ld', 'ldb', () => t('leading dimension of B, elements'), 'one'),
  c: number('problem.c.ld', 'ldc', () => t('leading dimension of C, elements'), 'one'),
};

const SCHEDULE_FIELDS: readonly NumberFieldSpec[] = [
  number('schedule.block.m', 'BM', () => t('rows of C a block computes')),
  number('schedule.block.n', 'BN', () => t('columns of C a block computes')),
  number('schedule.block.k', 'BK', () => t('depth staged at a time')),
  number('schedule.warp.m', 'WM', () => t('rows of a warp tile')),
  number('schedule.warp.n', 'WN', () => t('columns of a warp tile')),
  number('schedule.thread.m', 'TM', () => t('rows of C a thread computes')),
  number('schedule.thread.n', 'TN', () => t('columns of C a thread computes')),
  number('schedule.vector', 'vector', () => t('elements an access moves at most')),
  number('schedule.padding.a', 'pad A', () => t('elements added to a row of As'), 'one', 0),
  number('schedule.padding.b', 'pad B', () => t('elements added to a row of Bs'), 'one', 0),
  number('schedule.stages', 'stages', () => t('shared-memory buffers'), 'one'),
  number('schedule.consumers', 'consumers', () => t('warp groups that multiply'), 'one'),
  number('schedule.cluster.m', 'cluster M', () => t('blocks of a cluster along M')),
  number('schedule.cluster.n', 'cluster N', () => t('blocks of a cluster along N')),
  number('schedule.fragments', 'fragments', () => t('register buffers of fragments'), 'one', 1),
  number('schedule.raster.group', 'group', () => t('tiles a raster group'), 'one', 1),
  number('schedule.splitK', 'split K', () => t('parts of the K dimension'), 'one', 1),
  number(
    'schedule.minBlocksPerSm',
    'blocks/SM',
    () => t('CUDA: least blocks an SM, __launch_bounds__'),
    'one',
  ),
];

export const WEBGPU_FIELDS: readonly NumberFieldSpec[] = [
  number(
    'webgpuLimits.invocations',
    'invocations',
    () => t('a workgroup'),
    'double',
    LIMITS.invocations,
  ),
  number(
    'webgpuLimits.workgroupStorageBytes',
    'storage, B',
    () => t('bytes a workgroup'),
    'double',
    LIMITS.workgroupStorageBytes,
  ),
];

/** The form's short name of a path. */
export const fieldName = (path: string): string | undefined =>
  [...SIZE_FIELDS, ...SCALAR_FIELDS, ...Object.values(LEADING_FIELDS), ...SCHEDULE_FIELDS]
    .concat(WEBGPU_FIELDS)
    .find(field => field.path === path)?.name;

/** Fields the algorithm uses, and those the spec gives without use, so that they can be removed. */
export function scheduleFields(spec: GemmSpec, algorithm: Algorithm): readonly NumberFieldSpec[] {
  const used = PLANNED[algorithm]?.fields ?? [];
  return SCHEDULE_FIELDS.filter(
    ({ path }) =>
      used.includes(path.slice('schedule.'.length)) || valueAt(spec, path) !== undefined,
  );
}

export const offeredAlgorithms: readonly Algorithm[] = ALGORITHMS.filter(
  algorithm => PLANNED[algorithm] !== undefined,
);

/** Element types that some target can multiply. */
export const offeredDtypes: readonly DType[] = DTYPES.filter(dtype => {
  const resolved = resolve({ problem: { m: 64, n: 64, k: 64, a: { dtype } } });
  return TARGETS.some(target => plan(resolved, target).ok);
});

/** Where a problem names a type of its own, and those that go together with its other types. */
export const TYPE_PATHS = {
  a: 'problem.a.dtype',
  b: 'problem.b.dtype',
  c: 'problem.c.dtype',
  accumulator: 'problem.accumulator',
} as const;

export function dtypesOf(of: keyof typeof TYPE_PATHS, problem: ResolvedProblem): readonly DType[] {
  const [a, b] = [problem.a.dtype, problem.b.dtype];
  if (of === 'c') return outputsOf(problem.accumulator);
  if (of === 'accumulator') return accumulatorsOf(a, b);
  const other = of === 'a' ? b : a;
  return offeredDtypes.filter(dtype => accumulatorsOf(dtype, other).length > 0);
}
