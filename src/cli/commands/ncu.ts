/** `ncu SPEC|FILE`: what Nsight Compute counts of a kernel beside what the analysis says; imported, or run here. */
import { DEFAULT_DEVICE, isDeviceId, matchDevice, type DeviceId } from '../../core/device/devices';
import type { Runnable } from '../../core/emit/kernel';
import type { NcuRow } from '../../core/ncu/compare';
import { inspectNcu, type NcuInspection } from '../../core/ncu/inspect';
import { readNcu, type NcuReport } from '../../core/ncu/report';
import { profile } from '../../host/ncu';
import { command, device, set, specOrFileArgument, type Context } from '../command';
import { kernelOf, readInput } from '../kernel';
import { compiledResources } from '../resources';
import { EXIT, Failure, interrupted, lacking, unusable, type Result } from '../result';
import { readReport } from '../spec';
import { quantity, table } from '../table';

export const ncuCommand = command({
  name: 'ncu',
  description: 'Counters of Nsight Compute beside the analysis: runs ncu, or reads its CSV file',
  args: {
    spec: specOrFileArgument,
    report: {
      type: 'string',
      valueHint: 'CSV',
      description: 'A file that ncu --csv --page raw wrote, instead of running ncu',
    },
    set,
    device,
  },
  run: async (options, context): Promise<Result> => {
    const wanted = options.device;
    if (wanted !== undefined && !isDeviceId(wanted)) {
      throw unusable(`Unknown device "${wanted}". \`gemm-explorer devices\` lists them.`);
    }
    const input = await readInput(options.spec, options);
    const runnable = input.kind === 'spec' ? kernelOf(input, 'cuda') : input.runnable;
    const report =
      options.report === undefined
        ? await profiled(runnable, context)
        : await imported(options.report);
    const on = wanted ?? deviceOf(report, runnable);
    const resources = await compiledResources(
      { runnable, path: options.spec, device: on },
      context,
    );
    const inspection = inspectNcu(report, runnable, {
      device: on,
      ...(resources && { resources }),
    });
    if (!inspection.ok) throw unusable(inspection.why);
    return { exit: EXIT.yes, json: asJson(inspection, on), text: describe(inspection) };
  },
});

async function imported(path: string): Promise<NcuReport> {
  const read = readNcu(await readReport(path));
  if (!read.ok) throw unusable(`${path}: ${read.why} ${read.next}`);
  return read.report;
}

async function profiled(runnable: Runnable, { abort, note }: Context): Promise<NcuReport> {
  const made = await profile(runnable, { signal: abort, onProgress: note });
  if (made.ok) return made.report;
  const text = `${made.why} ${made.next}`.trim();
  if (made.outcome === 'cancelled') throw interrupted();
  throw made.outcome === 'failed' ? new Failure(EXIT.no, text) : lacking(text);
}

/** The one that was profiled, where the report names it. */
function deviceOf({ kernels }: NcuReport, { spec }: Runnable): DeviceId {
  const profiledOn = kernels.flatMap(({ device: name }) => matchDevice(name ?? '') ?? [])[0];
  const named = profiledOn ?? spec?.device ?? '';
  return isDeviceId(named) ? named : DEFAULT_DEVICE;
}

type Found = Extract<NcuInspection, { readonly ok: true }>;

const asJson = ({ kernel, others, rows, limits }: Found, on: DeviceId): unknown => ({
  ...{ device: on, kernel: { ...kernel, metrics: Object.fromEntries(kernel.metrics) } },
  ...{ others, rows, limits },
});

const describe = ({ kernel, others, rows, limits }: Found): string =>
  [
    `${kernel.entry}, launch ${kernel.id}${others > 0 ? ` (the last of ${others + 1})` : ''}${kernel.device === undefined ? '' : `, ${kernel.device}`}`,
    table([
      ['', 'model', 'Nsight Compute', 'difference', ''],
      ...rows.map(row => [row.name, shown(row.ours), shown(row.counted), difference(row), row.why]),
    ]),
    ...limits,
  ].join('\n');

const shown = (of: NcuRow['ours']): string => (of === null ? '-' : quantity(of.value, of.unit));

const difference = ({ verdict, differencePercent }: NcuRow): string => {
  if (verdict === 'equal') return 'equal';
  if (verdict === 'not compared' || differencePercent === null) return verdict;
  return `${differencePercent > 0 ? '+' : ''}${differencePercent.toFixed(1)} %`;
};
