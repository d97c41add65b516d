/** A legality rule: looks at one spec for one target and names what breaks it, in numbers. */
import type { ResolvedSpec } from '../spec/resolved';
import type { Target } from '../spec/schema';
import type { Geometry } from './geometry';
import type { TargetLimits } from './limits';

export interface RuleInput {
  readonly spec: ResolvedSpec;
  readonly target: Target;
  readonly geometry: Geometry;
  readonly limits: TargetLimits;
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

export type Rule = (input: RuleInput) => readonly Breach[];
