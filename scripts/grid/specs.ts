/** A fixed list of legal specs over the whole space of this version: same list on every run and machine. */
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
  const dtype = pick(['f32', 'f32', 'f32', 's32']);
  const [m, n, k] = [pick(SIZES), pick(SIZES), pick(SIZES)];
  const operand = (rows: number, columns: number) => {
    const layout = pick(LAYOUTS);
    return { dtype, layout, ld: (layout === 'row' ? columns : rows) + pick([0, 0, 0, 3]) };
  };
  return {
    problem: {
      ...{ m, n, k, a: operand(m, k), b: operand(k, n), c: operand(m, n) },
      ...{ alpha: pick([1, 1, 2]), beta: pick([0, 0, 1, -3]) },
    },
    schedule: {
      ...schedule,
      block,
      ...(tiled ? { thread } : {}),
      ...(staged && pick([true, false])
        ? { padding: { a: pick([0, 1, 4]), b: pick([0, 4]) } }
        : {}),
      ...(pick([true, false, false]) ? { minBlocksPerSm: 1 } : {}),
    },
    device: 'h200',
  };
}
