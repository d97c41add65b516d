/** Runs every seeded bug on the backends, and reports which ones detected it and how. */
import type { Kernel } from '../../src/core/kernel/kernel';
import type { Backend } from '../../src/core/measure/backend';
import type { Measurement } from '../../src/core/measure/measurement';
import { simulateBackend } from '../../src/core/simulate/backend';
import { runOnCpu } from '../../src/host/cpu/backend';
import { seedsOf, CASES, type Seed } from './seeds';

/** How a backend detected a bug: a kind of finding, `wrong`, or null if its result passed. */
export type Caught = string | null;

export interface Row {
  readonly algorithm: string;
  readonly bug: string;
  readonly place: string;
  /** Undefined if the bug is only in the text. */
  readonly simulate?: Caught;
  readonly cpu: Caught;
  /** Result of the WGSL text with the same bug; undefined without one, or if it was not run. */
  readonly webgpu?: Caught;
}

export const SEED = 3;
const LIMIT_MS = 10_000;

const context = {
  abort: new AbortController().signal,
  progress: () => undefined,
};

/** Classifies the detection: a finding, or a wrong result. */
export function caughtBy({ outcome, message = '', verification }: Measurement): Caught {
  if (outcome === 'correct') return null;
  const [, kind] = /^([a-z-]+): /.exec(message) ?? [];
  if (kind !== undefined) return kind === 'in-flight' ? 'not waited for' : kind;
  return verification.mismatches > 0 ? 'wrong result' : outcome;
}

export const allSeeds = (): readonly Seed[] =>
  Object.keys(CASES).flatMap(algorithm => seedsOf(algorithm, 'cuda'));

export async function simulated(kernel: Kernel): Promise<Caught> {
  return caughtBy(
    await simulateBackend.run({ runnable: kernel, mode: 'verify', seed: SEED }, context),
  );
}

/** Kernels per compilation: one large compilation would use a single core for half a minute. */
const TOGETHER = 40;

export async function onCpu(kernels: readonly Kernel[]): Promise<readonly Caught[]> {
  const chunks = Array.from({ length: Math.ceil(kernels.length / TOGETHER) }, (_, i) =>
    kernels.slice(i * TOGETHER, (i + 1) * TOGETHER),
  );
  const caught: Caught[] = [];
  for (const chunk of chunks) {
    const options = { where: 'test', seed: SEED, context, runTimeoutMs: LIMIT_MS };
    caught.push(...(await runOnCpu(chunk, options)).map(caughtBy));
  }
  return caught;
}

/** Returns one row per bug, in the order of the seeds; `webgpu` also runs the WGSL texts. */
export async function rowsOf(seeds: readonly Seed[], webgpu?: Backend): Promise<readonly Row[]> {
  const running = onCpu(seeds.map(({ kernel }) => kernel));
  const simulate: (Caught | undefined)[] = [];
  for (const { kernel, textOnly } of seeds) {
    simulate.push(textOnly === true ? undefined : await simulated(kernel));
    // Lets the compiler's exit event be processed.
    await new Promise(resolve => setImmediate(resolve));
  }
  const cpu = await running;
  const rows: Row[] = [];
  for (const [i, { algorithm, bug, place }] of seeds.entries()) {
    const text =
      webgpu === undefined || !ON_WEBGPU.test(algorithm) ? undefined : wgslSeed(seeds, i);
    const ofIr = simulate[i];
    rows.push({
      algorithm,
      bug,
      place,
      cpu: cpu[i] ?? null,
      ...(ofIr === undefined ? {} : { simulate: ofIr }),
      ...(webgpu === undefined || text === undefined
        ? {}
        : {
            webgpu: caughtBy(
              await webgpu.run({ runnable: text.kernel, mode: 'verify', seed: SEED }, context),
            ),
          }),
    });
  }
  return rows;
}

/** One process per run, so only the rungs that show adapter behavior. */
const ON_WEBGPU = /^(naive|shared-tile|warp-tile, whole K)$/;

const wgslSeeds = new Map<string, readonly Seed[]>();

/** Finds the same bug in the WGSL text: the n-th of its kind, if both texts have equally many. */
function wgslSeed(seeds: readonly Seed[], at: number): Seed | undefined {
  const seed = seeds[at];
  if (seed === undefined) return undefined;
  const { algorithm, bug } = seed;
  const same = (other: Seed): boolean => other.algorithm === algorithm && other.bug === bug;
  const known = wgslSeeds.get(algorithm) ?? seedsOf(algorithm, 'wgsl');
  wgslSeeds.set(algorithm, known);
  const [here, there] = [seeds.filter(same), known.filter(same)];
  return here.length === there.length ? there[here.indexOf(seed)] : undefined;
}
