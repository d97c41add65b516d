/** Runs the kernels of a tutorial, and compiles the kernels with figures about their code. */
import type { Abort, Backend, BaselineId, RunProgress } from '../measure/backend';
import type { Measurement } from '../measure/measurement';
import { archOf } from '../hardware/computeCapability';
import { deviceOf } from '../hardware/devices';
import type { Kernel } from '../kernel/kernel';
import type { InspectedText, Inspection } from '../profile/listing/inspect';
import { predictedDevice } from './list';
import { kernelsToCompile, type PlannedRun } from './runs';
import type { CompiledKernel, Facts, Tutorial } from './tutorial';

/** Fixed seed, so that every backend gets the same inputs. */
const SEED = 1;
const BASELINES: readonly BaselineId[] = ['cublas'];

export interface RunWatcher {
  readonly abort: Abort;
  readonly onRun: (run: PlannedRun, index: number) => void;
  readonly onProgress?: (progress: RunProgress) => void;
}

/**
 * Runs the kernels in order and returns the measurements by run key. Skips illegal kernels. Stops
 * after a cancellation, or if the backend is not available.
 */
export async function executeRuns(
  planned: readonly PlannedRun[],
  backend: Backend,
  { abort, onRun, onProgress = () => undefined }: RunWatcher,
): Promise<ReadonlyMap<string, Measurement>> {
  const runs = new Map<string, Measurement>();
  const baselines = backend.id === 'cuda' ? { baselines: BASELINES } : {};
  for (const [index, run] of planned.entries()) {
    if (abort.aborted) break;
    onRun(run, index);
    const { key, mode, made } = run;
    if (!made.ok) continue;
    const request = { runnable: made.kernel, mode, seed: SEED, ...baselines };
    const measurement = await backend.run(request, { abort, progress: onProgress });
    if (measurement.outcome === 'cancelled') break;
    runs.set(key, measurement);
    if (measurement.outcome === 'unavailable') break;
  }
  return runs;
}

/** Result of a compilation to PTX with ptxas resources, or the message of the compiler. */
export type CompiledPtx =
  | {
      readonly ok: true;
      readonly kernels: readonly (Resources & { readonly entry: string })[];
      readonly unread: readonly string[];
      readonly text: string;
    }
  | { readonly ok: false; readonly message: string };

type Resources = Pick<CompiledKernel, 'registers' | 'sharedBytes' | 'constantBytes'>;

export interface TutorialCompiler {
  readonly compile: (kernel: Kernel, arch: string) => Promise<CompiledPtx>;
  readonly inspect: (listing: InspectedText) => Inspection | Promise<Inspection>;
}

/** Compiles for the tutorial's GPU. Returns the reason if a kernel does not compile. */
export async function compileKernels(
  tutorial: Tutorial,
  findCompiler: () => Promise<TutorialCompiler | { readonly missing: string }>,
): Promise<Pick<Facts, 'compiled' | 'notCompiled'>> {
  const device = predictedDevice(tutorial);
  const compiled = new Map<string, CompiledKernel>();
  const kernels = kernelsToCompile(tutorial, device);
  if (kernels.size === 0) return { compiled, notCompiled: null };
  const compiler = await findCompiler();
  if ('missing' in compiler) return { compiled, notCompiled: compiler.missing };
  const { computeCapability = '' } = deviceOf(device);
  for (const [id, kernel] of kernels) {
    const made = await compileKernel(kernel, archOf(computeCapability), compiler);
    if ('missing' in made) return { compiled, notCompiled: made.missing };
    compiled.set(id, made);
  }
  return { compiled, notCompiled: null };
}

async function compileKernel(
  kernel: Kernel,
  arch: string,
  { compile, inspect }: TutorialCompiler,
): Promise<CompiledKernel | { readonly missing: string }> {
  const made = await compile(kernel, arch);
  if (!made.ok) return { missing: made.message };
  const resources = made.kernels.find(({ entry }) => entry === kernel.entry);
  if (resources === undefined) return { missing: made.unread.join(' ') };
  const { source, entry } = kernel;
  const { text: ptx } = made;
  const listing = { source, listing: ptx, language: 'ptx', compiler: '', arch } as const;
  const { kernels } = await inspect({ ...listing, runnable: kernel });
  const loop = kernels.find(one => one.entry === entry)?.loop;
  const { registers, sharedBytes, constantBytes } = resources;
  const fmaPerSharedLoad = loop?.fmaPerSharedLoad?.value ?? null;
  return { registers, sharedBytes, constantBytes, ptx, fmaPerSharedLoad };
}
