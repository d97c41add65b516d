/**
 * Measures GPU time with timestamp queries, or with the wall clock if timestamps are missing or
 * unusable.
 */
import tickSource from '../../shaders/wgsl/tick.wgsl';
import { compile, record, type Launch, type Work } from './pipeline';
import { MAP_READ, USAGE, checked, waitForGpu, ownBuffer, release, type Session } from './session';

export interface Elapsed {
  /** Time measured by the timer in milliseconds; undefined if it is invalid. */
  readonly ms: number | undefined;
  /** Time in milliseconds from the submit to its completion, measured by the host. */
  readonly wallMs: number;
}

export interface Timer {
  readonly name: 'timestamp-query' | 'wall-clock';
  readonly quantumNs: number;
  /** Minimum batch time in milliseconds, because overhead dominates shorter batches. */
  readonly minBatchMs: number;
  /**
   * Runs the work `launches` times and returns the total time. A split launch uses one submit per
   * sub-problem.
   */
  readonly time: (work: Work, launches: number) => Promise<Elapsed>;
}

const WHAT = 'A timed batch';
const QUANTUM_PASSES = 200;
/**
 * Tolerance in milliseconds for the errors of the GPU clock and the host clock. Without such
 * errors, a pass cannot take longer than the host waited.
 */
const CLOCK_SLACK_MS = 1;

export async function openTimer(session: Session): Promise<Timer> {
  return (await timestampTimer(session)) ?? (await wallClock(session));
}

/**
 * Creates a timer that uses timestamp queries. Returns undefined if the adapter has no timestamps,
 * if timestamps never advance, or if they decrease.
 */
async function timestampTimer(session: Session): Promise<Timer | undefined> {
  if (!session.hasTimestamps) return undefined;
  const quantumNs = quantumOf(await shortPasses(session));
  if (quantumNs === undefined) return undefined;

  const one = stamps(session, 1);
  return {
    name: 'timestamp-query',
    quantumNs,
    minBatchMs: 3,
    time: inSubmits(async (timed, launches) => {
      const { values, wallMs } = await one.run(pass => {
        record(pass, timed, launches);
      });
      const [begin = 0n, end = 0n] = values;
      const ms = Number(end - begin) / 1e6;
      const possible = ms >= 0 && ms <= wallMs + CLOCK_SLACK_MS + (2 * quantumNs) / 1e6;
      return { ms: possible ? ms : undefined, wallMs };
    }),
  };
}

/** Extends `one`, which times a single submit, to launches that are split into several submits. */
function inSubmits(one: (launch: Launch, launches: number) => Promise<Elapsed>): Timer['time'] {
  return async (work, launches) => {
    const [first] = work;
    if (work.length === 1 && first !== undefined) return one(first, launches);
    let [ms, wallMs]: [number | undefined, number] = [0, 0];
    for (let i = 0; i < launches; i++) {
      for (const launch of work) {
        const part = await one(launch, 1);
        ms = ms === undefined || part.ms === undefined ? undefined : ms + part.ms;
        wallMs += part.wallMs;
      }
    }
    return { ms, wallMs };
  };
}

async function shortPasses(session: Session): Promise<readonly bigint[]> {
  const { device } = session;
  const pipeline = await compile(session, tickSource, 'main');
  const { ticks, bindGroup } = await checked(session, 'The timer test', () => {
    const ticks = ownBuffer(session, 16, USAGE.storage);
    const entries = [{ binding: 0, resource: { buffer: ticks } }];
    const layout = pipeline.getBindGroupLayout(0);
    return { ticks, bindGroup: device.createBindGroup({ layout, entries }) };
  });
  const launch: Launch = [{ pipeline, bindGroup, grid: { x: 1, y: 1, z: 1 } }];
  const passes = stamps(session, QUANTUM_PASSES);
  const { values } = await passes.run(pass => {
    record(pass, launch, 1);
  });
  passes.close();
  release(session, [ticks]);
  return values;
}

/**
 * Returns the greatest common divisor of the timestamp differences in nanoseconds, such as 65,536
 * if a browser rounds timestamps to this multiple. Returns undefined if the timestamps never
 * advance or if they decrease.
 */
export function quantumOf(values: readonly bigint[]): number | undefined {
  const steps = values.slice(1).map((value, index) => value - (values[index] ?? value));
  const moved = steps.filter(step => step !== 0n);
  if (moved.length === 0 || moved.some(step => step < 0n)) return undefined;
  return Number(moved.reduce(greatestCommonDivisor));
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

interface Stamps {
  /**
   * Records passes with `fill` and submits them together. Returns the start and end timestamps
   * of each pass in nanoseconds, and the host time until completion in milliseconds.
   */
  run(fill: (pass: GPUComputePassEncoder) => void): Promise<{ values: bigint[]; wallMs: number }>;
  close(): void;
}

function stamps(session: Session, passes: number): Stamps {
  const { device, env } = session;
  const bytes = passes * 16;
  const querySet = device.createQuerySet({ type: 'timestamp', count: passes * 2 });
  session.owned.add(querySet);
  const resolved = ownBuffer(session, bytes, USAGE.queryResolve | USAGE.copySource);
  const staging = ownBuffer(session, bytes, USAGE.mapRead | USAGE.copyDestination);
  return {
    run: async fill => {
      const encoder = device.createCommandEncoder();
      for (let i = 0; i < passes; i++) {
        const pass = encoder.beginComputePass({
          timestampWrites: {
            querySet,
            beginningOfPassWriteIndex: 2 * i,
            endOfPassWriteIndex: 2 * i + 1,
          },
        });
        fill(pass);
        pass.end();
      }
      encoder.resolveQuerySet(querySet, 0, passes * 2, resolved, 0);
      encoder.copyBufferToBuffer(resolved, 0, staging, 0, bytes);
      const commands = encoder.finish();
      const begin = env.now();
      device.queue.submit([commands]);
      await waitForGpu(session, staging.mapAsync(MAP_READ), WHAT);
      const wallMs = env.now() - begin;
      const values = [...new BigUint64Array(staging.getMappedRange().slice(0))];
      staging.unmap();
      return { values, wallMs };
    },
    close: () => {
      release(session, [querySet, resolved, staging]);
    },
  };
}

/**
 * Creates a timer that measures the host time from a submit to its completion. Its resolution is
 * the step of the clock plus the median time of an empty submit.
 */
export async function wallClock(session: Session): Promise<Timer> {
  const { device, env } = session;
  const submit = async (commands: readonly GPUCommandBuffer[]): Promise<number> => {
    const begin = env.now();
    device.queue.submit(commands);
    await waitForGpu(session, device.queue.onSubmittedWorkDone(), WHAT);
    return env.now() - begin;
  };
  const empty: number[] = [];
  for (let i = 0; i < 10; i++) empty.push(await submit([]));
  empty.sort((a, b) => a - b);
  const roundTripMs = empty[empty.length >> 1] ?? 0;
  return {
    name: 'wall-clock',
    quantumNs: Math.ceil((clockStep(env.now) + roundTripMs) * 1e6),
    minBatchMs: 50,
    time: inSubmits(async (launch, launches) => {
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      record(pass, launch, launches);
      pass.end();
      const ms = await submit([encoder.finish()]);
      return { ms, wallMs: ms };
    }),
  };
}

/**
 * Step in milliseconds assumed for a clock that did not advance. It is so large that no rate is
 * computed.
 */
const STILL_CLOCK_MS = 1000;

/**
 * Returns the smallest of up to ten steps of a clock in milliseconds, or `STILL_CLOCK_MS` if the
 * clock does not advance.
 */
function clockStep(now: () => number): number {
  let smallest = Infinity;
  let last = now();
  // The number of reads is limited, because the clock may not advance.
  for (let reads = 0, steps = 0; reads < 1_000_000 && steps < 10; reads++) {
    const time = now();
    if (time === last) continue;
    smallest = Math.min(smallest, Math.abs(time - last));
    last = time;
    steps++;
  }
  return Number.isFinite(smallest) ? smallest : STILL_CLOCK_MS;
}
