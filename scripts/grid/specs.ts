/** A fixed list of legal specs over the whole space of this version: the same list on every run and machine. */
import { emit } from '../../src/core/emit/emit';
import type { Kernel } from '../../src/core/emit/kernel';
import { plan } from '../../src/core/plan/planner';
import { decodeSpec } from '../../src/core/spec/decode';
import { resolve } from '../../src/core/spec/resolve';
import type { Target } from '../../src/core/spec/schema';
import { pcgHash } from '../../src/core/verify/inputs';

const TILES = [8, 12, 16, 24, 32, 48, 64, 96, 128, 160, 256];
const LAYOUTS = ['row', 'col'];
const SIZES = [1, 7, 33, 64, 100, 128, 130];

const SCHEDULES = [
  { algorithm: 'naive' },
  { algorithm: 'coalesced', variant: 'swap' },
  { algorithm: 'coalesced', variant: 'remap' },
  { algorithm: 'shared-tile', variant: '2d' },
  { algorithm: 'shared-tile', variant: '1d' },
  { algorithm: 'shared-tile', variant: 'transposed' },
  { algorithm: 'thread-tile-1d' },
  { algorithm: 'thread-tile-2d' },
  { algorithm: 'vectorized' },
  { algorithm: 'warp-tile' },
  { algorithm: 'pipelined' },
  { algorithm: 'pipelined' },
] as const;
const LANED: readonly string[] = ['vectorized', 'warp-tile', 'pipelined'];
/** Lanes of a warp along M and N. */
const LANES = [
  [4, 8],
  [8, 4],
  [2, 16],
  [16, 2],
] as const;

/** Kernels of the first `count` legal specs for the given targets. */
export function gridKernels(
  count: number,
  targets: readonly Target[],
): readonly (readonly Kernel[])[] {
  const found: (readonly Kernel[])[] = [];
  const keys = new Set<string>();
  for (let draw = 0; found.length < count; draw++) {
    const kernels = targets.map(target => kernelOf(specAt(draw), target));
    const key = kernels[0]?.specKey ?? '';
    if (kernels.some(kernel => kernel === null) || keys.has(key)) continue;
    keys.add(key);
    found.push(kernels.filter(kernel => kernel !== null));
  }
  return found;
}

function kernelOf(spec: unknown, target: Target): Kernel | null {
  const decoded = decodeSpec(spec);
  if (!decoded.ok) throw new Error(JSON.stringify(decoded.errors));
  const planned = plan(resolve(decoded.spec), target);
  return planned.ok ? emit(planned.plan) : null;
}

/** The spec of one draw: every choice is a hash of the draw and of what is chosen. */
function specAt(draw: number): object {
  let step = 0;
  const pick = <T>(values: readonly [T, ...T[]] | readonly T[]): T => {
    const value = values[pcgHash(pcgHash(draw) + ++step) % values.length];
    if (value === undefined) throw new Error('nothing to pick from');
    return value;
  };
  const schedule = pick(SCHEDULES);
  const staged = schedule.algorithm !== 'naive' && schedule.algorithm !== 'coalesced';
  const tiled = schedule.algorithm.startsWith('thread-tile');
  const block = {
    m: pick(TILES),
    n: pick(TILES),
    ...(staged ? { k: pick([4, 8, 16, 20, 32]) } : {}),
  };
  const thread = {
    m: pick([2, 4, 5, 8]),
    ...(schedule.algorithm === 'thread-tile-2d' ? { n: pick([2, 4, 8]) } : {}),
  };
  const laned = LANED.includes(schedule.algorithm);
  const dtype = pick(['f32', 'f32', 'f32', 's32']);
  const [m, n, k] = [pick(SIZES), pick(SIZES), pick(SIZES)];
  const operand = (rows: number, columns: number) => {
    const layout = pick(LAYOUTS);
    const ld = (layout === 'row' ? columns : rows) + pick([0, 0, 0, 3]);
    const packed = (layout === 'row' ? rows : columns) * ld;
    return { dtype, layout, ld, batchStride: packed + pick([0, 0, 8]) };
  };
  return {
    problem: {
      ...{ m, n, k, a: operand(m, k), b: operand(k, n), c: operand(m, n) },
      batch: pick([1, 1, 1, 2]),
      ...{ alpha: pick([1, 1, 2]), beta: pick([0, 0, 1, -3]) },
    },
    schedule: {
      ...schedule,
      ...(laned ? lanedSchedule(schedule.algorithm, pick) : { block }),
      ...(tiled ? { thread } : {}),
      ...(staged && !laned && pick([true, false])
        ? { padding: { a: pick([0, 1, 4]), b: pick([0, 4]) } }
        : {}),
      ...(pick([true, false, false]) ? { minBlocksPerSm: 1 } : {}),
    },
    device: laned ? pick(['h200', 'h200', 't4']) : 'h200',
  };
}

type Pick = <T>(values: readonly [T, ...T[]] | readonly T[]) => T;

/** Warps and blocks are made of thread tiles, so that most draws are legal. */
function lanedSchedule(algorithm: string, pick: Pick): object {
  const thread = { m: pick([2, 4, 4, 8, 6]), n: pick([2, 4, 4, 8, 8]) };
  const [lanesM, lanesN] = pick(LANES);
  const warp = { m: lanesM * thread.m, n: lanesN * thread.n };
  const block = { m: warp.m * pick([1, 2]), n: warp.n * pick([1, 2]), k: pick([4, 8, 8, 16, 12]) };
  const against = pick(['nothing', 'padding', 'xor']);
  return {
    ...{ block, thread, vector: pick([1, 2, 4, 4, 4]) },
    ...(algorithm === 'vectorized' ? {} : { warp }),
    ...(algorithm === 'pipelined' ? { stages: pick([2, 2, 2, 3, 4, 5]) } : {}),
    ...(against === 'padding' ? { padding: { a: pick([1, 4]), b: pick([0, 4]) } } : {}),
    ...(against === 'xor' ? { swizzle: 'xor' } : {}),
    ...(pick([true, false, false])
      ? { raster: { order: pick(['row', 'col']), group: pick([1, 4]) } }
      : {}),
  };
}
