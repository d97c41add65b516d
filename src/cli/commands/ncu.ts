/**
 * `ncu SPEC|FILE`: compares Nsight Compute counters with the analysis. The counters are profiled on
 * this machine or read from CSV files.
 */
import {
  DEFAULT_DEVICE,
  isDeviceId,
  matchDevice,
  type DeviceId,
} from '../../core/hardware/devices';
import type { Runnable } from '../../core/kernel/kernel';
import type { NcuRow } from '../../core/profile/ncu/compare';
import { inspectNcu, type NcuInspection } from '../../core/profile/ncu/inspect';
import { isEqual, type SiteRow } from '../../core/profile/ncu/compareSites';
import {
  readNcu,
  mergeReports,
  type NcuKernel,
  type NcuReport,
} from '../../core/profile/ncu/report';
import { profile } from '../../host/ncu';
import { command, device, set, specOrFileArgument, type Context } from '../command';
import { kernelOf, readInput, requireSource } from '../kernel';
import { compiledResources, readAccesses } from '../resources';
import { readReport } from '../input';
import {
  EXIT,
  Failure,
  interrupted,
  missingPrerequisite,
  invalidInput,
  type Result,
} from '../result';
import { quantity, table } from '../table';

export const ncuCommand = command({
  name: 'ncu',
  description: 'Compare Nsight Compute counters with the analysis; runs ncu or reads its CSV files',
  args: {
    spec: specOrFileArgument,
    report: {
      type: 'string',
      valueHint: 'CSV',
      description: 'Read this CSV file of ncu --csv --page raw instead of running ncu',
    },
    source: {
      type: 'string',
      valueHint: 'CSV',
      description:
        'CSV file of ncu --csv --page source --print-source cuda,sass, with counters per access site',
    },
    set,
    device,
  },
  run: async (options, context): Promise<Result> => {
    const wanted = options.device;
    if (wanted !== undefined && !isDeviceId(wanted)) {
      throw invalidInput(
        `Unknown device "${wanted}". Fix: choose a device from \`gemm-explorer devices\`.`,
      );
    }
    requireSource(options.spec, 'ncu reads CUDA and WGSL source', /\.(?:cuh?|wgsl)$/i);
    const input = await readInput(options.spec, options);
    const runnable = input.kind === 'spec' ? kernelOf(input, 'cuda') : input.runnable;
    const files = [options.report, options.source].filter(path => path !== undefined);
    const report = files.length === 0 ? await profiled(runnable, context) : await imported(files);
    const on = wanted ?? deviceOf(report, runnable);
    const compilation = { runnable, path: options.spec, device: on };
    const resources = await compiledResources(compilation, context);
    const accesses = resources && (await readAccesses(compilation, context));
    const inspection = inspectNcu(report, runnable, {
      device: on,
      ...(resources && { resources }),
      ...(accesses && { accesses }),
    });
    if (!inspection.ok) throw invalidInput(inspection.why);
    return { exit: EXIT.yes, json: asJson(inspection, on), text: describe(inspection) };
  },
});

async function imported(paths: readonly string[]): Promise<NcuReport> {
  const reports: NcuReport[] = [];
  for (const path of paths) {
    const read = readNcu(await readReport(path));
    if (!read.ok) throw invalidInput(`${path}: ${read.why} ${read.next}`);
    reports.push(read.report);
  }
  return mergeReports(reports);
}

async function profiled(runnable: Runnable, { abort, note }: Context): Promise<NcuReport> {
  const made = await profile(runnable, { signal: abort, onProgress: note });
  if (made.ok) return made.report;
  const text = `${made.why} ${made.next}`.trim();
  if (made.outcome === 'cancelled') throw interrupted();
  throw made.outcome === 'failed' ? new Failure(EXIT.no, text) : missingPrerequisite(text);
}

/**
 * Returns the first known device of the report, otherwise the spec's device if known, otherwise the
 * default device.
 */
function deviceOf({ kernels }: NcuReport, { spec }: Runnable): DeviceId {
  const profiledOn = kernels.flatMap(({ device: name }) => matchDevice(name ?? '') ?? [])[0];
  const named = profiledOn ?? spec?.device ?? '';
  return isDeviceId(named) ? named : DEFAULT_DEVICE;
}

type Found = Extract<NcuInspection, { readonly ok: true }>;

const asJson = ({ kernel, others, rows, sites, limits }: Found, on: DeviceId): unknown => ({
  device: on,
  others,
  rows,
  sites,
  limits,
  kernel: kernel && { ...kernel, metrics: Object.fromEntries(kernel.metrics) },
});

const describe = ({ kernel, others, rows, sites, limits }: Found): string =>
  [
    ...(kernel === null
      ? []
      : [[launchText(kernel, others), table([HEAD, ...rows.map(cells)])].join('\n')]),
    ...(sites.length === 0 ? [] : [table([SITE_HEAD, ...sites.map(siteCells)])]),
    ...(limits.length === 0 ? [] : [limits.join('\n')]),
  ].join('\n\n');

const launchText = ({ entry, id, device }: NcuKernel, others: number): string =>
  `${entry}, launch ${id}${others > 0 ? ` (last of ${others + 1})` : ''}${device === undefined ? '' : `, ${device}`}`;

const HEAD = ['', 'model', 'Nsight Compute', 'difference', ''];

const cells = (row: NcuRow): readonly string[] => [
  row.name,
  shown(row.ours),
  shown(row.counted),
  difference(row),
  row.why,
];

const SITE_HEAD = [
  'site',
  'access',
  'requests',
  'Nsight Compute',
  '',
  'wavefronts, sectors',
  'Nsight Compute',
  '',
  '',
];

const siteCells = ({ sites, space, op, requests, cost, why }: SiteRow): readonly string[] => [
  sites.join(' + ') || '(none)',
  `${space} ${op}`,
  ...[requests, cost].flatMap(compared => [
    String(compared.ours ?? '-'),
    String(compared.counted),
    isEqual(compared) ? 'equal' : '!',
  ]),
  why,
];

const shown = (figure: NcuRow['ours']): string =>
  figure === null ? '-' : quantity(figure.value, figure.unit);

const difference = ({ verdict, differencePercent }: NcuRow): string => {
  if (verdict === 'equal') return 'equal';
  if (verdict === 'not compared' || differencePercent === null) return verdict;
  return `${differencePercent > 0 ? '+' : ''}${differencePercent.toFixed(1)} %`;
};
