/** Converts the record of tensor-core benchmarks to dispatch rows. */
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { findDevice } from '../../src/core/hardware/devices';
import {
  layoutsOf,
  shapeOf,
  typesOf,
  type DispatchRow,
} from '../../src/core/defaults/dispatch/row';
import { resolve } from '../../src/core/defaults/resolve';
import { resolvedScheduleSchema } from '../../src/core/spec/resolvedSchema';
import { DEVICE, problemOf } from '../tensor/candidates';
import { latest, library, racesIn, type Raced } from '../tensor/raced';

const timedSchema = v.object({
  schedule: resolvedScheduleSchema,
  outcome: v.literal('correct'),
  behind: v.literal(false),
  gflops: v.pipe(v.number(), v.finite(), v.gtValue(0)),
});

/**
 * Returns the rows of the latest benchmark of each problem. FP32 emulation is excluded, because a
 * dispatch table must not affect the accuracy of C.
 */
export const readTensorRace = (record: string): readonly DispatchRow[] =>
  latest(racesIn(readFileSync(record, 'utf8')))
    .filter(({ race }) => race.dtype !== 'f32')
    .flatMap(one => rowsOf(one, record));

function rowsOf({ head, race }: Raced, record: string): readonly DispatchRow[] {
  const { shape, dtype, order, kernels, clocks } = race;
  const { problem } = resolve({ problem: problemOf({ shape, dtype, order }) });
  const { name, gflops: rate } = library(race) ?? {};
  const { commit, driver, compiler } = head;
  const computeCapability = findDevice(DEVICE)?.computeCapability;
  return kernels.flatMap((kernel): readonly DispatchRow[] => {
    const timed = v.safeParse(timedSchema, kernel);
    if (!timed.success) return [];
    const { schedule, gflops } = timed.output;
    return [
      {
        device: DEVICE,
        target: 'cuda',
        schedule,
        gflops,
        blocksPerSm: 1,
        ...(computeCapability === undefined ? {} : { computeCapability }),
        types: typesOf(problem),
        layouts: layoutsOf(problem),
        shape: shapeOf(problem),
        ...(name === undefined || rate === undefined ? {} : { baseline: { name, gflops: rate } }),
        source: {
          record,
          driver,
          compiler,
          commit,
          ...(clocks === undefined ? {} : { clocks: `${Math.round(clocks.smMHz)} MHz` }),
        },
      },
    ];
  });
}
