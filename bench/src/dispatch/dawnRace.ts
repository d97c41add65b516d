/**
 * Benchmarks the WGSL kernels of one shape on a WebGPU device. The first result is verified, the
 * other results are compared with it, and then the kernels are timed in interleaved rounds.
 */
import { launchesOf, type Launch as Launched, type Kernel } from '../../../src/core/kernel/kernel';
import { emit } from '../../../src/core/kernel/emit';
import { planIfLegal } from '../../../src/core/plan/planner';
import type { ResolvedSpec } from '../../../src/core/spec/resolved';
import { verifyResult } from '../../../src/core/verify/verify';
import type { MatrixData } from '../../../src/core/verify/inputs';
import { bindWhole, type Buffers } from '../../../src/webgpu/arguments';
import { readResult, upload } from '../../../src/webgpu/matrices';
import { compile, type Launch } from '../../../src/webgpu/pipeline';
import { release, type Session } from '../../../src/webgpu/session';
import { wordsOf } from '../../../src/webgpu/stop';
import type { Timer } from '../../../src/webgpu/timer';

export interface Contestant {
  readonly specKey: string;
  /**
   * Rate of each batch in GFLOP/s, in chronological order; empty if the kernel was not timed (see
   * `why`).
   */
  readonly gflops: readonly number[];
  readonly compileMs?: number;
  readonly why?: string;
}

export interface RaceTimes {
  readonly batchMs: number;
  readonly rounds: number;
  /**
   * Maximum time relative to the fastest kernel; slower kernels are not timed in the interleaved
   * rounds.
   */
  readonly behind: number;
}

const SEED = 1;
const WARM_UP_MS = 20;
/** Limits of the warm-up. After seconds of idling, an H200 started at a sixth of its rate. */
const SETTLE = { batchMs: 50, leastSeconds: 1, mostSeconds: 5 } as const;

interface Ready {
  readonly at: number;
  readonly launch: Launch;
  readonly batch: number;
  readonly ms: number;
}

/** Returns one result per spec. All specs must have the same problem. */
export async function raceOnDawn(
  session: Session,
  timer: Timer,
  specs: readonly ResolvedSpec[],
  times: RaceTimes,
): Promise<readonly Contestant[]> {
  const kernels = specs.map(spec => {
    const plan = planIfLegal(spec, 'wgsl');
    return plan === null ? null : emit(plan);
  });
  const [first] = kernels.filter(kernel => kernel !== null);
  const results: Contestant[] = kernels.map(kernel => ({
    specKey: kernel?.specKey ?? '',
    gflops: [],
    ...(kernel === null ? { why: 'not legal for this shape' } : {}),
  }));
  if (first === undefined) return results;
  const workspaceBytes = Math.max(0, ...kernels.map(kernel => kernel?.workspaceBytes ?? 0));
  const whole = workspaceBytes === 0 ? first : { ...first, workspaceBytes };
  const buffers = await upload(session, whole, SEED);
  const { m, n, k, batch } = first.problem;
  const gflop = (2 * m * n * k * batch) / 1e9;
  const compiled: Pick<Ready, 'at' | 'launch'>[] = [];
  const ready: Ready[] = [];
  let right: MatrixData | undefined;
  for (const [at, kernel] of kernels.entries()) {
    if (kernel === null) continue;
    try {
      const began = performance.now();
      const { launch, c } = await product(session, kernel, buffers);
      const compileMs = performance.now() - began;
      const wrong = right === undefined ? mismatches(kernel, c) : different(right, c);
      if (wrong > 0) throw new Error(`${wrong} elements are incorrect`);
      right ??= c;
      results[at] = { specKey: kernel.specKey, gflops: [], compileMs };
      compiled.push({ at, launch });
    } catch (error) {
      results[at] = { specKey: kernel.specKey, gflops: [], why: wordsOf(error) };
    }
  }
  // Warm up first: the GPU was idle while the CPU compared the results.
  const [one] = compiled;
  if (one !== undefined) await settle(timer, one.launch);
  for (const { at, launch } of compiled) {
    const ms = await timeOnce(timer, launch);
    const before = results[at];
    if (before !== undefined) results[at] = { ...before, gflops: [gflop / (ms / 1e3)] };
    ready.push({ at, launch, ms, batch: Math.max(1, Math.ceil(times.batchMs / ms)) });
  }
  const fastest = Math.min(...ready.map(({ ms }) => ms));
  const racing = ready.filter(({ ms }) => ms <= fastest * times.behind);
  const rates = new Map<number, number[]>(racing.map(({ at }) => [at, []]));
  for (let round = 0; round < times.rounds; round++) {
    for (const one of round % 2 === 0 ? racing : racing.toReversed()) {
      const { ms } = await timer.time([one.launch], one.batch);
      if (ms !== undefined && ms > 0) rates.get(one.at)?.push(gflop / (ms / one.batch / 1e3));
    }
  }
  for (const [at, gflops] of rates) {
    const before = results[at];
    if (before !== undefined && gflops.length > 0) results[at] = { ...before, gflops };
  }
  release(session, [...Object.values(buffers)]);
  return results;
}

async function product(
  session: Session,
  kernel: Kernel,
  buffers: Buffers,
): Promise<{ readonly launch: Launch; readonly c: MatrixData }> {
  const pipelines: GPUComputePipeline[] = [];
  for (const { entry } of launchesOf<Launched>(kernel)) {
    pipelines.push(await compile(session, kernel.source, entry));
  }
  const launch = await bindWhole(session, { runnable: kernel, pipelines, buffers });
  // C contains the result of the previous kernel. Clear it, so that elements left unwritten are
  // detected.
  const { device } = session;
  const encoder = device.createCommandEncoder();
  encoder.clearBuffer(buffers.c);
  device.queue.submit([encoder.finish()]);
  return { launch, c: await readResult(session, [launch], kernel.problem, buffers.c) };
}

const mismatches = ({ problem }: Kernel, c: MatrixData): number =>
  verifyResult(problem, SEED, c).mismatches;

/**
 * Counts the elements that differ by more than 1e-3 of the largest sampled magnitude. Kernels
 * accumulate in different orders, so their results are not bitwise equal.
 */
function different(right: MatrixData, c: MatrixData): number {
  let scale = 0;
  for (let i = 0; i < right.length; i += 97) scale = Math.max(scale, Math.abs(right[i] ?? 0));
  let wrong = 0;
  for (let i = 0; i < right.length; i++) {
    if (!(Math.abs((right[i] ?? 0) - (c[i] ?? 0)) <= 1e-3 * scale)) wrong++;
  }
  return wrong;
}

/**
 * Launches batches until three batches in a row agree within 1 % with the batch before, for 1 to 5
 * seconds. GPU clocks recover in steps over tenths of a second.
 */
async function settle(timer: Timer, launch: Launch): Promise<void> {
  const began = performance.now();
  const seconds = (): number => (performance.now() - began) / 1000;
  const batch = Math.max(1, Math.ceil(SETTLE.batchMs / (await timeOnce(timer, launch))));
  let alike = 0;
  for (let last = 0; alike < 3 && seconds() < SETTLE.mostSeconds;) {
    const { ms, wallMs } = await timer.time([launch], batch);
    const now = ms ?? wallMs;
    alike = seconds() > SETTLE.leastSeconds && Math.abs(now - last) < 0.01 * now ? alike + 1 : 0;
    last = now;
  }
}

/**
 * Returns the time per launch in milliseconds, from the last batch of a warm-up of at least 20 ms.
 */
async function timeOnce(timer: Timer, launch: Launch): Promise<number> {
  let [ms, spent, batch] = [0, 0, 1];
  while (spent < WARM_UP_MS) {
    const elapsed = await timer.time([launch], batch);
    ms = (elapsed.ms ?? elapsed.wallMs) / batch;
    spent += elapsed.wallMs;
    batch = Math.min(2 * batch, Math.max(1, Math.ceil(WARM_UP_MS / 2 / Math.max(ms, 1e-3))));
  }
  return ms;
}
