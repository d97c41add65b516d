/**
 * Dispatch tables: rows grouped by device, target and types, with the rates of all schedules at
 * each measured shape.
 */
import { findDevice } from '../../hardware/devices';
import { canonicalJson } from '../../text/canonicalJson';
import type { ResolvedSchedule } from '../../spec/resolved';
import { familyOf, type AdapterFamily } from './adapterFamily';
import { tableKey, pointKey, type DispatchRow } from './row';
import {
  DEFAULT_WAVE_MODEL,
  waveEfficiency,
  type ScheduleResidency,
  type WaveModel,
} from './waveModel';

export interface Candidate extends ScheduleResidency {
  /** Canonical JSON of the schedule; equal schedules share one candidate. */
  readonly key: string;
}

export interface Rate {
  readonly candidate: number;
  readonly row: DispatchRow;
  /** Natural logarithm of the full rate: GFLOP/s divided by the wave efficiency. */
  readonly fullRate: number;
}

export interface Point {
  readonly layouts: string;
  /** Base-2 logarithms of M, N, K and the batch count. */
  readonly octaves: readonly [number, number, number, number];
  readonly shape: DispatchRow['shape'];
  /** Rates, fastest first. */
  readonly rates: readonly Rate[];
  readonly origin: Origin;
}

export type Origin = 'adopted' | 'shipped';

export interface DispatchTable extends Pick<
  DispatchRow,
  'device' | 'computeCapability' | 'target' | 'types'
> {
  readonly key: string;
  readonly multiprocessors: number | undefined;
  /** WebGPU adapter family, from the first row or the device name. */
  readonly family: AdapterFamily | undefined;
  readonly model: WaveModel;
  readonly candidates: readonly Candidate[];
  readonly points: readonly Point[];
}

export interface RowsOf {
  readonly rows: readonly DispatchRow[];
  readonly origin: Origin;
  /** Wave models by `tableKey`. */
  readonly models?: ReadonlyMap<string, WaveModel>;
}

/** Builds tables from rows. Rows of `before` replace rows of `after` with the same key. */
export function tablesOf(before: RowsOf, after?: RowsOf): readonly DispatchTable[] {
  const replaced = new Set(before.rows.map(pointKey));
  const kept = after?.rows.filter(row => !replaced.has(pointKey(row))) ?? [];
  const originOf = new Set(before.rows);
  const tables = grouped([...before.rows, ...kept], tableKey);
  return [...tables].map(([key, rows]) =>
    tableOf(
      key,
      rows,
      before.models?.get(key) ?? after?.models?.get(key) ?? DEFAULT_WAVE_MODEL,
      row => (originOf.has(row) ? before.origin : (after?.origin ?? before.origin)),
    ),
  );
}

function tableOf(
  key: string,
  rows: readonly DispatchRow[],
  model: WaveModel,
  originOf: (row: DispatchRow) => Origin,
): DispatchTable {
  const [first] = rows;
  if (first === undefined) throw new Error('a dispatch table must have at least one row');
  const { device, target, types } = first;
  const known = findDevice(device);
  const computeCapability = known?.computeCapability ?? first.computeCapability;
  const smCount = known?.multiprocessors;
  const family = first.family ?? familyOf(known?.name ?? device);
  const { candidates, indexOf } = candidatesOf(rows);
  const rateOf = (row: DispatchRow): Rate => {
    const index = indexOf(row);
    const candidate = candidates[index];
    if (candidate === undefined) throw new Error('the schedule of a row must be a candidate');
    const efficiency = waveEfficiency(row.shape, candidate, smCount ?? 1, model);
    return { candidate: index, row, fullRate: Math.log(row.gflops / efficiency) };
  };
  const points = [...grouped(rows, ofTable).values()].flatMap(same => {
    const [row] = same;
    if (row === undefined) return [];
    const { layouts, shape } = row;
    const rates = same.map(rateOf).sort((one, other) => other.row.gflops - one.row.gflops);
    return [{ layouts, shape, octaves: octavesOf(shape), rates, origin: originOf(row) }];
  });
  return {
    key,
    device,
    target,
    types,
    multiprocessors: smCount,
    family,
    model,
    candidates,
    points,
    ...(computeCapability === undefined ? {} : { computeCapability }),
  };
}

const ofTable = ({ layouts, shape: { m, n, k, batch } }: DispatchRow): string =>
  `${layouts} ${m} ${n} ${k} ${batch}`;

function candidatesOf(rows: readonly DispatchRow[]): {
  readonly candidates: readonly Candidate[];
  readonly indexOf: (row: DispatchRow) => number;
} {
  const candidates: Candidate[] = [];
  const byObject = new Map<ResolvedSchedule, number>();
  const byKey = new Map<string, number>();
  for (const { schedule, blocksPerSm = 1 } of rows) {
    if (byObject.has(schedule)) continue;
    const key = canonicalJson(schedule);
    const index = byKey.get(key) ?? candidates.push({ key, schedule, blocksPerSm }) - 1;
    byKey.set(key, index);
    byObject.set(schedule, index);
  }
  return { candidates, indexOf: ({ schedule }) => byObject.get(schedule) ?? 0 };
}

export const octavesOf = ({ m, n, k, batch }: DispatchRow['shape']): Point['octaves'] => [
  Math.log2(m),
  Math.log2(n),
  Math.log2(k),
  Math.log2(batch),
];

function grouped<T>(all: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return groups;
}
