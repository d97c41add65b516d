/** The report as one HTML file with its pictures. It loads nothing and contains no scripts. */
import { t } from '@vscode/l10n';
import { bankChart } from './bankChart';
import type { Chart } from './chart';
import { comparisonChart } from './comparisonChart';
import { factTable, figure, htmlPage, htmlText, list, section, type HtmlRow } from './htmlPage';
import { occupancyChart } from './occupancyChart';
import { recoverGenerated } from '../kernel/generatedKernel';
import type { Runnable } from '../kernel/kernel';
import { rateOf } from '../measure/intervals';
import type { Measurement } from '../measure/measurement';
import { drawnRequest } from '../memory/drawnRequest';
import { limiterName } from '../occupancy/limiterName';
import { occupancyCurves } from '../occupancy/occupancyCurves';
import { findDevice } from '../hardware/devices';
import { scheduleName } from '../plan/specKey';
import type { Analysis } from '../report/analysis';
import { verdictOf } from '../report/verdict';
import type { LevelRoofline } from '../roofline/levelRoofline';
import type { ResolvedProblem } from '../spec/resolved';
import type { GemmSpec } from '../spec/schema';
import { problemName } from '../spec/problemName';
import { quantityText } from './quantityText';

export interface ReportContent {
  /** Null for edited and hand-written kernels. */
  readonly spec: GemmSpec | null;
  readonly kernel: {
    readonly name: string;
    readonly entry: string;
    readonly origin: string;
    readonly sourceHash: string;
    readonly problem: ResolvedProblem;
  };
  readonly measurement: Measurement | null;
  readonly analysis: Analysis;
  readonly levelRoofline: LevelRoofline | null;
}

export interface ReportPage {
  readonly report: ReportContent;
  /** Facts of the measurement; empty without a measurement. */
  readonly facts: readonly HtmlRow[];
  readonly runnable: Runnable;
  /** The roofline with its title, caption and legend. */
  readonly roofline: Chart;
}

export function reportHtml({ report, facts, runnable, roofline }: ReportPage): string {
  const { spec, kernel, measurement, analysis, levelRoofline } = report;
  const title = t('{0}: {1}', problemName(kernel.problem), scheduleName(analysis.specKey));
  return htmlPage({
    title,
    parts: [
      `<p>${htmlText(verdictOf(analysis.roofline, levelRoofline).text)}</p>`,
      section(t('Measured'), measurement === null ? '' : measured(measurement, facts)),
      section(t('Roofline'), figure(roofline)),
      section(t('Predicted'), factTable(predictedRows(report))),
      section(t('Occupancy'), occupancy(report)),
      section(t('Bank conflicts'), banks(report, runnable)),
      section(t('Notes'), list(analysis.notes.map(note => note.text))),
      section(t('Kernel'), factTable(kernelRows(report))),
      section(
        t('Spec'),
        spec === null ? '' : `<pre>${htmlText(JSON.stringify(spec, null, 2))}</pre>`,
      ),
    ],
  });
}

/** Returns the facts of the run, with its rate compared with the libraries, if there are any. */
function measured(run: Measurement, facts: readonly HtmlRow[]): string {
  const { timing, baseline } = run;
  const libraries = run.baselines ?? (baseline === undefined ? [] : [baseline]);
  const rows = factTable(facts);
  if (timing === undefined || libraries.length === 0) return rows;
  const rates = [
    { name: scheduleName(run.specKey), rate: rateOf(timing) },
    ...libraries.map(library => ({ name: library.name, rate: rateOf(library) })),
  ];
  const chart = comparisonChart(
    { title: t('Measured rates'), from: 'measured', rates, reference: 0 },
    760,
  );
  return `${figure(chart)}\n${rows}`;
}

function predictedRows({ analysis }: ReportContent): readonly HtmlRow[] {
  const { prediction, traffic, waves } = analysis;
  return [
    ...(prediction === null
      ? []
      : [
          [t('rate'), quantityText(prediction.tflops)] as const,
          [t('time'), quantityText(prediction.milliseconds)] as const,
        ]),
    [t('DRAM, compulsory'), quantityText(traffic.dram)],
    [t('L2, tile loads'), quantityText(traffic.l2)],
    [t('shared memory'), quantityText(traffic.shared)],
    ...(waves === null
      ? []
      : [[t('waves'), quantityText({ value: waves.waves, unit: '' })] as const]),
  ];
}

function occupancy({ analysis }: ReportContent): string {
  const { occupancy: of, device } = analysis;
  if (of === null) return '';
  const computeCapability = findDevice(device)?.computeCapability ?? '';
  const curves = occupancyCurves({
    computeCapability,
    threadsPerBlock: of.threads,
    registersPerThread: of.registers.value,
    sharedBytesPerBlock: of.sharedBytes.value,
  });
  const facts = factTable([
    [t('occupancy'), `${Math.round(1000 * of.occupancy) / 10} %`],
    [t('blocks per SM'), String(of.blocksPerSm)],
    [t('limited by'), of.limiters.map(limiterName).join(', ')],
    [t('registers per thread'), `${of.registers.value} (${of.registers.from})`],
    [t('shared memory per block'), quantityText(of.sharedBytes)],
  ]);
  return curves.length === 0 ? facts : `${figure(occupancyChart(curves))}\n${facts}`;
}

/** Returns the worst-case request of each access with bank conflicts. */
function banks({ analysis }: ReportContent, runnable: Runnable): string {
  const kernel = recoverGenerated(runnable);
  if (kernel === null) return '';
  return analysis.sharedMemory
    .filter(({ wavefrontsPerRequest, idealWavefronts }) => wavefrontsPerRequest > idealWavefronts)
    .flatMap(site => drawnRequest(kernel, site) ?? [])
    .map(request => {
      const chart = bankChart(request);
      return `<p>${htmlText(chart.title)}</p>${figure(chart)}`;
    })
    .join('\n');
}

const kernelRows = ({ kernel, analysis }: ReportContent): readonly HtmlRow[] => [
  [t('file'), kernel.name],
  [t('entry'), kernel.entry],
  [t('origin'), kernel.origin],
  [t('target'), analysis.target],
  [t('source (SHA-256)'), kernel.sourceHash.slice(0, 16)],
];
