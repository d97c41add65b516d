/**
 * Observations of a backend about a kernel, which the judge interprets. A backend that cannot make
 * an observation omits it. The kernel can be of any kind: a file, a cubin or a function of a
 * library.
 */
import type { Verification } from '../../measure/measurement';

/** A later launch, and the verification of its result. */
export interface LaunchEvidence {
  /** Whether A and B are those of an earlier launch, or were generated from a new seed. */
  readonly inputs: 'repeated' | 'fresh';
  /**
   * Content of C before the launch: poison that no result equals, or the result of an earlier
   * launch. If beta is not 0, C is an input, and this is `poisoned`.
   */
  readonly output: 'poisoned' | 'previous';
  readonly seed: number;
  /** Seeds of the inputs of earlier launches, newest first. */
  readonly earlierSeeds: readonly number[];
  /** Position among consecutive launches without host work between them, from 1. */
  readonly position?: number;
  readonly verification: Verification;
}

/** Times of launches in milliseconds, with equal cache state. Entries of one index are a pair. */
export interface RepeatEvidence {
  /** First launches on new inputs. */
  readonly freshMs: readonly number[];
  /** Launches on the same inputs, which were written to memory again. */
  readonly repeatedMs: readonly number[];
}

/** Times of one batch in milliseconds. */
export interface CompletionEvidence {
  /** Time between the events around the batch. */
  readonly eventMs: number;
  /** Time of the host from the first launch to the end of all work on the device. */
  readonly hostMs: number;
  /** Time of the host from the last event to the end of all work on the device. */
  readonly drainMs: number;
}

export interface Evidence {
  readonly launches: readonly LaunchEvidence[];
  /** Number of elements of the inputs that differ after the first launch, if compared. */
  readonly changedInputs?: number;
  /** Elements of C compared bit by bit between two launches on the same inputs. */
  readonly bits?: { readonly compared: number; readonly differing: number };
  readonly repeats?: RepeatEvidence;
  readonly completion?: CompletionEvidence;
  /** Bytes of L2 that the launches reserved for persisting accesses: by limit, by window. */
  readonly l2?: { readonly persistingBytes: number; readonly windowBytes: number };
}
