/** A bench that is ready to measure, and what its measurements may be compared with. */
import type { Adapter } from '../../core/defaults/dispatch/adapterFamily';
import type { Outcome } from '../../core/measure/measurement';
import type { Bench } from '../../core/search/tune/bench';
import type { JournalIdentity } from '../../core/search/tune/journal';

export type OpenedBench<P> =
  | {
      readonly ok: true;
      readonly bench: Bench<P>;
      readonly identity: Pick<JournalIdentity, 'gpus' | 'driver' | 'compiler'>;
      /** WebGPU, where its family is known. */
      readonly adapter?: Adapter;
    }
  | { readonly ok: false; readonly outcome: Outcome; readonly message: string };

/** Same inputs for all, and as `bench` has them. */
export const TUNE_SEED = 1;
