/** Ladder records under bench/, and the recorded run of a kernel. */
import * as v from 'valibot';
import { measurementSchema, type Measurement } from '../../src/core/measure/measurement';
import type { ResolvedSpec } from '../../src/core/spec/resolved';
import { sameJson } from '../../src/core/spec/sameJson';

export const recordSchema = v.object({
  command: v.string(),
  commit: v.string(),
  gpu: v.object({ before: v.string() }),
  nvcc: v.string(),
  results: v.array(measurementSchema),
});

const withoutLimits = ({ problem, schedule, device, targets }: ResolvedSpec) => ({
  problem,
  schedule,
  device,
  targets,
});

/** Returns the first run of an equal spec, ignoring WebGPU limits; undefined if there is none. */
export const runOf = (
  spec: ResolvedSpec,
  results: readonly Measurement[],
): Measurement | undefined => {
  const wanted = withoutLimits(spec);
  return results.find(
    ({ resolved }) => resolved !== null && sameJson(withoutLimits(resolved), wanted),
  );
};
