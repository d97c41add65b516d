/** Rules of loop nests: which nests compute C, and which can run in parallel. */
import { t } from '@vscode/l10n';
import { WARP_LANES } from '../hardware/warp';
import { grouped } from '../text/digits';
import { chainViolations, type NestViolation } from './chainRules';
import {
  AXES,
  chainOf,
  iterationsOf,
  parentStep,
  variablesOf,
  type Loop,
  type LoopAxis,
  type LoopNest,
  type LoopProblem,
} from './nest';

export type { NestViolation };

/** Limits of the language that a nest is lowered to. */
export interface NestLimits {
  readonly threadsPerBlock: number;
  readonly sharedBytes: number;
  /** Maximum number of blocks along x, and along y and z. */
  readonly gridX: number;
  readonly gridYZ: number;
}

export const NEST_LIMITS: Readonly<Record<'cuda' | 'wgsl', NestLimits>> = {
  cuda: { threadsPerBlock: 1024, sharedBytes: 49_152, gridX: 2 ** 31 - 1, gridYZ: 65_535 },
  wgsl: { threadsPerBlock: 256, sharedBytes: 16_384, gridX: 65_535, gridYZ: 65_535 },
};

const ELEMENT_BYTES = 4;
/** Numbers of elements of one vectorized access. */
const VECTOR_WIDTHS: readonly number[] = [2, 4];
const MAX_GRID_LOOPS = 3;
/** Maximum number of accumulators that a thread keeps in registers. */
export const MAX_ACCUMULATORS = 128;

/** Returns why the nest does not compute C = A B sequentially; empty for a legal nest. */
export function sequentialViolations(nest: LoopNest): readonly NestViolation[] {
  const names = variablesOf(nest);
  return [
    ...AXES.flatMap(axis => chainViolations(nest, axis, names)),
    ...sharedViolations(nest, names),
  ];
}

/** A tile in shared memory is copied once per iteration of its k loop, before it is read. */
function sharedViolations(nest: LoopNest, names: readonly string[]): readonly NestViolation[] {
  const staged = nest.flatMap((loop, at) => (loop.shared === true ? [{ loop, at }] : []));
  const [first, second] = staged;
  if (first === undefined) return [];
  if (second !== undefined)
    return [{ at: second.at, message: t('Only one loop can copy tiles to shared memory.') }];
  const { loop, at } = first;
  if (loop.axis !== 'k')
    return [
      { at, message: t('Only a loop over k copies tiles: each k-iteration needs other elements.') },
    ];
  if (parentStep(nest, loop) !== null || loop.step === 1)
    return [
      {
        at,
        message: t(
          'The loop that copies tiles must be the outermost loop over k, with a step above 1.',
        ),
      },
    ];
  return nest.flatMap((other, position) => {
    if (other.axis === 'k' || other.level === 'grid') {
      const isOutside = position < at;
      return (other.axis === 'k' && position !== at && isOutside) ||
        (other.level === 'grid' && !isOutside)
        ? [
            {
              at: position,
              message: isOutside
                ? t(
                    '{0} must be inside of {1}, which copies the tiles of a thread block.',
                    names[position] ?? '',
                    names[at] ?? 'k',
                  )
                : t(
                    '{0} must be outside of {1}, which copies the tiles of a thread block.',
                    names[position] ?? '',
                    names[at] ?? 'k',
                  ),
            },
          ]
        : [];
    }
    return position < at
      ? [
          {
            at: position,
            message: t(
              "{0} must be inside of {1}: all elements of a block's tile use the same copy.",
              names[position] ?? '',
              names[at] ?? 'k',
            ),
          },
        ]
      : [];
  });
}

/** Returns why the nest cannot run in parallel; empty for a legal nest. */
export function parallelViolations(
  nest: LoopNest,
  problem: LoopProblem,
  limits: NestLimits,
): readonly NestViolation[] {
  const names = variablesOf(nest);
  return [
    ...mmaViolations(nest, names),
    ...nest.flatMap((loop, at) => loopViolations(nest, loop, { at, name: names[at] ?? '' })),
    ...vectorViolations(nest, problem, names),
    ...launchViolations(nest, problem, limits),
    ...blockTileViolations(nest, names),
  ];
}

/** Marks each loop at level mma, with one message for all of them. */
function mmaViolations(nest: LoopNest, names: readonly string[]): readonly NestViolation[] {
  const found = nest.flatMap(({ level }, at) => (level === 'mma' ? [at] : []));
  const message = t(
    'Level mma ({0}): a nest cannot be lowered to tensor cores. Run it in Python, or generate the kernel of a spec with the algorithm mma.',
    found.map(at => names[at] ?? '').join(', '),
  );
  return found.map(at => ({ at, message }));
}

function loopViolations(
  nest: LoopNest,
  loop: Loop,
  { at, name }: { readonly at: number; readonly name: string },
): readonly NestViolation[] {
  if (loop.level === 'thread' || loop.level === 'mma') return [];
  if (loop.axis === 'k')
    return [
      {
        at,
        message: t(
          '{0} cannot be at level {1}: all iterations over k add to the same element of C, so that parallel iterations would race. Keep it at level thread.',
          name,
          loop.level,
        ),
      },
    ];
  const inGrid = nest.findIndex(({ axis, level }) => axis === loop.axis && level === 'grid');
  if (loop.level !== 'grid' && parentStep(nest, loop) === null && inGrid > at)
    return [
      {
        at,
        message: t(
          '{0} is at level {1}, but {2} inside of it is at level grid. @grid must be outside of @{3}: exchange the levels.',
          name,
          loop.level,
          variablesOf(nest)[inGrid] ?? loop.axis,
          loop.level,
        ),
      },
    ];
  if (loop.level !== 'grid' && parentStep(nest, loop) === null)
    return [
      {
        at,
        message: t(
          '{0} covers the whole axis, so that its number of iterations depends on the problem. Split it, and assign the inner loop to {1}.',
          name,
          loop.level,
        ),
      },
    ];
  return [];
}

function vectorViolations(
  nest: LoopNest,
  problem: LoopProblem,
  names: readonly string[],
): readonly NestViolation[] {
  const vectors = nest.flatMap((loop, at) => (loop.level === 'vector' ? [{ loop, at }] : []));
  return vectors.flatMap(({ loop, at }, i) => {
    const name = names[at] ?? '';
    const violation = (message: string): readonly NestViolation[] => [{ at, message }];
    if (i > 0) return violation(t('{0} is a second vector loop. A nest has at most one.', name));
    if (loop.axis !== 'j' || loop.step !== 1)
      return violation(
        t(
          '{0} cannot be a vector: only consecutive columns (j with step 1) are contiguous in B and C.',
          name,
        ),
      );
    const width = iterationsOf(nest, loop, problem);
    if (!VECTOR_WIDTHS.includes(width))
      return violation(t('{0} has {1} iterations. A vector has 2 or 4.', name, width));
    if (problem.n % width !== 0)
      return violation(
        t(
          '{0} cannot be a vector: N = {1} is not a multiple of {2}, so that rows of B and C are not aligned.',
          name,
          problem.n,
          width,
        ),
      );
    const firstK = nest.findIndex(({ axis, level }) => axis === 'k' && level === 'thread');
    return at < firstK
      ? violation(
          t(
            '{0} must be inside of the loops over k, so that its accumulators are in registers.',
            name,
          ),
        )
      : [];
  });
}

/** Product of the iterations of the loops at a level. */
const iterationsAt = (nest: LoopNest, problem: LoopProblem, level: Loop['level']): number =>
  nest
    .filter(loop => loop.level === level)
    .reduce((product, loop) => product * iterationsOf(nest, loop, problem), 1);

export const hasWarps = (nest: LoopNest): boolean => nest.some(({ level }) => level === 'warp');

/** Returns the number of threads per block. */
export const threadsOf = (nest: LoopNest, problem: LoopProblem): number =>
  iterationsAt(nest, problem, 'block') * iterationsAt(nest, problem, 'warp');

function launchViolations(
  nest: LoopNest,
  problem: LoopProblem,
  limits: NestLimits,
): readonly NestViolation[] {
  const grid = nest.filter(({ level }) => level === 'grid');
  const lanes = iterationsAt(nest, problem, 'warp');
  const threads = threadsOf(nest, problem);
  const [bytes, accumulators] = [sharedBytesOf(nest), accumulatorsOf(nest, problem)];
  const rule = (isMet: boolean, message: string): readonly NestViolation[] =>
    isMet ? [] : [{ at: null, message }];
  return [
    ...rule(
      grid.length <= MAX_GRID_LOOPS,
      t(
        '{0} loops are at level grid. A grid has at most {1} dimensions.',
        grid.length,
        MAX_GRID_LOOPS,
      ),
    ),
    ...grid
      .toReversed()
      .flatMap((loop, i) =>
        rule(
          iterationsOf(nest, loop, problem) <= (i === 0 ? limits.gridX : limits.gridYZ),
          t(
            'A grid loop over {0} has {1} iterations; the limit is {2}.',
            loop.axis,
            grouped(iterationsOf(nest, loop, problem)),
            grouped(i === 0 ? limits.gridX : limits.gridYZ),
          ),
        ),
      ),
    ...rule(
      !hasWarps(nest) || lanes === WARP_LANES,
      t('The loops at level warp have {0} iterations. A warp has {1} lanes.', lanes, WARP_LANES),
    ),
    ...rule(
      threads <= limits.threadsPerBlock,
      t(
        'A block has {0} threads; the limit is {1}.',
        grouped(threads),
        grouped(limits.threadsPerBlock),
      ),
    ),
    ...rule(
      bytes <= limits.sharedBytes,
      t(
        'The tiles in shared memory have {0} bytes; the limit is {1}.',
        grouped(bytes),
        grouped(limits.sharedBytes),
      ),
    ),
    ...rule(
      (accumulators !== null && accumulators <= MAX_ACCUMULATORS) || !nest.some(isVectorOrShared),
      accumulators === null
        ? t(
            'The accumulators of a thread depend on the problem, so that registers cannot hold them. Split the loops over i and j inside of k, or move them outside.',
          )
        : t(
            'A thread has {0} accumulators; the limit is {1}.',
            grouped(accumulators),
            MAX_ACCUMULATORS,
          ),
    ),
  ];
}

const isVectorOrShared = ({ level, shared }: Loop): boolean =>
  level === 'vector' || shared === true;

/** Rows, columns and depth of the tiles that a thread block copies to shared memory. */
export function sharedTile(
  nest: LoopNest,
): { readonly m: number; readonly n: number; readonly k: number } | null {
  const staged = nest.find(({ shared }) => shared === true);
  if (staged === undefined) return null;
  const within = (axis: LoopAxis): number =>
    Math.min(
      ...nest.filter(loop => loop.axis === axis && loop.level === 'grid').map(({ step }) => step),
    );
  return { m: within('i'), n: within('j'), k: staged.step };
}

export function sharedBytesOf(nest: LoopNest): number {
  const tile = sharedTile(nest);
  return tile === null || !Number.isFinite(tile.m + tile.n)
    ? 0
    : (tile.m + tile.n) * tile.k * ELEMENT_BYTES;
}

/**
 * Returns the accumulators of a thread, or null if their number depends on the problem, so that
 * registers cannot hold them.
 */
export function accumulatorsOf(nest: LoopNest, problem: LoopProblem): number | null {
  const firstK = nest.findIndex(({ axis, level }) => axis === 'k' && level === 'thread');
  const inside = nest.filter(
    ({ axis, level }, at) =>
      at > firstK && axis !== 'k' && (level === 'thread' || level === 'vector'),
  );
  return inside.some(loop => parentStep(nest, loop) === null)
    ? null
    : inside.reduce((product, loop) => product * iterationsOf(nest, loop, problem), 1);
}

/** A block copies contiguous tiles, so its grid loops have the largest steps of i and j. */
function blockTileViolations(nest: LoopNest, names: readonly string[]): readonly NestViolation[] {
  if (!nest.some(({ shared }) => shared === true)) return [];
  return (['i', 'j'] as const).flatMap(axis => {
    const chain = chainOf(nest, axis);
    if (!chain.some(({ loop }) => loop.level === 'grid'))
      return [
        {
          at: chain[0]?.at ?? null,
          message: t(
            'Tiles in shared memory need a grid loop over {0}. Assign {1} to grid.',
            axis,
            names[chain[0]?.at ?? 0] ?? axis,
          ),
        },
      ];
    const inner = chain.findIndex(({ loop }) => loop.level !== 'grid');
    const late = chain.findIndex(({ loop }, i) => i > inner && loop.level === 'grid');
    return inner === -1 || late === -1
      ? []
      : [
          {
            at: chain[late]?.at ?? null,
            message: t(
              '{0} must have the largest step of {1}: a block copies contiguous tiles to shared memory.',
              names[chain[late]?.at ?? 0] ?? axis,
              axis,
            ),
          },
        ];
  });
}
