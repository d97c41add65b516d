/** Rates of the kernels: of the tutorial, predicted for a GPU, and measured here. */
import { matchDevice, type DeviceId } from '../hardware/devices';
import type { Measurement } from '../measure/measurement';
import { analyze } from '../report/analyze';
import { deviation } from './compare';
import { kernelFor } from './subject';
import { runKey } from './runs';
import type { StatedRate, Tutorial, TutorialKernel } from './tutorial';

export interface Rate {
  readonly gflops: number;
  readonly milliseconds: number;
  /** Deviation from the tutorial in percent; null without a stated rate, or on another GPU. */
  readonly deviationPercent: number | null;
}

export interface MeasuredRate extends Rate {
  /** Rate of the library on the same matrices; null if no library was timed. */
  readonly library: { readonly name: string; readonly gflops: number } | null;
}

export interface RateResult {
  readonly row: string;
  readonly id: string;
  readonly text: string;
  /** `measured` if the kernel was timed here, otherwise `predicted`. */
  readonly kind: 'measured' | 'predicted';
  readonly size: number;
  readonly theirs: StatedRate | null;
  readonly predicted: Rate | null;
  readonly measured: MeasuredRate | null;
  /** Reason why a run has no time; null if the kernel was timed or not run. */
  readonly notMeasured: string | null;
  /** Message about a smaller schedule of the measured kernel and its cause, or null. */
  readonly adapted: string | null;
}

/**
 * @param sizes sizes of the rates: M = N = K
 */
export function ratesOf(
  { kernels, gpu }: Tutorial,
  sizes: readonly number[],
  device: DeviceId,
  { runs, adapted = new Map() }: Runs,
): readonly RateResult[] {
  return kernels.flatMap(kernel =>
    kernel.rates === undefined
      ? []
      : sizes.map(size => rateOf(kernel, size, { gpu, device }, { runs, adapted })),
  );
}

export interface Runs {
  /** Runs by `runKey`. */
  readonly runs: ReadonlyMap<string, Measurement>;
  /** Messages about smaller schedules, by `runKey`. */
  readonly adapted?: ReadonlyMap<string, string>;
}

/** GPU of the stated rates, and device of the predictions. */
interface Gpus {
  readonly gpu: DeviceId | null;
  readonly device: DeviceId;
}

function rateOf(
  kernel: TutorialKernel,
  size: number,
  { gpu, device }: Gpus,
  { runs, adapted }: Required<Runs>,
): RateResult {
  const { row, id, text, rates } = kernel;
  const theirs = rates?.theirs[size] ?? null;
  const run = runs.get(runKey(id, size));
  const timing = run?.timing;
  const baseline = run?.baseline;
  const measured =
    timing === undefined
      ? null
      : {
          ...rate(timing.gflops, timing.medianMs, isOn(gpu, run) ? theirs : null),
          library: baseline === undefined ? null : { name: baseline.name, gflops: baseline.gflops },
        };
  return {
    row: rates?.row ?? row,
    id,
    text,
    kind: measured === null ? 'predicted' : 'measured',
    size,
    theirs,
    predicted: predictedRate(kernel, size, device, device === gpu ? theirs : null),
    measured,
    notMeasured: measured === null ? (run?.message ?? run?.outcome ?? null) : null,
    adapted: run === undefined ? null : (adapted.get(runKey(id, size)) ?? null),
  };
}

const isOn = (gpu: DeviceId | null, run: Measurement | undefined): boolean =>
  gpu !== null && run !== undefined && matchDevice(run.device.name) === gpu;

/** Returns null if the time model does not cover the kernel or the device. */
function predictedRate(
  kernel: TutorialKernel,
  size: number,
  device: DeviceId,
  theirs: StatedRate | null,
): Rate | null {
  if (kernel.rates === undefined) return null;
  const made = kernelFor(kernel, kernel.rates.problem(size), { device, target: 'cuda' });
  if (!made.ok) return null;
  const { prediction } = analyze(made.kernel, { device });
  return prediction === null
    ? null
    : rate(1000 * prediction.tflops.value, prediction.milliseconds.value, theirs);
}

const rate = (gflops: number, milliseconds: number, theirs: StatedRate | null): Rate => ({
  gflops,
  milliseconds,
  deviationPercent: theirs === null ? null : deviation(theirs.gflops, gflops),
});
