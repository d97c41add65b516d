/** A run of a ring buffer with its texts, for the section "Steps". */
import type { LoadedStage, RingAction, RingStage, RingStep } from '../../src/core/trace/ring';

export interface PlayedStep extends Omit<RingStep<LoadedStage>, 'stages'> {
  /** Stages after the step; `empty` only if the kernel has these mbarriers. */
  readonly stages: readonly (LoadedStage | RingStage)[];
}

export interface PlayedRing {
  readonly steps: readonly PlayedStep[];
  /** Effect of the chosen mistake; null if the run is complete. */
  readonly failure: string | null;
  readonly mistakes: readonly { readonly value: string; readonly label: string }[];
  /** Start of the statement of each action in the kernel. */
  readonly statements: Readonly<Partial<Record<RingAction, string>>>;
  readonly stepText: (step: PlayedStep) => string;
}
