/** Finds a kernel in an Nsight Compute report and compares it with the analysis. */
import { t } from '@vscode/l10n';
import type { Analysis } from '../../report/analysis';
import { analyze, type AnalyzeOptions } from '../../report/analyze';
import { memoryLevels } from '../../memory/memoryLevels';
import { findDevice } from '../../hardware/devices';
import { recoverGenerated } from '../../kernel/generatedKernel';
import { isLowered, type Kernel, type Runnable } from '../../kernel/kernel';
import type { Statement } from '../../kernel/ir/ir';
import { compareWithNcu, type ComparedAnalysis, type NcuComparison } from './compare';
import { compareSites, type SiteRow } from './compareSites';
import { matchKernel, noKernel } from './match';
import type { NcuKernel, NcuReport } from './report';
import { generatedSiteLines, compiledSiteLines } from './siteLines';

export type NcuInspection =
  | ({
      readonly ok: true;
      /** Kernel in the report; null if the report has only a source page. */
      readonly kernel: NcuKernel | null;
      /** Number of other launches of this kernel with the same grid and block. */
      readonly others: number;
      /** Comparison per access site; empty if the report has no comparable source page. */
      readonly sites: readonly SiteRow[];
    } & NcuComparison)
  | { readonly ok: false; readonly why: string };

export function inspectNcu(
  report: NcuReport,
  runnable: Runnable,
  options: AnalyzeOptions,
): NcuInspection {
  const page = report.sources.find(({ entry }) => entry === runnable.entry);
  const isSourceAlone = report.kernels.length === 0;
  if (isSourceAlone && page === undefined) return noKernel(runnable, report.sources);
  const found = isSourceAlone ? null : matchKernel(report, runnable);
  if (found !== null && !found.ok) return found;
  const generated = recoverGenerated(runnable);
  const timed = options.measurements?.findLast(({ timing }) => timing !== undefined);
  const analysis = analyze(runnable, options);
  const places = generated === null ? compiledSiteLines(analysis) : generatedSiteLines(generated);
  const sites =
    page === undefined
      ? { rows: [], limits: [withoutPage()] }
      : compareSites(page, { analysis, places, runnable });
  const compared =
    found === null
      ? { rows: [], limits: [] }
      : compareWithNcu(found.kernel, {
          analysis,
          levels: generated === null ? undefined : levelsOf(generated, analysis),
          isAsynchronous: generated !== null && copiesItself(generated),
          medianMs: timed?.timing?.medianMs,
        });
  return {
    ok: true,
    kernel: found?.kernel ?? null,
    others: found?.others ?? 0,
    rows: compared.rows,
    sites: sites.rows,
    limits: [...compared.limits, ...sites.limits, ...report.limits],
  };
}

const withoutPage = (): string =>
  t(
    'The report has only kernel totals, so access sites are not compared. Fix: add the source page: ncu --section SourceCounters -o REPORT, then ncu --import REPORT.ncu-rep --csv --page source --print-source cuda,sass.',
  );

function levelsOf(generated: Kernel, analysis: Analysis): ComparedAnalysis['levels'] {
  const device = findDevice(analysis.device);
  if (device === undefined) return undefined;
  const { levels } = memoryLevels(generated, analysis, device);
  return Object.fromEntries(levels.map(({ level, bytes }) => [level, bytes]));
}

/** Returns whether the kernel uses asynchronous copies, including TMA loads. */
const copiesItself = (kernel: Kernel): boolean => !isLowered(kernel) || copies(kernel.ir.body);

const copies = (body: readonly Statement[]): boolean =>
  body.some(
    statement =>
      (statement.op === 'assign' && statement.asynchronous === true) ||
      ('body' in statement && copies(statement.body)),
  );
