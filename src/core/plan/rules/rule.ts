/** Types of legality rules. A rule checks one spec for one target and returns its violations. */
import type { ResolvedSpec } from '../../spec/resolved';
import type { Target } from '../../spec/schema';
import type { Geometry, Shape } from '../plan';
import type { TargetLimits } from '../limits';

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

export interface RuleViolation {
  readonly rule: string;
  readonly path: string;
  readonly message: string;
  /** Nearest legal value; null if there is none. If absent, the planner searches for one. */
  readonly nearest?: unknown;
  /** Alternative change, if no value of `path` fixes the violation. */
  readonly otherwise?: { readonly path: string; readonly nearest: unknown };
}

export type Rule<Input = RuleInput> = (input: Input) => readonly RuleViolation[];
/** Rule that depends only on problem, target, device and algorithm. */
export type ProblemRule = Rule<ProblemInput>;
/**
 * Rule that depends on problem, target, device and schedule, but not on the number of split-K
 * slices and `minBlocksPerSm`.
 */
export type ShapeRule = Rule<ShapeInput>;
