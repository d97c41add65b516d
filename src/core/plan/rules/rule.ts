/** A legality rule: checks one spec for one target and reports violations with their numbers. */
import type { ResolvedSpec } from '../../spec/resolved';
import type { Target } from '../../spec/schema';
import type { Geometry, Shape } from '../plan';
import type { TargetLimits } from '../limits';

/** Input of every rule. */
export interface ProblemInput {
  readonly spec: ResolvedSpec;
  readonly target: Target;
  readonly limits: TargetLimits;
}

export interface ShapeInput extends ProblemInput {
  readonly geometry: Shape;
}

export interface RuleInput extends ProblemInput {
  readonly geometry: Geometry;
}

/** A violation before the nearest legal value is known. */
export interface RuleViolation {
  readonly rule: string;
  readonly path: string;
  readonly message: string;
  /** The legal value if the rule provides it; otherwise the planner searches for it. */
  readonly nearest?: unknown;
  /** Alternative change if no value of `path` fixes the violation. */
  readonly otherwise?: { readonly path: string; readonly nearest: unknown };
}

export type Rule<Input = RuleInput> = (input: Input) => readonly RuleViolation[];
/** Depends on problem, target, device and algorithm only. */
export type ProblemRule = Rule<ProblemInput>;
/**
 * Also depends on the schedule, except the number of split-K slices and the minimum blocks per SM.
 */
export type ShapeRule = Rule<ShapeInput>;
