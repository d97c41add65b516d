/**
 * Defines the subject of an export: kernels of one GEMM type, the arguments that they share, and
 * the names of the project.
 */
import { t } from '@vscode/l10n';
import type { Kernel } from '../kernel/kernel';
import { isFileName } from '../kernel/file/fileName';
import type { ResolvedProblem } from '../spec/resolved';
import type { Target } from '../spec/schema';
import { typesKey } from '../plan/specKey';
import { typesText } from '../types/dtype';
import { epilogueText, stepsOf, type Step } from './epilogue';

export const EXPORT_TARGETS = ['pytorch', 'cpp', 'npm', 'cupy'] as const;
export type ExportTarget = (typeof EXPORT_TARGETS)[number];

/** Returns the language of the kernels that a project of this target contains. */
export const kernelTarget = (target: ExportTarget): Target => (target === 'npm' ? 'wgsl' : 'cuda');

export interface MeasuredTime {
  readonly microseconds: number;
  readonly device: string;
}

export interface ExportedKernel {
  readonly kernel: Kernel;
  /** Median time at the size of the spec; absent if it was not measured. */
  readonly measured?: MeasuredTime;
}

export interface ExportSubject {
  /** Identifier of the project: lower-case letters, digits and underscores. */
  readonly name: string;
  readonly version: string;
  readonly kernels: readonly [ExportedKernel, ...ExportedKernel[]];
  readonly type: GemmType;
}

/** Properties of a problem that every kernel of an export must share. */
export interface GemmType extends Pick<
  ResolvedProblem,
  'a' | 'b' | 'c' | 'accumulator' | 'alpha' | 'beta'
> {
  readonly isBatched: boolean;
  /** Whether callers pass alpha, or beta; otherwise both are fixed. */
  readonly takesAlpha: boolean;
  readonly takesBeta: boolean;
  /** Whether C is an input too. */
  readonly readsC: boolean;
  /** Operations on the result, in order; empty without an epilogue. */
  readonly epilogue: readonly Step[];
}

export interface ExportFile {
  /** Path below the folder of the export, with `/`. */
  readonly path: string;
  readonly text: string;
}

export type Exported =
  | { readonly ok: true; readonly files: readonly ExportFile[] }
  | { readonly ok: false; readonly reason: string };

export interface SubjectOptions {
  /** Name of the project; the default is derived from the element types and layouts. */
  readonly name?: string | undefined;
  readonly version: string;
}

const NAME = /^[a-z][a-z0-9_]{0,63}$/;

/** Combines kernels to an export. Fails if they differ in more than sizes and schedules. */
export function subjectOf(
  kernels: readonly ExportedKernel[],
  { name, version }: SubjectOptions,
):
  | { readonly ok: true; readonly subject: ExportSubject }
  | { readonly ok: false; readonly reason: string } {
  const [first, ...others] = [
    ...new Map(kernels.map(each => [each.kernel.specKey, each])).values(),
  ];
  if (first === undefined) return { ok: false, reason: t('Expected at least one spec, got none.') };
  const type = typeOf(first.kernel.problem);
  for (const { kernel } of others) {
    const difference = differenceOf(first.kernel.problem, kernel.problem);
    if (difference === undefined) continue;
    const [one, other] = difference;
    return {
      ok: false,
      reason: t(
        'Specs of one export may differ only in sizes and schedules, but {0} has {1} and {2} has {3}. Fix: export them separately.',
        first.kernel.specKey,
        one,
        kernel.specKey,
        other,
      ),
    };
  }
  const chosen = name ?? defaultName(first.kernel.problem);
  if (!NAME.test(chosen) || !isFileName(chosen)) {
    return {
      ok: false,
      reason: t(
        'Expected a project name of at most 64 lower-case letters, digits and underscores that starts with a letter, got "{0}".',
        chosen,
      ),
    };
  }
  return { ok: true, subject: { name: chosen, version, kernels: [first, ...others], type } };
}

const layoutsOf = ({ a, b, c }: ResolvedProblem): string =>
  [a, b, c].map(({ layout }) => layout[0]).join('');

/** Longer epilogues are not part of a default name. */
const MAX_NAMED_OPS = 3;

function defaultName(problem: ResolvedProblem): string {
  const ops = (problem.epilogue ?? []).map(({ op }) => op.replaceAll('-', '_'));
  return [
    `gemm_${typesKey(problem)}_${layoutsOf(problem)}`,
    ...(problem.batch > 1 ? ['batched'] : []),
    ...(ops.length > MAX_NAMED_OPS ? ['epilogue'] : ops),
  ].join('_');
}

function typeOf(problem: ResolvedProblem): GemmType {
  const { a, b, c, accumulator, alpha, beta, batch } = problem;
  return {
    a,
    b,
    c,
    accumulator,
    alpha,
    beta,
    isBatched: batch > 1,
    takesAlpha: alpha !== 1,
    takesBeta: beta !== 0 && beta !== 1,
    readsC: beta !== 0,
    epilogue: stepsOf(problem),
  };
}

/** Returns the first property in which two problems differ, as a pair of texts. */
function differenceOf(
  one: ResolvedProblem,
  other: ResolvedProblem,
): readonly [string, string] | undefined {
  const properties: readonly ((problem: ResolvedProblem) => string)[] = [
    typesText,
    problem => `accumulator ${problem.accumulator}`,
    problem => `layouts ${layoutsOf(problem)}`,
    ({ batch }) => (batch > 1 ? 'batch > 1' : 'batch 1'),
    ({ alpha }) => `alpha ${alpha}`,
    ({ beta }) => `beta ${beta}`,
    epilogueText,
  ];
  return properties
    .map(text => [text(one), text(other)] as const)
    .find(([left, right]) => left !== right);
}
