/**
 * Preset schedules: the fastest schedule measured here, the default for the adapter, the best
 * schedule of the shipped table, and the rungs of the ladder. Presets that resolve to the same
 * schedule are merged.
 */
import { t } from '@vscode/l10n';
import { findDevice, matchDevice } from '../src/core/hardware/devices';
import { adapterOf, FAMILY_NAMES } from '../src/core/defaults/dispatch/adapterFamily';
import { originText } from '../src/core/defaults/dispatch/scheduleFrom';
import { machineOf } from '../src/core/roofline/roofline';
import { rateWithInterval } from '../src/core/measure/intervalText';
import type { Measurement } from '../src/core/measure/measurement';
import { ladderRates } from '../src/core/measure/table';
import { plan } from '../src/core/plan/planner';
import { scheduleName, specKey } from '../src/core/plan/specKey';
import { ladderOf, type Rung } from '../src/core/search/ladder/rungs';
import { rank } from '../src/core/search/rank/rank';
import { resolve, resolveWithOrigin, type ScheduleOrigin } from '../src/core/defaults/resolve';
import type { ResolvedSchedule, ResolvedSpec } from '../src/core/spec/resolved';
import { sameJson } from '../src/core/spec/sameJson';
import type { GemmSpec, Schedule, Target } from '../src/core/spec/schema';
import { changesBetween, type Change } from './changes';
import { formatNumber, formatRate } from './format';

export interface Preset {
  readonly id: string;
  readonly name: string;
  /** Algorithm and tiles, such as `thread-tile-2d 128x128x8-8x8`. */
  readonly tiles: string;
  /** Measured rate and machine; null if not measured. */
  readonly measured: string | null;
  /**
   * Rate for exactly this problem: measured, or else predicted. Null for an illegal schedule, or
   * without both.
   */
  readonly rate: { readonly gflops: number; readonly from: 'measured' | 'derived' } | null;
  readonly schedule: Schedule;
  readonly also: readonly Pick<Preset, 'name' | 'measured'>[];
  /** True if the preset resolves to the shown schedule. */
  readonly inUse: boolean;
  /** Changes that the preset applies; empty if it is in use. */
  readonly changes: readonly Change[];
  /** Reason why the preset is not legal for the shown target; null if it is legal. */
  readonly illegal: string | null;
  /** Rate in TFLOP/s that the time model predicts; null for WGSL and illegal schedules. */
  readonly predicted: number | null;
}

export interface PresetInput {
  readonly spec: GemmSpec;
  readonly resolved: ResolvedSpec;
  readonly target: Target;
  readonly runs: readonly Measurement[];
  readonly adapter: Measurement['device'] | null;
}

export function presetsOf(input: PresetInput): readonly Preset[] {
  const named = [
    ...fastestHere(input),
    ...adapterPreset(input),
    ...fastestShipped(input),
    ...ladderOf(input.target, input.resolved).map((rung, index) => rungPreset(rung, index, input)),
  ];
  const presets = named.map(one => preset(one, input));
  const all = merged([...presets, ...defaultPresets(presets, input)]);
  return predicted(all, input);
}

function predicted(all: readonly Resolved[], input: PresetInput): readonly Preset[] {
  const schedules = all.map(({ schedule }) => schedule);
  const ranking = input.target === 'cuda' ? rank(input.resolved, all.length, schedules) : null;
  const best = ranking === null || 'why' in ranking ? [] : ranking.best;
  return all.map(({ preset: { measuredGflops, ...named }, schedule }) => {
    const tflops = best.find(ranked => ranked.schedule === schedule)?.tflops ?? null;
    const rate =
      measuredGflops !== null
        ? ({ gflops: measuredGflops, from: 'measured' } as const)
        : tflops !== null
          ? ({ gflops: tflops * 1000, from: 'derived' } as const)
          : null;
    return { ...named, predicted: tflops, rate: named.illegal === null ? rate : null };
  });
}

interface Named extends Pick<Preset, 'id' | 'name' | 'measured' | 'schedule'> {
  /** Rate measured for exactly this problem; null if there is none. */
  readonly measuredGflops: number | null;
}

interface Resolved {
  readonly preset: Omit<Preset, 'predicted' | 'rate'> & Pick<Named, 'measuredGflops'>;
  readonly schedule: ResolvedSchedule;
}

function preset(named: Named, { spec, resolved, target }: PresetInput): Resolved {
  const changed = resolve({ ...spec, schedule: named.schedule });
  const planned = plan(changed, target);
  const illegal = planned.ok ? null : (planned.violations[0]?.message ?? '');
  const changes = changesBetween(resolved, changed);
  const { schedule } = changed;
  const inUse = sameJson(schedule, resolved.schedule);
  const tiles = scheduleName(specKey(changed));
  return { preset: { ...named, tiles, also: [], inUse, changes, illegal }, schedule };
}

function merged(presets: readonly Resolved[]): readonly Resolved[] {
  const kept: Resolved[] = [];
  for (const one of presets) {
    const at = kept.findIndex(({ schedule }) => sameJson(schedule, one.schedule));
    const first = kept[at];
    if (first === undefined) {
      kept.push(one);
      continue;
    }
    const { name, measured } = one.preset;
    const also = [...first.preset.also, { name, measured }];
    const measuredGflops = first.preset.measuredGflops ?? one.preset.measuredGflops;
    kept[at] = { ...first, preset: { ...first.preset, also, measuredGflops } };
  }
  return kept;
}

/**
 * Returns the fastest schedule per machine for exactly this problem and target, machines of the
 * spec's device first.
 */
function fastestHere(input: PresetInput): readonly Named[] {
  const { resolved, target, runs } = input;
  const timed = runs.filter(
    run =>
      run.timing !== undefined &&
      run.resolved !== null &&
      run.resolved.targets.includes(target) &&
      (run.backend === 'webgpu') === (target === 'wgsl') &&
      sameJson(run.resolved.problem, resolved.problem),
  );
  const ofDevice = (run: Measurement) => matchDevice(run.device.name) === resolved.device;
  const machines = [...new Set(timed.map(machineOf))];
  return machines
    .flatMap(machine => {
      const own = timed.filter(run => machineOf(run) === machine);
      const [best] = own.toSorted((a, b) => (b.timing?.gflops ?? 0) - (a.timing?.gflops ?? 0));
      return best === undefined ? [] : [{ best, own, machine }];
    })
    .toSorted((a, b) => Number(ofDevice(b.best)) - Number(ofDevice(a.best)))
    .flatMap(({ best: { resolved: of, timing }, own, machine }) => {
      if (of === null || timing === undefined) return [];
      const measured =
        own.length === 1
          ? t('{0}, the only run on {1}', rateWithInterval(timing), machine)
          : t('{0}, best of {1} runs on {2}', rateWithInterval(timing), own.length, machine);
      const named = { id: `run ${machine}`, name: t('Fastest here'), measured };
      return [{ ...named, measuredGflops: timing.gflops, schedule: of.schedule }];
    });
}

function adapterPreset(input: PresetInput): readonly Named[] {
  const { spec, target, adapter: device } = input;
  const adapter = device === null || target !== 'wgsl' ? undefined : adapterOf(device);
  if (adapter === undefined) return [];
  const open = { ...spec, schedule: undefined, device: undefined, targets: [target] };
  const { found } = resolveWithOrigin(open, undefined, adapter);
  if (found === null) return [];
  const name = t('Default for this adapter ({0})', FAMILY_NAMES[adapter.family]);
  return [namedOf(found, 'adapter', name)];
}

function fastestShipped(input: PresetInput): readonly Named[] {
  const { spec, resolved, target } = input;
  const { device } = resolved;
  const open = { ...spec, schedule: undefined, device, targets: [target] };
  const { found } = resolveWithOrigin(open);
  if (found === null) return [];
  const name = t('Best in shipped table');
  return [namedOf(found, 'table', name)];
}

const namedOf = (found: ScheduleOrigin, id: string, name: string): Named => ({
  id,
  name,
  measured: originText(found),
  measuredGflops: found.how === 'measured' && found.kin === 'device' ? found.gflops : null,
  schedule: found.schedule,
});

/** Formats a rate with its device, and with its size unless it is the size of the problem. */
function rateText(gflops: number, size: number, device: string, exact: boolean): string {
  const [rate, cube] = [formatRate(gflops), `${formatNumber(size)}³`];
  const name = findDevice(device)?.name ?? device;
  return exact
    ? t('measured {0} on {1}', rate, name)
    : t('measured {0} on {1} at {2}', rate, name, cube);
}

const rungPreset = (
  { algorithm, change, schedule }: Rung,
  index: number,
  input: PresetInput,
): Named => ({
  id: `rung ${index}`,
  name: `${index + 1}. ${algorithm}: ${change}`,
  ...measuredOf(schedule, input),
  schedule,
});

/**
 * Returns presets with default tiles for each algorithm that has no legal preset, if the defaults
 * are legal.
 */
function defaultPresets(presets: readonly Resolved[], input: PresetInput): readonly Resolved[] {
  const algorithms = new Set(presets.map(({ schedule }) => schedule.algorithm));
  const legal = new Set(
    presets.flatMap(({ preset, schedule }) =>
      preset.illegal === null ? [schedule.algorithm] : [],
    ),
  );
  return [...algorithms]
    .filter(algorithm => !legal.has(algorithm))
    .map(algorithm => {
      const name = t('{0}, default tiles', algorithm);
      return preset(
        {
          id: `default ${algorithm}`,
          name,
          measured: null,
          measuredGflops: null,
          schedule: { algorithm },
        },
        input,
      );
    })
    .filter(({ preset }) => preset.illegal === null);
}

/** Returns the measured rate of a rung at the nearest measured size, if it was measured. */
function measuredOf(
  schedule: Schedule,
  { spec, resolved, target }: PresetInput,
): Pick<Named, 'measured' | 'measuredGflops'> {
  const rates = ladderRates(resolved, target);
  const full = resolve({ ...spec, schedule }).schedule;
  const known = rates?.rows.find(row => sameJson(row.schedule, full));
  if (rates === null || known === undefined) return { measured: null, measuredGflops: null };
  return {
    measured: rateText(known.gflops, rates.size, resolved.device, rates.exact),
    measuredGflops: rates.exact ? known.gflops : null,
  };
}
