/**
 * Adds the nearest legal value to each violation. Searches for a legal value if the rule provides
 * none.
 */
import type { ResolvedSchedule, ResolvedSpec } from '../spec/resolved';
import type { Target } from '../spec/schema';
import { nearestTiles } from './nearestTiles';
import type { Violation } from './plan';
import type { RuleViolation, Rule } from './rules/rule';
import { RULES } from './rules/rules';
import { isLaned } from './simt/lanes';
import { stages } from './stages';
import { isTmaMma } from './wgmma/tmaMma';

export function violationsOf(
  breaches: readonly RuleViolation[],
  spec: ResolvedSpec,
  target: Target,
): readonly Violation[] {
  const known = new Set(breaches.map(keyOf));
  // Legal tiles are searched at most once, and only if no single value is legal.
  let tiles: ResolvedSchedule | null | undefined;
  const tilesTogether = (): RuleViolation['otherwise'] => {
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

/**
 * Returns the default tiles of the algorithm as a fix, for violations without similar legal tiles;
 * undefined for scalar SIMT algorithms.
 */
const defaultsOf = (schedule: ResolvedSchedule): RuleViolation['otherwise'] => {
  const { algorithm } = schedule;
  if (isTmaMma(schedule))
    return { path: 'schedule', nearest: { algorithm, kernelSchedule: 'tma' } };
  return isLaned(algorithm) || algorithm === 'mma' || algorithm === 'wgmma'
    ? { path: 'schedule', nearest: { algorithm } }
    : undefined;
};

const isOfTiles = ({ path }: RuleViolation): boolean =>
  /^schedule\.(block|warp|thread)\./.test(path);

/**
 * Returns the schedule with the nearest tiles that fix all tile violations and add no violation;
 * null if there are none.
 */
function legalTiles(
  known: ReadonlySet<string>,
  spec: ResolvedSpec,
  target: Target,
): ResolvedSchedule | null {
  const isFixedBy = fixTest(spec, target, other => isOfTiles(other) || !known.has(keyOf(other)));
  return nearestTiles(spec.schedule, isFixedBy);
}

const keyOf = ({ rule, path }: RuleViolation): string => `${rule} ${path}`;

/** Candidate tile dimensions: 1 to 16, then eight values per power of two. */
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
 * Returns the nearest legal value of the violating field; null if there is none. Distance is
 * measured by the ratio of the values. A value that fixes all violations of the field and adds none
 * is preferred. Otherwise, the value fixes at least the given violation and adds none.
 */
function nearestLegal(
  breach: RuleViolation,
  known: ReadonlySet<string>,
  spec: ResolvedSpec,
  target: Target,
): number | null {
  const isNew = (other: RuleViolation): boolean => !known.has(keyOf(other));
  const { path } = breach;
  const key = keyOf(breach);
  return (
    nearestWithout(path, other => other.path === path || isNew(other), spec, target) ??
    nearestWithout(path, other => keyOf(other) === key || isNew(other), spec, target)
  );
}

/**
 * Returns the nearest value of a tile field for which no violation satisfies `fails`; null if there
 * is none.
 */
function nearestWithout(
  path: string,
  fails: (breach: RuleViolation) => boolean,
  spec: ResolvedSpec,
  target: Target,
): number | null {
  const [, group, name] = path.split('.');
  const tiles = group === 'block' || group === 'warp' || group === 'thread';
  if (!tiles || name === undefined) return null;
  const given =
    (spec.schedule[group] as Readonly<Record<string, number | undefined>> | undefined)?.[name] ?? 1;
  const isFixedBy = fixTest(spec, target, fails);
  const withValue = (value: number): ResolvedSchedule => ({
    ...spec.schedule,
    [group]: { ...spec.schedule[group], [name]: value },
  });
  return nearestFirst(given).find(value => isFixedBy(withValue(value))) ?? null;
}

/**
 * Returns a test for schedules of one spec. The test passes if no violation of a tile-dependent
 * rule satisfies `fails`.
 */
function fixTest(
  spec: ResolvedSpec,
  target: Target,
  fails: (breach: RuleViolation) => boolean,
): (schedule: ResolvedSchedule) => boolean {
  const examined = stages(spec, target, {
    check: firstBreaking(fails),
    stops: true,
    rules: { ...RULES, problem: [], fields: [] },
  });
  return schedule => examined(schedule).breaches.length === 0;
}

/**
 * Returns a check that stops at the first rule with a matching violation. The rule that most
 * recently rejected a schedule runs first.
 */
function firstBreaking(fails: (breach: RuleViolation) => boolean) {
  let usual: unknown;
  return <Input>(rules: readonly Rule<Input>[], input: Input): readonly RuleViolation[] => {
    const breaks = (rule: Rule<Input>): boolean => rule(input).some(fails);
    const first = rules.find(rule => rule === usual);
    if (first !== undefined && breaks(first)) return first(input);
    const found = rules.find(rule => rule !== first && breaks(rule));
    if (found === undefined) return [];
    usual = found;
    return found(input);
  };
}
