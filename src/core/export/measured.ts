/** Measured times of the kernels of an export, from the run history of a workspace. */
import type { Kernel } from '../kernel/kernel';
import type { Measurement } from '../measure/measurement';
import { isOfSpec } from '../measure/newestRuns';
import { sourceHashOf } from '../text/hash';
import type { ExportedKernel } from './subject';

/**
 * Adds the newest time of each kernel. Runs of other sources are ignored. Times of different
 * devices are not comparable, so all times are from the device that measured the most kernels.
 * @param runs newest last
 */
export function withTimes(
  kernels: readonly Kernel[],
  runs: readonly Measurement[],
): readonly ExportedKernel[] {
  const times = kernels.map(kernel => {
    const matches = isOfSpec(kernel.specKey);
    const hash = sourceHashOf(kernel);
    const timed = runs.filter(
      run =>
        matches(run) &&
        run.sourceHash === hash &&
        run.outcome === 'correct' &&
        run.timing !== undefined,
    );
    return new Map(
      timed.flatMap(({ device, timing }) =>
        timing === undefined ? [] : [[device.name, timing.medianMs * 1000] as const],
      ),
    );
  });
  const counts = new Map<string, number>();
  for (const name of times.flatMap(each => [...each.keys()])) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const [device] = [...counts].toSorted(([, one], [, other]) => other - one)[0] ?? [];
  return kernels.map((kernel, i) => {
    const microseconds = device === undefined ? undefined : times[i]?.get(device);
    return {
      kernel,
      ...(device === undefined || microseconds === undefined
        ? {}
        : { measured: { microseconds, device } }),
    };
  });
}
