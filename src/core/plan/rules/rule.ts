/** A legality rule: looks at one spec for one target and names what breaks it, in numbers. */
import type { ResolvedSpec } from '../../spec/resolved';
import type { Target } from '../../spec/schema';
import type { Geometry, Shape } from '../plan';
import type { TargetLimits } from '../limits';

/** What every rule may look at. */
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

/** A broken rule before the nearest legal value is known. */
export interface Breach {
  readonly rule: string;
  readonly path: string;
  readonly message: string;
  /** The legal value, where the rule knows it; otherwise it is searched for. */
  readonly nearest?: unknown;
  /** What to change where no value of `path` heals it. */
  readonly otherwise?: { readonly path: string; readonly nearest: unknown };
}

export type Rule<Input = RuleInput> = (input: Input) => readonly Breach[];
/** Of problem, target, device and algorithm, whatever else the schedule says. */
export type ProblemRule = Rule<ProblemInput>;
/** Of these and the schedule, but for into how many parts K is cut and how many blocks an SM should hold. */
export type ShapeRule = Rule<ShapeInput>;
