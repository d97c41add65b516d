/** A report of Nsight Compute about one kernel: found in it, and compared with the analysis. */
import { analyze, type AnalyzeOptions } from '../analysis/analyze';
import { generatedKernel } from '../emit/generatedKernel';
import type { Runnable } from '../emit/kernel';
import type { Statement } from '../ir/ir';
import { compareWithNcu, type NcuComparison } from './compare';
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
  const compared = compareWithNcu(kernel, {
    analysis: analyze(runnable, options),
    isAsynchronous: generated !== null && copies(generated.ir.body),
    medianMs: timed?.timing?.medianMs,
  });
  return { ok: true, kernel, others, ...compared, limits: [...compared.limits, ...report.limits] };
}

const copies = (body: readonly Statement[]): boolean =>
  body.some(
    statement =>
      (statement.op === 'assign' && statement.asynchronous === true) ||
      ('body' in statement && copies(statement.body)),
  );
