/** Random legal loop nests with small problems. */
import fc from 'fast-check';
import type { Level, Loop, LoopAxis, LoopNest, LoopProblem } from '../../src/core/nests/nest';
import { NEST_LIMITS, parallelViolations, sequentialViolations } from '../../src/core/nests/rules';

export interface DrawnNest {
  readonly nest: LoopNest;
  readonly problem: LoopProblem;
}

const problem = fc.record({
  m: fc.integer({ min: 1, max: 40 }),
  n: fc.integer({ min: 1, max: 10 }).chain(x => fc.constantFrom(x, 4 * x)),
  k: fc.integer({ min: 1, max: 24 }),
  dtype: fc.constantFrom<LoopProblem['dtype']>('f32', 's32'),
});

interface Part {
  readonly factor: number;
  readonly level: Level;
}

/** Loops of an axis from the innermost to the outermost, as numbers of iterations. */
const chain = (axis: LoopAxis, parts: readonly Part[], outer: Level): readonly Loop[] => {
  let step = 1;
  const loops: Loop[] = [];
  for (const { factor, level } of parts) {
    loops.push({ axis, step, level });
    step *= factor;
  }
  return [...loops, { axis, step, level: outer }];
};

const factor = fc.constantFrom(2, 3, 4, 5, 8);
const sequentialChain = (axis: LoopAxis): fc.Arbitrary<readonly Loop[]> =>
  fc.array(factor, { maxLength: 2 }).map(factors =>
    chain(
      axis,
      factors.map(of => ({ factor: of, level: 'thread' })),
      'thread',
    ),
  );

const shuffled = (loops: readonly Loop[]): fc.Arbitrary<LoopNest> =>
  fc.shuffledSubarray([...loops], { minLength: loops.length });

/** Nests whose loops all run in one thread. */
export const sequentialNests: fc.Arbitrary<DrawnNest> = fc.record({
  nest: fc
    .tuple(sequentialChain('i'), sequentialChain('j'), sequentialChain('k'))
    .chain(chains => shuffled(chains.flat())),
  problem,
});

const WARP_SHAPES = [
  [8, 4],
  [4, 8],
  [1, 32],
  [32, 1],
  [2, 16],
] as const;

const parallelParts = fc
  .record({
    warp: fc.option(fc.constantFrom(...WARP_SHAPES)),
    blocks: fc.tuple(fc.constantFrom(1, 2, 4, 8), fc.constantFrom(1, 2, 4, 8)),
    threads: fc.tuple(fc.constantFrom(1, 2, 3, 4), fc.constantFrom(1, 2, 3, 4)),
    vector: fc.constantFrom(1, 2, 4),
    outer: fc.tuple(
      fc.constantFrom<Level>('grid', 'grid', 'thread'),
      fc.constantFrom<Level>('grid', 'grid', 'thread'),
    ),
    deep: fc.array(factor, { maxLength: 2 }),
    isShared: fc.boolean(),
    isReversed: fc.boolean(),
  })
  .chain(({ warp, blocks, threads, vector, outer, deep, isShared, isReversed }) => {
    const axisLoops = (axis: 'i' | 'j', side: 0 | 1): readonly Loop[] => {
      const parts: Part[] = [
        { factor: threads[side], level: 'thread' },
        { factor: warp?.[side] ?? 1, level: 'warp' },
        { factor: blocks[side], level: 'block' },
      ];
      const ordered = isReversed ? parts.toReversed() : parts;
      const inner: readonly Part[] =
        axis === 'j' && vector > 1 ? [{ factor: vector, level: 'vector' }, ...ordered] : ordered;
      return chain(
        axis,
        inner.filter(part => part.factor > 1),
        outer[side],
      );
    };
    const deepLoops = chain(
      'k',
      deep.map(of => ({ factor: of, level: 'thread' })),
      'thread',
    );
    const loops = [...axisLoops('i', 0), ...axisLoops('j', 1)];
    if (!isShared) return shuffled([...loops, ...deepLoops]);
    const outermost = deepLoops.at(-1);
    const inside = [...loops.filter(({ level }) => level !== 'grid'), ...deepLoops.slice(0, -1)];
    return shuffled(inside).map((rest): LoopNest => [
      ...loops.filter(({ level }) => level === 'grid'),
      ...(outermost === undefined ? [] : [{ ...outermost, shared: true as const }]),
      ...rest,
    ]);
  });

const isLegal = ({ nest, problem: of }: DrawnNest, target: 'cuda' | 'wgsl'): boolean =>
  sequentialViolations(nest).length === 0 &&
  parallelViolations(nest, of, NEST_LIMITS[target]).length === 0;

/** Nests that are legal in the language. */
export const parallelNests = (target: 'cuda' | 'wgsl'): fc.Arbitrary<DrawnNest> =>
  fc.record({ nest: parallelParts, problem }).filter(drawn => isLegal(drawn, target));
