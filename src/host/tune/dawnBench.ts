/** Measures the WGSL kernels of a tuning run with Dawn. */
import { adapterOf } from '../../core/defaults/dispatch/adapterFamily';
import { kernelKey } from '../../core/text/hash';
import type { Kernel } from '../../core/kernel/kernel';
import { enabledFeatures } from '../../webgpu/features';
import { WGSL_COMPILER } from '../../webgpu/findings';
import { dawnBackend } from '../dawn/backend';
import type { DawnOptions } from '../dawn/client';
import { TUNE_SEED, type OpenedBench } from './opened';

export async function openDawnBench(options: DawnOptions): Promise<OpenedBench<Kernel>> {
  const backend = dawnBackend(options);
  const found = await backend.probe();
  if (!found.available) {
    return { ok: false, outcome: 'unavailable', message: `${found.why} ${found.next}` };
  }
  const { name, adapter, driver } = found.device;
  const known = adapterOf(found.device);
  return {
    ok: true,
    ...(known === undefined ? {} : { adapter: known }),
    identity: { gpus: [adapter], driver, compiler: WGSL_COMPILER },
    bench: {
      gpus: [name],
      compilers: 1,
      // Failures because of missing adapter features are cached. With experimental features
      // enabled, the key therefore includes the features.
      keyOf: ({ source }) =>
        kernelKey({
          source,
          architecture: adapter,
          compiler: WGSL_COMPILER,
          flags: options.experimental === true ? enabledFeatures(source) : [],
        }),
      prepare: kernel => Promise.resolve({ ok: true, prepared: kernel }),
      measure: (_, runnable, { effort, abort }) =>
        backend.run(
          { runnable, mode: 'time', seed: TUNE_SEED, effort },
          { abort, progress: () => undefined },
        ),
    },
  };
}
