/**
 * Generates kernels of random legal specs with full tiles only, because the loop IR counts boundary
 * tiles as full tiles, unlike compiled code.
 */
import type { Kernel } from '../../src/core/kernel/kernel';
import type { GemmSpec } from '../../src/core/spec/schema';
import { workOf } from '../grid/draws';
import { kernelOf } from '../grid/properties';
import { specOf } from '../grid/specs';

/**
 * Number of tiles along M and N, and minimum number of k-iterations per split-K slice, which
 * exceeds the number of pipeline stages.
 */
const TILES = { m: 2, n: 2, k: 8 } as const;
const MOST_WORK = 2 ** 24;

export function* wholeTiles(
  from: number,
): Generator<{ readonly seed: number; readonly kernel: Kernel }> {
  for (let seed = from; ; seed++) {
    const drawn = kernelOf(specOf(seed), 'cuda');
    if (drawn === null) continue;
    const kernel = kernelOf(whole(specOf(seed), drawn, seed), 'cuda');
    if (kernel === null || workOf(kernel) > MOST_WORK || hasEdge(kernel)) continue;
    yield { seed, kernel };
  }
}

const hasEdge = ({ before = [], after = [], problem: { m, n } }: Kernel): boolean =>
  [...before, ...after].some(({ grid, block }) => grid.x * block.x * grid.y * block.y > m * n);

/**
 * Returns the spec with a problem of full tiles. For every third seed, leading dimensions exceed
 * their minimum by 1 to 7 elements, so that rows are not aligned to sectors.
 */
function whole(spec: GemmSpec, { plan }: Kernel, seed: number): GemmSpec {
  const parts = plan.split?.slices ?? 1;
  const [m, n] = [TILES.m * plan.tile.m, TILES.n * plan.tile.n];
  const depth = Math.max(plan.tile.k, 1);
  const k = TILES.k * parts * depth * Math.ceil(8 / depth);
  const { a, b, c } = spec.problem;
  const odd = seed % 3 === 0 ? 1 + (seed % 7) : 0;
  const matrix = (of: typeof a, rows: number, columns: number): NonNullable<typeof a> => {
    const rest = Object.fromEntries(
      Object.entries(of ?? {}).filter(([key]) => key !== 'ld' && key !== 'batchStride'),
    );
    const inner = of?.layout === 'col' ? rows : columns;
    return odd === 0 ? rest : { ...rest, ld: inner + odd };
  };
  return {
    ...spec,
    problem: {
      ...spec.problem,
      m,
      n,
      k,
      batch: 1,
      a: matrix(a, m, k),
      b: matrix(b, k, n),
      c: matrix(c, m, n),
    },
  };
}
