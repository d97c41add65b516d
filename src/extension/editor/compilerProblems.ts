/**
 * Problems from ptxas output: spills, and register counts at their limit. Changed specs are listed
 * as fixes.
 */
import { t } from '@vscode/l10n';
import type { KernelText } from '../../core/source/kernelFile';
import {
  launchBoundsOf,
  maxRegistersPerThread,
  type LaunchBounds,
} from '../../core/source/launchBounds';
import { constantsOf } from '../../core/source/sourceConstants';
import { plan } from '../../core/plan/planner';
import type { ResolvedSpec } from '../../core/spec/resolved';
import { resolve } from '../../core/defaults/resolve';
import { toSpec } from '../../core/spec/toSpec';
import type { GemmSpec, Schedule } from '../../core/spec/schema';
import type { CompiledFacts } from '../toolchain/facts';

export interface CompilerProblem {
  readonly entry: string;
  readonly start: number;
  readonly end: number;
  readonly severity: 'warning' | 'information';
  readonly message: string;
  readonly bounds: LaunchBounds | undefined;
}

export function compilerProblems(
  file: KernelText,
  facts: readonly CompiledFacts[],
): readonly CompilerProblem[] {
  if (facts.length === 0) return [];
  const constants = constantsOf(file.text);
  return facts.flatMap(fact => {
    const kernel = file.kernels.find(({ entry }) => entry === fact.entry);
    if (kernel === undefined) return [];
    const bounds = launchBoundsOf(file.text, kernel, constants);
    const problem = problemOf(fact, bounds);
    const { entry, nameAt } = kernel;
    return problem === undefined
      ? []
      : [{ ...problem, entry, bounds, start: nameAt, end: nameAt + entry.length }];
  });
}

function problemOf(
  { registers, spillStores, spillLoads, arch }: CompiledFacts,
  bounds: LaunchBounds | undefined,
): Pick<CompilerProblem, 'severity' | 'message'> | undefined {
  const left = bounds === undefined ? undefined : maxRegistersPerThread(bounds);
  const limit =
    bounds === undefined || left === undefined
      ? t('The kernel uses {0} registers per thread.', registers)
      : t(
          'The kernel uses {0} registers per thread; __launch_bounds__({1}, {2}) allows {3}.',
          registers,
          bounds.threads,
          bounds.minBlocksPerSm,
          left,
        );
  if (spillStores + spillLoads > 0) {
    const spills = t(
      'ptxas ({0}) reports register spills: {1} B of stores and {2} B of loads per thread.',
      arch,
      spillStores,
      spillLoads,
    );
    const next = t(
      'Fix: lower the minimum blocks per SM, or compute fewer elements of C per thread.',
    );
    return { severity: 'warning', message: `${spills} ${limit} ${next}` };
  }
  if (left === undefined || registers < left) return undefined;
  const next = t('A larger thread tile may spill registers.');
  return { severity: 'information', message: `${limit} ${next}` };
}

/** Change of one field that lowers register use or raises the register limit. */
export interface RegisterSaving {
  readonly path: string;
  /** New value; undefined if the field is removed. */
  readonly value: number | undefined;
  readonly spec: GemmSpec;
  /** Estimated registers per thread before and after the change. */
  readonly registers: readonly [before: number, after: number];
}

/**
 * Returns the legal changes: a lower minBlocksPerSm first, then half of thread.m and half of
 * thread.n.
 */
export function registerSavings(spec: ResolvedSpec): readonly RegisterSaving[] {
  const { thread, minBlocksPerSm } = spec.schedule;
  const before = plan(spec, 'cuda');
  if (!before.ok) return [];
  const halved = (name: 'm' | 'n'): readonly Candidate[] => {
    const value = thread?.[name];
    return value === undefined || value < 2 || value % 2 !== 0
      ? []
      : [[`schedule.thread.${name}`, value / 2, { thread: { ...thread, [name]: value / 2 } }]];
  };
  const fewer = (minBlocksPerSm ?? 1) - 1;
  const candidates: readonly Candidate[] = [
    ...(minBlocksPerSm === undefined
      ? []
      : [
          [
            'schedule.minBlocksPerSm',
            fewer >= 1 ? fewer : undefined,
            { minBlocksPerSm: fewer >= 1 ? fewer : undefined },
          ] as const,
        ]),
    ...halved('m'),
    ...halved('n'),
  ];
  return candidates.flatMap(([path, value, change]) => {
    const schedule = JSON.parse(JSON.stringify({ ...spec.schedule, ...change })) as Schedule;
    const changed: GemmSpec = { ...toSpec(spec), schedule };
    const planned = plan(resolve(changed), 'cuda');
    if (!planned.ok) return [];
    const registers = [before.plan.registersEstimate, planned.plan.registersEstimate] as const;
    return [{ path, value, spec: changed, registers }];
  });
}

type Candidate = readonly [
  path: string,
  value: number | undefined,
  change: { readonly thread?: Schedule['thread']; readonly minBlocksPerSm?: number | undefined },
];
