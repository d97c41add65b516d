/** Schemas that several responses of the runner share. */
import * as v from 'valibot';
import { BASELINES } from '../../../core/measure/backend';
import { wrongMapSchema } from '../../../core/measure/wrongMap';
import { plainText } from '../../text';

export const finite = v.pipe(v.number(), v.finite());
export const nonNegative = v.pipe(finite, v.minValue(0));
export const positive = v.pipe(finite, v.gtValue(0));
export const natural = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
export const count = v.pipe(natural, v.minValue(1));
export const words = (most: number) =>
  v.pipe(
    v.string(),
    v.transform(given => plainText(given).slice(0, most)),
  );
export const text = words(2000);
export const optional = <T extends v.GenericSchema>(schema: T) => v.optional(schema);

export const verification = v.object({
  reference: text,
  maxError: v.nullable(nonNegative),
  bound: v.nullable(nonNegative),
  mismatches: natural,
  samples: natural,
  rms: v.exactOptional(v.object({ error: nonNegative, exact: nonNegative })),
  first: v.exactOptional(
    v.object({
      row: natural,
      column: natural,
      bound: nonNegative,
      actual: v.nullable(finite),
      expected: finite,
    }),
  ),
  wrong: v.exactOptional(wrongMapSchema),
});

export const batches = {
  warmUp: natural,
  batch: count,
  batchMs: v.pipe(v.array(positive), v.minLength(1), v.maxLength(10_000)),
  /** Median SM clock in MHz over the batches, measured with an SM counter during timing. */
  smMHz: optional(positive),
  /** Median power in watts over the batches, if they are long enough to measure it. */
  watts: optional(positive),
  /** Mean power of the whole GPU and time per launch, in a window of launches without pause. */
  energy: v.exactOptional(v.object({ watts: positive, launchMs: positive, windowMs: positive })),
  /** Reason why the energy is unknown. */
  energyUnknown: v.exactOptional(text),
};

export const clocks = v.object({
  smMHz: positive,
  smMinMHz: optional(positive),
  smMaxMHz: optional(positive),
  memoryMHz: optional(positive),
});

export const baseline = v.object({
  ...batches,
  id: v.picklist(BASELINES),
  name: text,
  algorithms: optional(count),
  /** Whether a benchmark of several kernels dropped the library, because another one is faster. */
  behind: optional(v.boolean()),
  /** Largest absolute difference from the reference. */
  maxError: optional(nonNegative),
});

/** Evidence of the runner about later launches (`shaders/cuda/runner/judge.cuh`). */
export const judgeEvidence = v.object({
  /** Number of verified launches. */
  verified: natural,
  failed: v.pipe(
    v.array(
      v.object({
        inputs: v.picklist(['repeated', 'fresh']),
        output: v.picklist(['poisoned', 'previous']),
        seed: natural,
        earlierSeeds: v.pipe(v.array(natural), v.maxLength(32)),
        position: count,
        message: text,
        verification,
      }),
    ),
    v.maxLength(8),
  ),
  bits: v.exactOptional(v.object({ compared: natural, differing: natural })),
  repeats: v.exactOptional(
    v.object({
      freshMs: v.pipe(v.array(positive), v.maxLength(64)),
      repeatedMs: v.pipe(v.array(positive), v.maxLength(64)),
    }),
  ),
  completion: v.exactOptional(
    v.object({ eventMs: nonNegative, hostMs: nonNegative, drainMs: nonNegative }),
  ),
  l2: v.exactOptional(v.object({ persistingBytes: natural, windowBytes: natural })),
});
