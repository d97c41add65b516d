/** Runs seeded bugs on the backends and reports how each backend detects them. */
import type { Kernel } from '../../src/core/kernel/kernel';
import type { Backend } from '../../src/core/measure/backend';
import type { Measurement } from '../../src/core/measure/measurement';
import { RESULT_IDS } from '../../src/core/verify/judge/ids';
import { simulateBackend } from '../../src/core/simulate/backend';
import { runOnCpu } from '../../src/host/cpu/backend';
import { seedsOf, CASES, type Seed } from './seeds';

/**
 * How a backend detected a bug: a kind of finding, `wrong result`, another outcome, or null for a
 * correct result.
 */
export type Caught = string | null;

export interface Row {
  readonly algorithm: string;
  readonly bug: string;
  readonly place: string;
  /** Result of simulate; undefined if the bug is only in the source. */
  readonly simulate?: Caught;
  readonly cpu: Caught;
  /**
   * Result of the WGSL kernel with the same bug; undefined if there is no such kernel or WebGPU was
   * not used.
   */
  readonly webgpu?: Caught;
}

export const SEED = 3;
const LIMIT_MS = 10_000;

const context = {
  abort: new AbortController().signal,
  progress: () => undefined,
};

export function caughtBy({ outcome, message = '', verification }: Measurement): Caught {
  if (outcome === 'correct') return null;
  const [, kind] = /^([a-z-]+): /.exec(message) ?? [];
  const isNameOfResult = RESULT_IDS.some(id => id === kind);
  if (kind !== undefined && !isNameOfResult)
    return kind === 'in-flight' ? 'copy not awaited' : kind;
  return verification.mismatches > 0 ? 'wrong result' : outcome;
}

export const allSeeds = (): readonly Seed[] =>
  Object.keys(CASES).flatMap(algorithm => seedsOf(algorithm, 'cuda'));

export async function simulated(kernel: Kernel): Promise<Caught> {
  return caughtBy(
    await simulateBackend.run({ runnable: kernel, mode: 'verify', seed: SEED }, context),
  );
}

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

export async function rowsOf(seeds: readonly Seed[], webgpu?: Backend): Promise<readonly Row[]> {
  const running = onCpu(seeds.map(({ kernel }) => kernel));
  const simulate: (Caught | undefined)[] = [];
  for (const { kernel, textOnly } of seeds) {
    simulate.push(textOnly === true ? undefined : await simulated(kernel));
    // Yield to the event loop, so that the compiler's exit event is processed.
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

const ON_WEBGPU = /^(naive|shared-tile|warp-tile, whole K)$/;

const wgslSeeds = new Map<string, readonly Seed[]>();

/**
 * Returns the same bug in the WGSL kernel: the n-th bug of its kind. Returns undefined if the two
 * kernels have different numbers of these bugs.
 */
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
