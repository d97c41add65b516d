/** Runs many CUDA kernels on this machine's CPU, several per compilation. */
import type { Runnable } from '../../src/core/kernel/kernel';
import type { Measurement } from '../../src/core/measure/measurement';
import { runOnCpu } from '../../src/host/cpu/backend';
import { INPUTS, PATIENT } from './draws';

const TOGETHER = 10;

export async function runManyOnCpu(
  kernels: readonly Runnable[],
  progress: (done: number) => void = () => undefined,
  judges = false,
): Promise<readonly Measurement[]> {
  const all: Measurement[] = [];
  for (let from = 0; from < kernels.length; from += TOGETHER) {
    const together = kernels.slice(from, from + TOGETHER);
    const options = { where: 'script', seed: INPUTS, context: PATIENT, judges };
    all.push(...(await runOnCpu(together, options)));
    progress(all.length);
  }
  return all;
}
