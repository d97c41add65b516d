/**
 * `analyze --sweep`: reports tile and wave quantization over the problem size, as a table, CSV or
 * JSON.
 */
import type { Analysis } from '../core/report/analysis';
import { balanceText } from '../core/occupancy/waves';
import { recoverGenerated } from '../core/kernel/generatedKernel';
import type { Runnable } from '../core/kernel/kernel';
import { AXES, sizeSweep, sweepInputOf, type Axis, type Sweep } from '../core/search/sweep/sweep';
import {
  betterSizes,
  defaultRange,
  tileBoundarySizes,
  type BetterSize,
} from '../core/search/sweep/sweepSizes';
import { sweepCsv } from '../core/search/sweep/sweepCsv';
import { wholeNumber } from './command';
import { invalidInput } from './result';
import { number, percent, table } from './table';

const count = (description: string) => ({ type: 'string', valueHint: 'N', description }) as const;

export const sweepOptions = {
  sweep: {
    type: 'enum' as const,
    options: [...AXES],
    description: 'Report waves, padding and predicted rate over one dimension, or over m = n = k',
  },
  from: count('First value of --sweep; default: half the current value'),
  to: count('Last value of --sweep; default: twice the current value'),
  step: count('Increment of --sweep; default: values just below and above each tile boundary'),
  csv: { type: 'boolean' as const, description: 'Print the results of --sweep as CSV' },
};

export interface SweepRequest {
  readonly sweep?: Axis | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly step?: string | undefined;
  readonly csv?: boolean | undefined;
}

const MAX_POINTS = 100_000;

export function sweepOf(
  request: SweepRequest,
  runnable: Runnable,
  analysis: Analysis,
): Sweep | null {
  const { sweep: axis } = request;
  if (axis === undefined) {
    const alone = (['from', 'to', 'step', 'csv'] as const).find(
      option => request[option] !== undefined && request[option] !== false,
    );
    if (alone === undefined) return null;
    throw invalidInput(
      `--${alone} requires --sweep. Fix: add --sweep with one of ${AXES.join(', ')}.`,
    );
  }
  const plan = recoverGenerated(runnable)?.plan ?? null;
  if (plan === null) {
    throw invalidInput(
      'A sweep plans one schedule for several problem sizes, but a hand-written or edited kernel has no schedule. Fix: pass its spec.',
    );
  }
  const input = sweepInputOf(analysis, plan);
  if (input === null) {
    throw invalidInput(
      `The number of resident blocks per SM is unknown for ${analysis.device}, so waves cannot be computed. Fix: choose an NVIDIA device.`,
    );
  }
  return sizeSweep(input, axis, sizesOf(request, axis, input.plan));
}

function sizesOf(
  { from, to, step }: SweepRequest,
  axis: Axis,
  plan: Parameters<typeof tileBoundarySizes>[0],
): readonly number[] {
  const around = defaultRange(plan.spec.problem, axis);
  const size = (option: 'from' | 'to' | 'step', text: string): number => {
    const value = wholeNumber(option, text);
    if (value >= 1) return value;
    throw invalidInput(`Expected --${option} to be at least 1, got 0.`);
  };
  const range = {
    from: from === undefined ? around.from : size('from', from),
    to: to === undefined ? around.to : size('to', to),
  };
  if (range.from > range.to) {
    throw invalidInput(`Expected --from to be at most --to, got ${range.from} and ${range.to}.`);
  }
  if (step === undefined) return tileBoundarySizes(plan, axis, range);
  const every = size('step', step);
  const count = Math.floor((range.to - range.from) / every) + 1;
  if (count > MAX_POINTS) {
    throw invalidInput(
      `${count} problem sizes exceed the limit of ${MAX_POINTS}. Fix: increase --step (now ${every}).`,
    );
  }
  return Array.from({ length: count }, (_, i) => range.from + i * every);
}

export const sweepJson = (sweep: Sweep) => ({ ...sweep, better: betterSizes(sweep) });

export function describeSweep(sweep: Sweep, analysis: Analysis, csv: boolean): string {
  if (csv) return sweepCsv(sweep);
  const { axis, points, current, calibratedOn } = sweep;
  const { up, down } = betterSizes(sweep);
  const rate =
    calibratedOn === null
      ? 'efficiency: load balance x tile efficiency; rates cannot be predicted'
      : `TFLOP/s: predicted${calibratedOn === analysis.device ? '' : `, with cycle counts measured on ${calibratedOn}`}`;
  return [
    `${analysis.specKey} (${analysis.target}) on ${analysis.device}, over ${nameOf(axis)}`,
    rate,
    '',
    table([
      [axis, 'tiles', 'waves', 'tail', 'load balance', 'padding', 'efficiency', 'TFLOP/s', ''],
      ...points.map(point => [
        point.size,
        point.tiles,
        point.waves,
        point.tailBlocks,
        balanceText(point.balance),
        percent(point.paddingFlopFraction),
        percent(point.efficiency),
        point.predicted === null ? null : number(point.predicted.tflops),
        point.size === current?.size ? '<- current' : '',
      ]),
    ]),
    '',
    ...(up === null && down === null
      ? ['No local maximum in this range is at least 1 % better than the current problem size.']
      : [down, up].flatMap(better => (better === null ? [] : [betterText(axis, better)]))),
  ].join('\n');
}

export const nameOf = (axis: Axis): string => (axis === 'mnk' ? 'm = n = k' : axis);

function betterText(axis: Axis, { point, gain }: BetterSize): string {
  const balance = `load balance ${balanceText(point.balance)}`;
  const metric = point.predicted === null ? 'efficiency' : 'predicted rate';
  return `better: ${nameOf(axis)} = ${point.size}, ${balance}: +${number(gain * 100)} % ${metric}`;
}
