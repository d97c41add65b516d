/** Report about the shown configuration, or about an edited or hand-written kernel. */
import { t } from '@vscode/l10n';
import type { Analysis } from '../../core/report/analysis';
import { analyze } from '../../core/report/analyze';
import { rooflineOfLevels, type LevelRoofline } from '../../core/roofline/levelRoofline';
import { DEFAULT_DEVICE, deviceOf, isDeviceId } from '../../core/hardware/devices';
import { emit } from '../../core/kernel/emit';
import { recoverGenerated } from '../../core/kernel/generatedKernel';
import { hashText } from '../../core/text/hash';
import type { Runnable } from '../../core/kernel/kernel';
import type { KernelFile } from '../../core/source/kernelFile';
import type { Measurement } from '../../core/measure/measurement';
import { checkAndPlan } from '../../core/defaults/check';
import type { ResolvedProblem } from '../../core/spec/resolved';
import type { GemmSpec } from '../../core/spec/schema';
import type { CompiledFacts } from '../toolchain/facts';
import { isRunOf } from '../runs/lensText';

export interface ReportFacts {
  readonly runs: () => readonly Measurement[];
  readonly factsOf: (source: string, entry: string, device: string) => CompiledFacts | undefined;
}

export interface ReportSubject {
  readonly spec: GemmSpec;
  /** Edited or hand-written kernel, which takes precedence over the configuration. */
  readonly followed?: Followed;
}

interface Followed {
  readonly runnable: Runnable;
  readonly device: string;
  readonly own: { readonly name: string; readonly origin: Origin };
}

type Origin = Extract<KernelFile, { ok: true }>['origin'];

export interface Report {
  /** Null for edited and hand-written kernels. */
  readonly spec: GemmSpec | null;
  readonly kernel: {
    readonly name: string;
    readonly entry: string;
    readonly origin: Origin;
    readonly sourceHash: string;
    readonly problem: ResolvedProblem;
  };
  readonly measurement: Measurement | null;
  readonly analysis: Analysis;
  /** Null if the source is not exactly as generated. */
  readonly levelRoofline: LevelRoofline | null;
}

/** Returns the report, or the reason why there is no report. */
export function reportOf({ spec, followed }: ReportSubject, facts: ReportFacts): Report | string {
  const runs = facts.runs();
  const subject = subjectOf({ spec, ...(followed === undefined ? {} : { followed }) }, runs);
  if (typeof subject === 'string') return subject;
  const { runnable, own } = subject;
  const { source, entry, problem, target, specKey } = runnable;
  const device = isDeviceId(subject.device) ? subject.device : DEFAULT_DEVICE;
  const measurements = runs.filter(isRunOf(source, specKey));
  const resources = target === 'cuda' ? facts.factsOf(source, entry, device) : undefined;
  const analysis = analyze(runnable, {
    device,
    measurements,
    ...(resources === undefined ? {} : { resources }),
    ...(resources?.accesses === undefined ? {} : { accesses: resources.accesses }),
  });
  const kernel = recoverGenerated(runnable);
  return {
    spec: followed === undefined ? spec : null,
    kernel: { name: own.name, entry, origin: own.origin, sourceHash: hashText(source), problem },
    measurement: measurements.findLast(isTimed) ?? measurements.at(-1) ?? null,
    analysis,
    levelRoofline: kernel === null ? null : rooflineOfLevels(kernel, deviceOf(device), analysis),
  };
}

const subjectOf = (
  { spec, followed }: ReportSubject,
  runs: readonly Measurement[],
): Followed | string => followed ?? newestOfSpec(spec, runs);

/** Returns the kernel of the report; null if there is no report. */
export function runnableOf(subject: ReportSubject, facts: ReportFacts): Runnable | null {
  const found = subjectOf(subject, facts.runs());
  return typeof found === 'string' ? null : found.runnable;
}

const isTimed = ({ timing }: Measurement): boolean => timing !== undefined;

/**
 * Returns the kernel with the newest timed run, or else the kernel of the first legal target.
 * Returns the reason if no target is legal.
 */
function newestOfSpec(spec: GemmSpec, runs: readonly Measurement[]): Followed | string {
  const { report, plans } = checkAndPlan(spec);
  const { resolved, legal, violations } = report;
  const kernels = legal.flatMap(target => {
    const planned = plans[target];
    return planned.ok ? [emit(planned.plan)] : [];
  });
  const newest = (source: string): number => {
    const isOwn = isRunOf(source);
    return runs.findLastIndex(run => isTimed(run) && isOwn(run));
  };
  const [runnable] = kernels.toSorted((a, b) => newest(b.source) - newest(a.source));
  return runnable === undefined
    ? t('Nothing to report: the spec is invalid. {0}', violations[0]?.message ?? '')
    : {
        runnable,
        device: resolved.device,
        own: { name: runnable.fileName, origin: 'generated' },
      };
}
