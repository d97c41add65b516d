/** A report of Nsight Compute about one kernel: found in it, and compared with the analysis. */
import type { Analysis } from '../analysis/analysis';
import { analyze, type AnalyzeOptions } from '../analysis/analyze';
import { memoryLevels } from '../analysis/memoryLevels';
import { findDevice } from '../device/devices';
import { generatedKernel } from '../emit/generatedKernel';
import type { Kernel, Runnable } from '../emit/kernel';
import type { Statement } from '../ir/ir';
import { compareWithNcu, type ComparedAnalysis, type NcuComparison } from './compare';
import { matchKernel } from './match';
import type { NcuKernel, NcuReport } from './report';

export type NcuInspection =
  | ({
      readonly ok: true;
      readonly kernel: NcuKernel;
      /** Launches of the same kernel and size that the report has too. */
      readonly others: number;
    } & NcuComparison)
  | { readonly ok: false; readonly why: string };

export function inspectNcu(
  report: NcuReport,
  runnable: Runnable,
  options: AnalyzeOptions,
): NcuInspection {
  const found = matchKernel(report, runnable);
  if (!found.ok) return found;
  const { kernel, others } = found;
  const generated = generatedKernel(runnable);
  const timed = options.measurements?.findLast(({ timing }) => timing !== undefined);
  const analysis = analyze(runnable, options);
  const compared = compareWithNcu(kernel, {
    analysis,
    levels: generated === null ? undefined : levelsOf(generated, analysis),
    isAsynchronous: generated !== null && copies(generated.ir.body),
    medianMs: timed?.timing?.medianMs,
  });
  return { ok: true, kernel, others, ...compared, limits: [...compared.limits, ...report.limits] };
}

function levelsOf(generated: Kernel, analysis: Analysis): ComparedAnalysis['levels'] {
  const device = findDevice(analysis.device);
  if (device === undefined) return undefined;
  const { levels } = memoryLevels(generated, analysis, device);
  return Object.fromEntries(levels.map(({ level, bytes }) => [level, bytes]));
}

const copies = (body: readonly Statement[]): boolean =>
  body.some(
    statement =>
      (statement.op === 'assign' && statement.asynchronous === true) ||
      ('body' in statement && copies(statement.body)),
  );
