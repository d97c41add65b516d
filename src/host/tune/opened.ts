/** Result of opening a bench: the bench and the identity of its device. */
import type { Adapter } from '../../core/defaults/dispatch/adapterFamily';
import type { Outcome } from '../../core/measure/measurement';
import type { Bench } from '../../core/search/tune/bench';
import type { JournalIdentity } from '../../core/search/tune/journal';

export type OpenedBench<P> =
  | {
      readonly ok: true;
      readonly bench: Bench<P>;
      readonly identity: Pick<JournalIdentity, 'gpus' | 'driver' | 'compiler'>;
      readonly adapter?: Adapter;
    }
  | { readonly ok: false; readonly outcome: Outcome; readonly message: string };

/** Seed of the inputs, which are the same for all schedules. */
export const TUNE_SEED = 1;
