/**
 * Legality pipeline with four stages: problem rules, block shape, extent and launch. Checks collect
 * every violation; searches stop at the first violated rule. Each stage except launch memoizes its
 * last result for consecutive schedules.
 */
import { t } from '@vscode/l10n';
import type { ResolvedSchedule, ResolvedSpec } from '../spec/resolved';
import type { Target } from '../spec/schema';
import { isPlanned, plannedAlgorithms } from './fields';
import { extentOf, shapeOf } from './geometry';
import { limitsOf, type TargetLimits } from './limits';
import { memoizeLast, sameAlgorithm, sameExtent, sameShape } from './memoBySchedule';
import type { Geometry } from './plan';
import type { RuleViolation, Rule } from './rules/rule';
import { RULES, type StagedRules } from './rules/rules';
import { withoutWarpGroups } from './wgmma/wgmmaRules';

export interface Examined {
  readonly breaches: readonly RuleViolation[];
  /**
   * Geometry of the kernel; null if the target does not support the kernel or the check stopped
   * early.
   */
  readonly geometry: Geometry | null;
}

export interface Mode {
  /**
   * Checks a list of rules. Depending on the mode, returns all violations or only the violations of
   * the first violated rule.
   */
  readonly check: <Input>(rules: readonly Rule<Input>[], input: Input) => readonly RuleViolation[];
  readonly stops: boolean;
  readonly rules?: StagedRules;
}

const NONE: readonly RuleViolation[] = [];

export const COLLECTING: Mode = {
  check: (rules, input) => rules.flatMap(rule => rule(input)),
  stops: false,
};

export const STOPPING: Mode = {
  check: (rules, input) => {
    for (const rule of rules) {
      const breaches = rule(input);
      if (breaches.length > 0) return breaches;
    }
    return NONE;
  },
  stops: true,
};

export function stages(
  spec: ResolvedSpec,
  target: Target,
  { check, stops, rules = RULES }: Mode,
): (schedule: ResolvedSchedule) => Examined {
  const limits = limitsOf(spec, target);
  const ends = (breaches: readonly RuleViolation[]): boolean => stops && breaches.length > 0;
  const posed = memoizeLast(sameAlgorithm, (schedule: ResolvedSchedule) => {
    const given = { ...spec, schedule };
    const obstacle = obstacleOf(given, target, limits);
    if (obstacle !== undefined || limits === null)
      return { input: null, breaches: obstacle === undefined ? NONE : [obstacle] };
    const breaches = check(rules.problem, { spec: given, target, limits });
    return { input: ends(breaches) ? null : { target, limits }, breaches };
  });
  const shaped = memoizeLast(sameShape, (schedule: ResolvedSchedule) => {
    const { input, breaches: problem } = posed(schedule);
    if (input === null) return { input, breaches: problem };
    const given = { ...spec, schedule };
    const geometry = shapeOf(given, target);
    const whole = { ...input, spec: given, geometry };
    const tiles = check(rules.tiles, whole);
    if (ends(tiles)) return { input: null, breaches: tiles };
    const fields = check(rules.fields, whole);
    if (ends(fields)) return { input: null, breaches: fields };
    return { input: whole, problem, tiles, fields };
  });
  const extended = memoizeLast(sameExtent, (schedule: ResolvedSchedule) => {
    const shape = shaped(schedule);
    if (shape.input === null) return shape;
    const given = { ...spec, schedule };
    const geometry = { ...shape.input.geometry, ...extentOf(given, shape.input.geometry) };
    const whole = { ...shape.input, spec: given, geometry };
    const extent = check(rules.extent, whole);
    if (ends(extent)) return { input: null, breaches: extent };
    const { problem, tiles, fields } = shape;
    return { input: whole, problem, tiles, fields, extent };
  });
  return schedule => {
    const found = extended(schedule);
    if (found.input === null) return { breaches: found.breaches, geometry: null };
    const { input, problem, tiles, fields, extent } = found;
    const launch = check(rules.launch, { ...input, spec: { ...spec, schedule } });
    const breaches = [problem, fields, launch, tiles, extent].flat();
    return { breaches: breaches.length === 0 ? NONE : breaches, geometry: input.geometry };
  };
}

/**
 * Returns the violation that prevents any further check, such as an unsupported algorithm or
 * device; undefined if there is none.
 */
function obstacleOf(
  spec: ResolvedSpec,
  target: Target,
  limits: TargetLimits | null,
): RuleViolation | undefined {
  const { algorithm } = spec.schedule;
  if (!isPlanned(algorithm)) {
    const message = t(
      'Algorithm "{1}" is not supported yet. Supported: {0}.',
      plannedAlgorithms().join(', '),
      algorithm,
    );
    const nearest = 'thread-tile-2d';
    return { rule: 'algorithm', path: 'schedule.algorithm', message, nearest };
  }
  if (limits === null) {
    const message = t(
      'CUDA requires an NVIDIA device, got {0}. Fix: choose an NVIDIA device or the target wgsl.',
      spec.device,
    );
    return { rule: 'device', path: 'device', message, nearest: 'h200' };
  }
  return withoutWarpGroups(spec, target);
}
