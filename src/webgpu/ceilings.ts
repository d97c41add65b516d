/** Measures the ceilings of an adapter with small kernels: compute rate and memory bandwidth. */
import type { MeasuredCeilings } from '../core/measure/measurement';
import { isInteger, type DType } from '../core/types/dtype';
import copySource from '../../shaders/wgsl/copy.wgsl';
import fmaSource from '../../shaders/wgsl/fma.wgsl';
import integerMadSource from '../../shaders/wgsl/integerMad.wgsl';
import { timeLaunches, timerTooCoarse, type Patience } from './batches';
import { compile, type Launch } from './pipeline';
import { USAGE, checked, ownBuffer, release, type Session } from './session';
import type { Timer } from './timer';

export const ceilingsKey = (adapter: string, dtype: DType): string => `${adapter} ${dtype}`;

const PATIENCE: Patience = {
  warmUpMs: 20,
  minSamples: 5,
  maxSamples: 20,
  sampleMs: 200,
  budgetMs: 300,
};

const WORKGROUP = 256;
/** Operations per thread and iteration of fma.wgsl: 128 FMAs, 2 operations each. */
const OPERATIONS = 256;
/** Minimum and maximum number of workgroups. */
const FEW_WORKGROUPS = 32;
const MANY_WORKGROUPS = 4096;
const MAX_ITERATIONS = 2 ** 16;
/** Minimum time of a launch in milliseconds, so that launch overhead is negligible. */
const LAUNCH_MS = 2;
const MAX_LAUNCH_MS = 100;

const MIB = 2 ** 20;
/** Bytes copied per workgroup of copy.wgsl: four 16-byte vec4s per thread. */
const WORKGROUP_COPY_BYTES = 4 * 16 * WORKGROUP;
/** Size in bytes of each of the two buffers on slow and fast adapters. */
const SLOW_BYTES = 32 * MIB;
const FAST_BYTES = 256 * MIB;
/**
 * Copy time of the smaller buffer in milliseconds; an adapter that takes less time counts as fast.
 */
const FAST_MS = 1;

/**
 * Measures the compute ceiling, then the bandwidth ceiling. A ceiling is absent if the timer is too
 * coarse.
 */
export async function measureCeilings(
  session: Session,
  timer: Timer,
  dtype: DType,
): Promise<MeasuredCeilings> {
  const arithmetic = await measureArithmetic(session, timer, dtype);
  const bandwidth = await measureBandwidth(session, timer);
  const how = [arithmetic.how, bandwidth.how, `best sample, ${timer.name}`].join('; ');
  return {
    ...(arithmetic.value === undefined ? {} : { gflops: arithmetic.value }),
    ...(bandwidth.value === undefined ? {} : { bandwidthGBps: bandwidth.value }),
    how,
  };
}

/**
 * FMA kernel in f16. It is run only after a kernel with f16 accumulation, so the device supports
 * f16.
 */
const halfFmaSource = `enable f16;\n${fmaSource.replace('alias Accumulator = f32;', 'alias Accumulator = f16;')}`;

interface Ceiling {
  readonly value?: number;
  readonly how: string;
}

async function measureArithmetic(session: Session, timer: Timer, dtype: DType): Promise<Ceiling> {
  const integers = isInteger(dtype);
  const name = integers ? 's32 multiply-add' : `${dtype} FMA`;
  const floats = dtype === 'f16' ? halfFmaSource : fmaSource;
  const pipeline = await compile(session, integers ? integerMadSource : floats, 'main');
  const { launch, buffers } = await checked(session, 'Measuring the compute rate', () => {
    const parameters = ownBuffer(session, 16, USAGE.uniform | USAGE.copyDestination);
    const result = ownBuffer(session, MANY_WORKGROUPS * WORKGROUP * 4, USAGE.storage);
    return launchOf(session, pipeline, [parameters, result], MANY_WORKGROUPS);
  });
  const [parameters] = buffers;
  const longEnoughMs = LAUNCH_MS + timer.quantumNs / 1e6;
  let [workgroups, iterations] = [FEW_WORKGROUPS, 1];
  const on = (x: number): Launch => launch.map(one => ({ ...one, grid: { x, y: 1, z: 1 } }));
  let work = on(workgroups);
  for (;;) {
    if (parameters !== undefined) {
      session.device.queue.writeBuffer(parameters, 0, arithmeticBlock(iterations, integers));
    }
    work = on(workgroups);
    const { ms, wallMs } = await timer.time([work], 1);
    if ((ms ?? wallMs) >= longEnoughMs || wallMs >= MAX_LAUNCH_MS) break;
    if (iterations >= MAX_ITERATIONS) break;
    if (workgroups < MANY_WORKGROUPS) workgroups *= 2;
    else iterations *= 2;
  }
  const ms = await bestLaunchMs(session, timer, work);
  release(session, buffers);
  if (ms === undefined) return { how: `${name}: the timer is too coarse` };
  return {
    value: (workgroups * WORKGROUP * OPERATIONS * iterations) / (ms * 1e6),
    how: `independent ${name}`,
  };
}

function arithmeticBlock(iterations: number, integers: boolean): ArrayBuffer {
  const block = new ArrayBuffer(16);
  new Uint32Array(block)[0] = iterations;
  if (integers) new Int32Array(block).set([3, 1], 1);
  else new Float32Array(block).set([0.999, 0.001], 1);
  return block;
}

async function measureBandwidth(session: Session, timer: Timer): Promise<Ceiling> {
  const { limits } = session.device;
  const most = Math.min(limits.maxBufferSize, limits.maxStorageBufferBindingSize, FAST_BYTES);
  const pipeline = await compile(session, copySource, 'main');
  const copyMs = async (bytes: number): Promise<number | undefined> => {
    const { launch, buffers } = await checked(session, 'Measuring the memory bandwidth', () => {
      const pair = [0, 1].map(() => ownBuffer(session, bytes, USAGE.storage));
      return launchOf(session, pipeline, pair, bytes / WORKGROUP_COPY_BYTES);
    });
    const ms = await bestLaunchMs(session, timer, launch);
    release(session, buffers);
    return ms;
  };
  let bytes = SLOW_BYTES;
  let ms = await copyMs(bytes);
  if (ms !== undefined && ms < FAST_MS && most > bytes) {
    bytes = most - (most % WORKGROUP_COPY_BYTES);
    ms = await copyMs(bytes);
  }
  const how = `copy of ${Math.round(bytes / MIB)} MiB`;
  if (ms === undefined) return { how: `${how}: the timer is too coarse` };
  return { value: (2 * bytes) / (ms * 1e6), how };
}

function launchOf(
  session: Session,
  pipeline: GPUComputePipeline,
  buffers: readonly GPUBuffer[],
  workgroups: number,
): { launch: Launch; buffers: readonly GPUBuffer[] } {
  const bindGroup = session.device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
  });
  return { launch: [{ pipeline, bindGroup, grid: { x: workgroups, y: 1, z: 1 } }], buffers };
}

/** Returns undefined if the timer is too coarse. */
async function bestLaunchMs(
  session: Session,
  timer: Timer,
  launch: Launch,
): Promise<number | undefined> {
  const batches = await timeLaunches(session, timer, [launch], PATIENCE);
  if (timerTooCoarse(batches) !== undefined) return undefined;
  return Math.min(...batches.batchTimesMs) / batches.batch;
}
