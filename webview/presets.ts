/** Schedules to begin from: what was fastest here or in the shipped table, and the rungs of the ladder. Pure. */
import { t } from '@vscode/l10n';
import { findDevice, matchDevice } from '../src/core/device/devices';
import { adapterOf, FAMILY_NAMES } from '../src/core/dispatch/adapterFamily';
import { foundText } from '../src/core/dispatch/scheduleFrom';
import { machineOf } from '../src/core/analysis/roofline';
import type { Measurement } from '../src/core/measure/measurement';
import { ladderRates } from '../src/core/measure/table';
import { plan } from '../src/core/plan/planner';
import { ladderOf } from '../src/core/spec/ladder';
import { resolve, resolveAndSay } from '../src/core/spec/resolve';
import type { ResolvedSpec } from '../src/core/spec/resolved';
import { sameJson } from '../src/core/spec/same';
import type { GemmSpec, Schedule, Target } from '../src/core/spec/schema';
import { changesBetween, type Change } from './changes';
import { formatNumber, formatRate } from './format';

export interface Preset {
  readonly id: string;
  readonly name: string;
  /** Where it was measured, and how fast; null where it was not. */
  readonly measured: string | null;
  readonly schedule: Schedule;
  /** What it changes; empty where it is in use. */
  readonly changes: readonly Change[];
  /** Why it is not legal for the shown target; null where it is. */
  readonly illegal: string | null;
}

export interface PresetInput {
  readonly spec: GemmSpec;
  readonly resolved: ResolvedSpec;
  readonly target: Target;
  readonly runs: readonly Measurement[];
  /** That this page runs WebGPU on; null where it has none. */
  readonly adapter: Measurement['device'] | null;
}

export function presetsOf(input: PresetInput): readonly Preset[] {
  return [...fastestHere(input), ...ofAdapter(input), ...fastestShipped(input), ...rungs(input)];
}

type Named = Pick<Preset, 'id' | 'name' | 'measured' | 'schedule'>;

function preset(named: Named, { spec, resolved, target }: PresetInput): Preset {
  const changed = resolve({ ...spec, schedule: named.schedule });
  const planned = plan(changed, target);
  const illegal = planned.ok ? null : (planned.violations[0]?.message ?? '');
  const changes = changesBetween(resolved, changed);
  return { ...named, changes, illegal };
}

/** Of the runs of this workspace: the fastest schedule of exactly this problem, a machine each. */
function fastestHere(input: PresetInput): readonly Preset[] {
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
          ? t('{0}, the only run on {1}', formatRate(timing.gflops), machine)
          : t('{0}, the best of {1} runs on {2}', formatRate(timing.gflops), own.length, machine);
      const named = { id: `run ${machine}`, name: t('Fastest here'), measured };
      return [preset({ ...named, schedule: of.schedule }, input)];
    });
}

/** What a spec without a schedule would get where it runs on this adapter: the page shows what it runs, so it only offers it. */
function ofAdapter(input: PresetInput): readonly Preset[] {
  const { spec, target, adapter: device } = input;
  const adapter = device === null || target !== 'wgsl' ? undefined : adapterOf(device);
  if (adapter === undefined) return [];
  const { problem } = spec;
  const limits = spec.webgpuLimits === undefined ? {} : { webgpuLimits: spec.webgpuLimits };
  const { found } = resolveAndSay({ problem, targets: [target], ...limits }, undefined, adapter);
  if (found === null) return [];
  const name = t('Default of this adapter ({0})', FAMILY_NAMES[adapter.family]);
  const { schedule } = found;
  return [preset({ id: 'adapter', name, measured: foundText(found), schedule }, input)];
}

/** What a spec without a schedule would get, were it for the shown target alone. */
function fastestShipped(input: PresetInput): readonly Preset[] {
  const { spec, resolved, target } = input;
  const { problem } = spec;
  const bare = { problem, device: resolved.device, targets: [target] };
  const limits = spec.webgpuLimits === undefined ? {} : { webgpuLimits: spec.webgpuLimits };
  const { found } = resolveAndSay({ ...bare, ...limits });
  if (found === null) return [];
  const name = t("The table's best");
  const { schedule } = found;
  return [preset({ id: 'table', name, measured: foundText(found), schedule }, input)];
}

function rateText(gflops: number, size: number, device: string, exact: boolean): string {
  const [rate, cube] = [formatRate(gflops), `${formatNumber(size)}³`];
  const name = findDevice(device)?.name ?? device;
  return exact
    ? t('{0}, measured on {1} at {2}', rate, name, cube)
    : t('{0}, measured on {1} at {2}, not at this size', rate, name, cube);
}

/** Where the tiles of its tutorial are not legal, a rung takes the algorithm's own. */
function rungs(input: PresetInput): readonly Preset[] {
  return ladderOf(input.target, input.resolved).map(({ algorithm, change, schedule }, index) => {
    const named = { id: `rung ${index}`, name: `${index + 1}. ${algorithm}: ${change}` };
    const measured = measuredOf(schedule, input);
    const asTaught = preset({ ...named, measured, schedule }, input);
    if (asTaught.illegal === null) return asTaught;
    const { variant } = schedule;
    const bare = { algorithm, ...(variant === undefined ? {} : { variant }) };
    const own = preset({ ...named, measured: null, schedule: bare }, input);
    return own.illegal === null ? own : asTaught;
  });
}

/** The rate of a rung in the ladder as it was measured, of the size that is nearest. */
function measuredOf(schedule: Schedule, { spec, resolved, target }: PresetInput): string | null {
  const rates = ladderRates(resolved, target);
  if (rates === null) return null;
  const full = resolve({ ...spec, schedule }).schedule;
  const known = rates.rows.find(row => sameJson(row.schedule, full));
  return known === undefined
    ? null
    : rateText(known.gflops, rates.size, resolved.device, rates.exact);
}
