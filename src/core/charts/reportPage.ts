/** The report as one HTML file with its pictures. It loads nothing and contains no scripts. */
import { t } from '@vscode/l10n';
import { bankChart } from './bankChart';
import type { Chart } from './chart';
import { chartSvg } from './chartSvg';
import { comparisonChart } from './comparisonChart';
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
import { visibleText } from '../text/plainText';
import { quantityText } from './quantityText';

type Row = readonly [name: string, value: string];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

const text = (value: string): string =>
  visibleText(value).replace(/[&<>"]/g, character => ESCAPES[character] ?? character);

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;color:#222;background:#fff;max-width:860px;margin:2em auto;padding:0 1em}
h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em}table{border-collapse:collapse}
th,td{text-align:left;vertical-align:top;padding:3px 16px 3px 0;border-bottom:1px solid #ddd;font-weight:400}
th{color:#555}svg{max-width:100%;height:auto}figure{margin:1em 0}pre{background:#f4f4f4;padding:1em;overflow:auto}`;

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
  readonly facts: readonly Row[];
  readonly runnable: Runnable;
  /** The roofline with its title, caption and legend. */
  readonly roofline: Chart;
}

export function reportHtml({ report, facts, runnable, roofline }: ReportPage): string {
  const { spec, kernel, measurement, analysis, levelRoofline } = report;
  const title = t('{0}: {1}', problemName(kernel.problem), scheduleName(analysis.specKey));
  return [
    '<!DOCTYPE html>',
    '<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>${text(title)}</title><style>${STYLE}</style></head><body>`,
    `<h1>${text(title)}</h1>`,
    `<p>${text(verdictOf(analysis.roofline, levelRoofline).text)}</p>`,
    section(t('Measured'), measurement === null ? '' : measured(measurement, facts)),
    section(t('Roofline'), figure(roofline)),
    section(t('Predicted'), table(predictedRows(report))),
    section(t('Occupancy'), occupancy(report)),
    section(t('Bank conflicts'), banks(report, runnable)),
    section(t('Notes'), list(analysis.notes.map(note => note.text))),
    section(t('Kernel'), table(kernelRows(report))),
    section(t('Spec'), spec === null ? '' : `<pre>${text(JSON.stringify(spec, null, 2))}</pre>`),
    '</body></html>',
    '',
  ].join('\n');
}

const section = (title: string, content: string): string =>
  content === '' ? '' : `<h2>${text(title)}</h2>\n${content}`;

const figure = (chart: Chart): string => `<figure>${chartSvg(chart)}</figure>`;

const table = (rows: readonly Row[]): string =>
  rows.length === 0
    ? ''
    : `<table>${rows
        .map(
          ([name, value]) => `<tr><th scope="row">${text(name)}</th><td>${text(value)}</td></tr>`,
        )
        .join('')}</table>`;

const list = (items: readonly string[]): string =>
  items.length === 0 ? '' : `<ul>${items.map(item => `<li>${text(item)}</li>`).join('')}</ul>`;

/** Returns the facts of the run, with its rate compared with the libraries, if there are any. */
function measured(run: Measurement, facts: readonly Row[]): string {
  const { timing, baseline } = run;
  const libraries = run.baselines ?? (baseline === undefined ? [] : [baseline]);
  const rows = table(facts);
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

function predictedRows({ analysis }: ReportContent): readonly Row[] {
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
  const facts = table([
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
      return `<p>${text(chart.title)}</p>${figure(chart)}`;
    })
    .join('\n');
}

const kernelRows = ({ kernel, analysis }: ReportContent): readonly Row[] => [
  [t('file'), kernel.name],
  [t('entry'), kernel.entry],
  [t('origin'), kernel.origin],
  [t('target'), analysis.target],
  [t('source (SHA-256)'), kernel.sourceHash.slice(0, 16)],
];
