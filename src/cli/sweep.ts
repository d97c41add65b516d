/** `analyze --sweep`: the saw-tooth of a kernel over its size, as a table, as CSV, and for JSON. */
import type { Analysis } from '../core/report/analysis';
import { balanceText } from '../core/occupancy/waves';
import { generatedKernel } from '../core/kernel/generatedKernel';
import type { Runnable } from '../core/kernel/kernel';
import { AXES, sizeSweep, sweepInputOf, type Axis, type Sweep } from '../core/search/sweep/sweep';
import {
  betterSizes,
  defaultRange,
  toothSizes,
  type BetterSize,
} from '../core/search/sweep/sawToothSizes';
import { sweepCsv } from '../core/search/sweep/sweepCsv';
import { wholeNumber } from './command';
import { unusable } from './result';
import { number, percent, table } from './table';

const count = (description: string) => ({ type: 'string', valueHint: 'N', description }) as const;

export const sweepOptions = {
  sweep: {
    type: 'enum' as const,
    options: [...AXES],
    description: 'Waves, padding and predicted rate over a size, or over m = n = k',
  },
  from: count('First size of --sweep; default: half the present one'),
  to: count('Last size of --sweep; default: twice the present one'),
  step: count('Every so many sizes; default: both sides of every tooth'),
  csv: { type: 'boolean' as const, description: 'Print the points of --sweep as CSV' },
};

export interface SweepRequest {
  readonly sweep?: Axis | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly step?: string | undefined;
  readonly csv?: boolean | undefined;
}

const MOST_POINTS = 100_000;

/** Null where none is asked for. */
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
    throw unusable(`--${alone} is of --sweep, which says what moves: ${AXES.join(', ')}.`);
  }
  const plan = generatedKernel(runnable)?.plan ?? null;
  if (plan === null) {
    throw unusable(
      'A sweep plans the same schedule for other sizes; this text has none, since it is hand-written or edited. Give its spec.',
    );
  }
  const input = sweepInputOf(analysis, plan);
  if (input === null) {
    throw unusable(
      `How many blocks fit a multiprocessor of ${analysis.device} is not known, so there are no waves; choose an NVIDIA device.`,
    );
  }
  return sizeSweep(input, axis, sizesOf(request, axis, input.plan));
}

function sizesOf(
  { from, to, step }: SweepRequest,
  axis: Axis,
  plan: Parameters<typeof toothSizes>[0],
): readonly number[] {
  const around = defaultRange(plan.spec.problem, axis);
  const size = (option: 'from' | 'to' | 'step', text: string): number => {
    const value = wholeNumber(option, text);
    if (value >= 1) return value;
    throw unusable(`--${option} is 0; it must be 1 at least.`);
  };
  const range = {
    from: from === undefined ? around.from : size('from', from),
    to: to === undefined ? around.to : size('to', to),
  };
  if (range.from > range.to) {
    throw unusable(`--from ${range.from} is beyond --to ${range.to}.`);
  }
  if (step === undefined) return toothSizes(plan, axis, range);
  const every = size('step', step);
  const count = Math.floor((range.to - range.from) / every) + 1;
  if (count > MOST_POINTS) {
    throw unusable(`${count} sizes are too many; --step ${every} may give ${MOST_POINTS}.`);
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
      ? 'efficiency: load balance and padding together; no rate is predicted here'
      : `TFLOP/s: predicted${calibratedOn === analysis.device ? '' : `, with the cycles of ${calibratedOn}`}`;
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
        point.size === current?.size ? '<- now' : '',
      ]),
    ]),
    '',
    ...(up === null && down === null
      ? ['No size of these beside the present one is better by a percent and followed by a fall.']
      : [down, up].flatMap(better => (better === null ? [] : [betterText(axis, better)]))),
  ].join('\n');
}

export const nameOf = (axis: Axis): string => (axis === 'mnk' ? 'm = n = k' : axis);

function betterText(axis: Axis, { point, gain }: BetterSize): string {
  const balance = `load balance ${balanceText(point.balance)}`;
  return `better: ${nameOf(axis)} = ${point.size}, ${balance}: +${number(gain * 100)} %`;
}
