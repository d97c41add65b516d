/** Runs every seeded bug on the backends, and says which caught it and how. */
import type { Kernel } from '../../src/core/kernel/kernel';
import type { Backend } from '../../src/core/measure/backend';
import type { Measurement } from '../../src/core/measure/measurement';
import { simulateBackend } from '../../src/core/simulate/backend';
import { runOnCpu } from '../../src/host/cpu/backend';
import { seedsOf, CASES, type Seed } from './seeds';

/** How a backend saw a bug: a kind of finding, `wrong`, or null where its result passed. */
export type Caught = string | null;

export interface Row {
  readonly algorithm: string;
  readonly bug: string;
  readonly place: string;
  /** Undefined where the bug is one of the text alone. */
  readonly simulate?: Caught;
  readonly cpu: Caught;
  /** Of the WGSL text with the same bug; undefined where it has none or was not run. */
  readonly webgpu?: Caught;
}

export const SEED = 3;
const LIMIT_MS = 10_000;

const context = {
  abort: new AbortController().signal,
  progress: () => undefined,
};

/** A bug is caught by a finding, or by a wrong result. */
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

/** Kernels in one compilation: half a minute of a compiler that sees them all would be one core's. */
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

/** One row a bug, in the order of the seeds; `webgpu` runs the WGSL texts as well. */
export async function rowsOf(seeds: readonly Seed[], webgpu?: Backend): Promise<readonly Row[]> {
  const running = onCpu(seeds.map(({ kernel }) => kernel));
  const simulate: (Caught | undefined)[] = [];
  for (const { kernel, textOnly } of seeds) {
    simulate.push(textOnly === true ? undefined : await simulated(kernel));
    // Lets the compiler's end be heard.
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

/** A process a run: the rungs that show what an adapter sees. */
const ON_WEBGPU = /^(naive|shared-tile|warp-tile, whole K)$/;

const wgslSeeds = new Map<string, readonly Seed[]>();

/** The same bug in the WGSL text: the n-th of its kind, where both have as many. */
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
