/**
 * plan(): converts a spec and a target to a plan, or to violations with their nearest legal values.
 */
import { t } from '@vscode/l10n';
import type { ResolvedSchedule, ResolvedSpec } from '../spec/resolved';
import type { Target } from '../spec/schema';
import { rememberingLast, sameAlgorithm, sameExtent, sameShape } from './memoBySchedule';
import { isPlanned, plannedAlgorithms } from './fields';
import { extentOf, geometryOf, shapeOf, type Geometry } from './geometry';
import { isLaned } from './simt/lanes';
import { limitsOf } from './limits';
import { nearestTiles } from './nearestTiles';
import type { Plan, Planned, Violation } from './plan';
import { REGISTERS_PER_SM, registersOf } from './registers';
import { PROBLEM_RULES } from './rules/problemRules';
import type { Breach, Rule } from './rules/rule';
import { withoutWarpGroups } from './wgmma/wgmmaRules';
import { EXTENT_RULES, LAUNCH_RULES, RULES, SHAPE_RULES, TILE_RULES } from './rules/rules';

/** Plans a resolved spec for a target. Never throws for an illegal spec. */
export const plan = (spec: ResolvedSpec, target: Target): Planned =>
  planExamined(examine(spec, target), spec, target);

/** Plans a spec that was already examined for the target. */
export function planExamined(
  { breaches, geometry }: Examined,
  spec: ResolvedSpec,
  target: Target,
): Planned {
  return breaches.length > 0 || geometry === null
    ? { ok: false, violations: violationsOf(breaches, spec, target) }
    : { ok: true, plan: launching(spec, target, geometry)(spec) };
}

/** Returns null instead of violations. */
export const planIfLegal = (spec: ResolvedSpec, target: Target): Plan | null =>
  plannerFor(spec, target)(spec.schedule);

/** Plans many schedules of one problem; memoizes across consecutive schedules. */
export function plannerFor(
  spec: ResolvedSpec,
  target: Target,
): (schedule: ResolvedSchedule) => Plan | null {
  const limits = limitsOf(spec, target);
  if (limits === null) return () => null;
  const posed = rememberingLast(sameAlgorithm, (schedule: ResolvedSchedule) =>
    keeps(PROBLEM_RULES, { spec: { ...spec, schedule }, target, limits }),
  );
  const shaped = rememberingLast(sameShape, (schedule: ResolvedSchedule) => {
    const given = { ...spec, schedule };
    if (!isPlanned(schedule.algorithm) || withoutWarpGroups(given, target) !== undefined)
      return null;
    if (!posed(schedule)) return null;
    const geometry = shapeOf(given, target);
    return keeps(SHAPE_RULES, { spec: given, target, limits, geometry }) ? geometry : null;
  });
  const extended = rememberingLast(sameExtent, (schedule: ResolvedSchedule) => {
    const shape = shaped(schedule);
    if (shape === null) return null;
    const given = { ...spec, schedule };
    const geometry = { ...shape, ...extentOf(given, shape) };
    return keeps(EXTENT_RULES, { spec: given, target, limits, geometry })
      ? { geometry, launched: launching(given, target, geometry, limits) }
      : null;
  });
  return schedule => {
    const found = extended(schedule);
    if (found === null) return null;
    const { geometry, launched } = found;
    const given = { ...spec, schedule };
    return keeps(LAUNCH_RULES, { spec: given, target, limits, geometry }) ? launched(given) : null;
  };
}

const keeps = <Input>(rules: readonly Rule<Input>[], input: Input): boolean =>
  rules.every(rule => rule(input).length === 0);

/** Returns a function that makes plans of specs that differ only in the minimum blocks per SM. */
function launching(
  spec: ResolvedSpec,
  target: Target,
  geometry: Geometry,
  limits = limitsOf(spec, target),
): (spec: ResolvedSpec) => Plan {
  const { problem } = spec;
  const registers = registersOf(spec, geometry);
  const most = limits?.registersPerThread ?? Infinity;
  const spare = spareOf(geometry);
  const common = {
    ...geometry,
    target,
    algorithm: spec.schedule.algorithm,
    dtypes: {
      a: problem.a.dtype,
      b: problem.b.dtype,
      c: problem.c.dtype,
      workspace: problem.accumulator,
    },
    accumulator: problem.accumulator,
    dynamicShared: limits !== null && geometry.sharedBytes > limits.staticSharedBytes,
  };
  return given => {
    const allowed = Math.min(most, registersAllowed(given, target, geometry.threads));
    const { minBlocksPerSm } = given.schedule;
    return {
      ...common,
      spec: given,
      registersEstimate: Math.min(registers.expected, allowed),
      spilledEstimate: {
        inner: Math.max(0, registers.inner - allowed),
        outer: OUTER_SHARE * Math.max(0, registers.expected - allowed - spare),
      },
      ...(minBlocksPerSm === undefined ? {} : { minBlocksPerSm }),
    };
  };
}

/** Share of the excess registers that is spilled; the compiler rematerializes the rest. */
const OUTER_SHARE = 0.65;

/** Excess registers that the compiler avoids: addresses that are sums, fewer with a swizzle. */
const spareOf = ({ laned }: Geometry): number =>
  laned === undefined ? 0 : laned.a.swizzle > 1 || laned.b.swizzle > 1 ? 15 : 40;

/**
 * Registers per thread under the kernel's __launch_bounds__; the compiler spills instead of
 * exceeding them.
 */
export function registersAllowed(
  { schedule }: ResolvedSpec,
  target: Target,
  threads: number,
): number {
  if (target !== 'cuda') return Infinity;
  const warps = Math.ceil(threads / 32) * (schedule.minBlocksPerSm ?? 1);
  return Math.floor(REGISTERS_PER_SM / (32 * warps) / 8) * 8;
}

export interface Examined {
  readonly breaches: readonly Breach[];
  /** Null if the target does not support the kernel. */
  readonly geometry: Geometry | null;
}

/** Checks every rule. The geometry is computed once for rules and plan. */
export function examine(spec: ResolvedSpec, target: Target): Examined {
  const { algorithm } = spec.schedule;
  if (!isPlanned(algorithm)) {
    const message = t(
      'Algorithm "{1}" is not supported yet. Supported: {0}.',
      plannedAlgorithms().join(', '),
      algorithm,
    );
    const nearest = 'thread-tile-2d';
    return impossible({ rule: 'algorithm', path: 'schedule.algorithm', message, nearest });
  }
  const limits = limitsOf(spec, target);
  if (limits === null) {
    const message = t(
      'CUDA requires an NVIDIA device, got {0}. Choose an NVIDIA device or the target wgsl.',
      spec.device,
    );
    return impossible({ rule: 'device', path: 'device', message, nearest: 'h200' });
  }
  const without = withoutWarpGroups(spec, target);
  if (without !== undefined) return impossible(without);
  const geometry = geometryOf(spec, target);
  const input = { spec, target, limits, geometry };
  return { breaches: RULES.flatMap(rule => rule(input)), geometry };
}

const impossible = (breach: Breach): Examined => ({ breaches: [breach], geometry: null });

/** Whether a target supports the spec; like `plan`, but without the search for alternatives. */
export const isLegal = (spec: ResolvedSpec, target: Target): boolean =>
  examine(spec, target).breaches.length === 0;

function violationsOf(
  breaches: readonly Breach[],
  spec: ResolvedSpec,
  target: Target,
): readonly Violation[] {
  const known = new Set(breaches.map(keyOf));
  // Searched once, and only if no single value is legal.
  let tiles: ResolvedSchedule | null | undefined;
  const tilesTogether = (): Breach['otherwise'] => {
    if (tiles === undefined) tiles = legalTiles(known, spec, target);
    return tiles === null ? undefined : { path: 'schedule', nearest: tiles };
  };
  return breaches.map(breach => {
    const { rule, path, message } = breach;
    if ('nearest' in breach && breach.nearest !== null) {
      return { target, rule, path, message, nearest: breach.nearest };
    }
    const nearest = 'nearest' in breach ? null : nearestLegal(breach, known, spec, target);
    if (nearest !== null) return { target, rule, path, message, nearest };
    const { otherwise } = breach;
    const other =
      otherwise !== undefined && otherwise.path !== 'schedule'
        ? otherwise
        : 'nearest' in breach
          ? otherwise
          : (tilesTogether() ?? otherwise ?? defaultsOf(spec.schedule));
    return { target, rule, path, message, nearest: null, ...other };
  });
}

/** Falls back to the algorithm's default tiles if no similar tiles are legal. */
const defaultsOf = ({ algorithm }: ResolvedSchedule): Breach['otherwise'] =>
  isLaned(algorithm) || algorithm === 'mma' || algorithm === 'wgmma'
    ? { path: 'schedule', nearest: { algorithm } }
    : undefined;

const isOfTiles = ({ path }: Breach): boolean => /^schedule\.(block|warp|thread)\./.test(path);

/** Returns the schedule with the nearest tiles that violate no tile rule and add no violation. */
function legalTiles(
  known: ReadonlySet<string>,
  spec: ResolvedSpec,
  target: Target,
): ResolvedSchedule | null {
  const heals = healing(spec, target, other => isOfTiles(other) || !known.has(keyOf(other)));
  return heals === null ? null : nearestTiles(spec.schedule, heals);
}

const keyOf = ({ rule, path }: Breach): string => `${rule} ${path}`;

/** Candidate tile sizes: 1..16, then eight steps per power of two. */
const CANDIDATES: readonly number[] = [
  ...Array.from({ length: 16 }, (_, i) => i + 1),
  ...[16, 32, 64, 128, 256, 512, 1024].flatMap(p =>
    Array.from({ length: 8 }, (_, i) => p + ((i + 1) * p) / 8),
  ),
];

function nearestFirst(given: number): readonly number[] {
  const distance = (value: number): number => Math.abs(Math.log(value / given));
  return CANDIDATES.map(value => ({ value, by: distance(value) }))
    .sort((left, right) => left.by - right.by)
    .map(({ value }) => value);
}

/**
 * Returns the nearest value (as a ratio) of the violating field that adds no violation and fixes
 * all violations of the field. Falls back to a value that fixes only this violation, if another one
 * needs more than this field.
 */
function nearestLegal(
  breach: Breach,
  known: ReadonlySet<string>,
  spec: ResolvedSpec,
  target: Target,
): number | null {
  const isNew = (other: Breach): boolean => !known.has(keyOf(other));
  const { path } = breach;
  const key = keyOf(breach);
  return (
    nearestWithout(path, other => other.path === path || isNew(other), spec, target) ??
    nearestWithout(path, other => keyOf(other) === key || isNew(other), spec, target)
  );
}

/** Like `nearestLegal`, for the violations that `fails` selects. */
function nearestWithout(
  path: string,
  fails: (breach: Breach) => boolean,
  spec: ResolvedSpec,
  target: Target,
): number | null {
  const [, group, name] = path.split('.');
  const tiles = group === 'block' || group === 'warp' || group === 'thread';
  if (!tiles || name === undefined) return null;
  const given =
    (spec.schedule[group] as Readonly<Record<string, number | undefined>> | undefined)?.[name] ?? 1;
  const heals = healing(spec, target, fails);
  if (heals === null) return null;
  const withValue = (value: number): ResolvedSchedule => ({
    ...spec.schedule,
    [group]: { ...spec.schedule[group], [name]: value },
  });
  return nearestFirst(given).find(value => heals(withValue(value))) ?? null;
}

/** Returns a test for schedules of one spec: no tile-dependent violation may satisfy `fails`. */
function healing(
  spec: ResolvedSpec,
  target: Target,
  fails: (breach: Breach) => boolean,
): ((schedule: ResolvedSchedule) => boolean) | null {
  const limits = limitsOf(spec, target);
  if (limits === null) return null;
  // The rule that rejected the previous schedule runs first.
  let rules = TILE_RULES;
  return schedule => {
    const changed = { ...spec, schedule };
    const shape = shapeOf(changed, target);
    const input = { spec: changed, target, limits, geometry: shape };
    const failed = rules.find(rule => rule(input).some(fails));
    if (failed !== undefined) {
      if (failed !== rules[0]) rules = [failed, ...rules.filter(rule => rule !== failed)];
      return false;
    }
    const whole = { ...input, geometry: { ...shape, ...extentOf(changed, shape) } };
    return ![...LAUNCH_RULES, ...EXTENT_RULES].some(rule => rule(whole).some(fails));
  };
}
