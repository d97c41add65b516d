/** plan(): a spec and a target become a plan, or the violations with the nearest legal value of each. */
import { t } from '@vscode/l10n';
import type { ResolvedSchedule, ResolvedSpec } from '../spec/resolved';
import type { Target } from '../spec/schema';
import { PLANNED } from './fields';
import { geometryOf, type Geometry } from './geometry';
import { isLaned } from './lanes';
import { limitsOf } from './limits';
import type { Plan, Planned, Violation } from './plan';
import { registersOf } from './registers';
import type { Breach } from './rule';
import { RULES, TILE_RULES } from './rules';

/** Plans a resolved spec for a target. An illegal spec is data: it never throws. */
export function plan(spec: ResolvedSpec, target: Target): Planned {
  const breaches = breachesOf(spec, target);
  return breaches.length > 0
    ? { ok: false, violations: violationsOf(breaches, spec, target) }
    : { ok: true, plan: planned(spec, target, geometryOf(spec, target)) };
}

/** The same without a word about what is illegal: for who plans very many. */
export function planIfLegal(spec: ResolvedSpec, target: Target): Plan | null {
  const limits = PLANNED[spec.schedule.algorithm] === undefined ? null : limitsOf(spec, target);
  if (limits === null) return null;
  const geometry = geometryOf(spec, target);
  const input = { spec, target, limits, geometry };
  return LIKELY_FIRST.some(rule => rule(input).length > 0)
    ? null
    : planned(spec, target, geometry, limits);
}

function planned(
  spec: ResolvedSpec,
  target: Target,
  geometry: Geometry,
  limits = limitsOf(spec, target),
): Plan {
  const { problem, schedule } = spec;
  const registers = registersOf(spec, geometry);
  const most = limits?.registersPerThread ?? Infinity;
  const allowed = Math.min(most, registersAllowed(spec, target, geometry.threads));
  return {
    spec,
    target,
    algorithm: schedule.algorithm,
    dtypes: {
      ...{ a: problem.a.dtype, b: problem.b.dtype, c: problem.c.dtype },
      workspace: problem.accumulator,
    },
    accumulator: problem.accumulator,
    ...geometry,
    registersEstimate: Math.min(registers.expected, allowed),
    spilledEstimate: {
      inner: Math.max(0, registers.inner - allowed),
      outer: OUTER_SHARE * Math.max(0, registers.expected - allowed - spareOf(geometry)),
    },
    dynamicShared: limits !== null && geometry.sharedBytes > limits.staticSharedBytes,
    ...(schedule.minBlocksPerSm === undefined ? {} : { minBlocksPerSm: schedule.minBlocksPerSm }),
  };
}

/** Of the registers that are too many, what is kept in memory: the compiler computes the others anew. */
const OUTER_SHARE = 0.65;

/** Registers too many that the compiler does without: addresses that are sums, fewer where they are swizzled. */
const spareOf = ({ laned }: Geometry): number =>
  laned === undefined ? 0 : laned.a.swizzle > 1 || laned.b.swizzle > 1 ? 15 : 40;

/** Registers a thread may have under the kernel's __launch_bounds__: the compiler spills rather than pass them. */
export function registersAllowed(
  { schedule }: ResolvedSpec,
  target: Target,
  threads: number,
): number {
  if (target !== 'cuda') return Infinity;
  const warps = Math.ceil(threads / 32) * (schedule.minBlocksPerSm ?? 1);
  return Math.floor(REGISTERS_PER_SM / (32 * warps) / 8) * 8;
}

/** Of every compute capability since 7.0. */
const REGISTERS_PER_SM = 65_536;

function breachesOf(spec: ResolvedSpec, target: Target): readonly Breach[] {
  const { algorithm } = spec.schedule;
  if (PLANNED[algorithm] === undefined) {
    const message = t(
      'This version plans {0}; not yet {1}.',
      Object.keys(PLANNED).join(', '),
      algorithm,
    );
    return [{ rule: 'algorithm', path: 'schedule.algorithm', message, nearest: 'thread-tile-2d' }];
  }
  const limits = limitsOf(spec, target);
  if (limits === null) {
    const message = t(
      'CUDA needs an NVIDIA device; {0} is none. Choose one, or the target wgsl.',
      spec.device,
    );
    return [{ rule: 'device', path: 'device', message, nearest: 'h200' }];
  }
  const input = { spec, target, limits, geometry: geometryOf(spec, target) };
  return RULES.flatMap(rule => rule(input));
}

/** What tiles break before what the problem does. */
const LIKELY_FIRST = [...TILE_RULES, ...RULES.filter(rule => !TILE_RULES.includes(rule))];

/** Whether a target can do it: what `plan` says, without the search for what it could do instead. */
export const isLegal = (spec: ResolvedSpec, target: Target): boolean =>
  breachesOf(spec, target).length === 0;

function violationsOf(
  breaches: readonly Breach[],
  spec: ResolvedSpec,
  target: Target,
): readonly Violation[] {
  const known = new Set(breaches.map(keyOf));
  return breaches.map(breach => {
    const { rule, path, message } = breach;
    const nearest =
      'nearest' in breach ? breach.nearest : nearestLegal(breach, known, spec, target);
    const { otherwise = 'nearest' in breach ? undefined : defaultsOf(spec.schedule) } = breach;
    if (nearest === null && otherwise !== undefined) return { target, rule, message, ...otherwise };
    return { target, rule, path, message, nearest };
  });
}

/** Where no one tile heals what warps and lanes tie together: the algorithm with its own tiles. */
const defaultsOf = ({ algorithm }: ResolvedSchedule): Breach['otherwise'] =>
  isLaned(algorithm) ? { path: 'schedule', nearest: { algorithm } } : undefined;

const keyOf = ({ rule, path }: Breach): string => `${rule} ${path}`;

/** Sizes that tiles take: 1..16, then steps of a sixteenth of the next power of two. */
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

/** The value of the breached field nearest (as a ratio) to the given one that heals this rule and adds no breach. */
function nearestLegal(
  breach: Breach,
  known: ReadonlySet<string>,
  spec: ResolvedSpec,
  target: Target,
): number | null {
  const [, group, name] = breach.path.split('.');
  const tiles = group === 'block' || group === 'warp' || group === 'thread';
  if (!tiles || name === undefined) return null;
  const given =
    (spec.schedule[group] as Readonly<Record<string, number | undefined>> | undefined)?.[name] ?? 1;
  const limits = limitsOf(spec, target);
  if (limits === null) return null;
  const key = keyOf(breach);
  const fails = (other: Breach): boolean => keyOf(other) === key || !known.has(keyOf(other));
  // What most values fail by first.
  let rules = TILE_RULES;
  const heals = (value: number): boolean => {
    const schedule = { ...spec.schedule, [group]: { ...spec.schedule[group], [name]: value } };
    const changed = { ...spec, schedule };
    const input = { spec: changed, target, limits, geometry: geometryOf(changed, target) };
    const failed = rules.find(rule => rule(input).some(fails));
    if (failed === undefined) return true;
    if (failed !== rules[0]) rules = [failed, ...rules.filter(rule => rule !== failed)];
    return false;
  };
  return nearestFirst(given).find(heals) ?? null;
}
