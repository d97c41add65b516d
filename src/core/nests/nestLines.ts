/** Readable form of a nest: one line per loop. */
import { parentStep, variablesOf, type LoopNest } from './nest';

const EXTENT = { i: 'M', j: 'N', k: 'K' } as const;
const INDENT = '  ';

const LEVEL_TEXT = {
  grid: 'grid: one thread block per iteration',
  block: 'block: one thread per iteration',
  warp: 'warp: one lane per iteration',
  thread: '',
  vector: 'vector: one vectorized access',
  mma: 'mma: one instruction of a warp',
} as const;

/** Returns what the level of each loop means in this nest; empty for a loop within a thread. */
export function levelTexts(nest: LoopNest): readonly string[] {
  const hasWarps = nest.some(({ level }) => level === 'warp' || level === 'mma');
  return nest.map(({ level, shared }) =>
    shared === true
      ? 'copies tiles of A and B to shared memory'
      : level === 'block' && hasWarps
        ? 'block: one warp per iteration'
        : LEVEL_TEXT[level],
  );
}

/** Returns one line per loop, such as `for i in 0..M step 16  # grid: ...`, and the FMA. */
export function nestLines(nest: LoopNest): readonly string[] {
  const names = variablesOf(nest);
  const texts = levelTexts(nest);
  const heads = nest.map((loop, depth) => {
    const to = parentStep(nest, loop) ?? EXTENT[loop.axis];
    const step = loop.step === 1 ? '' : ` step ${loop.step}`;
    return `${INDENT.repeat(depth)}for ${names[depth] ?? ''} in 0..${to}${step}`;
  });
  const width = Math.max(...heads.map(({ length }) => length));
  const row = sumOf(nest, names, 'i');
  const [column, depth] = [sumOf(nest, names, 'j'), sumOf(nest, names, 'k')];
  return [
    ...heads.map((head, i) => (texts[i] ? `${head.padEnd(width)}  # ${texts[i]}` : head)),
    `${INDENT.repeat(nest.length)}C[${row}][${column}] += A[${row}][${depth}] * B[${depth}][${column}]`,
  ];
}

/** Index of an axis: the sum of its loop variables, the largest step first. */
export const sumOf = (nest: LoopNest, names: readonly string[], axis: string): string =>
  nest
    .map((loop, at) => ({ loop, name: names[at] ?? '' }))
    .filter(({ loop }) => loop.axis === axis)
    .sort((one, other) => other.loop.step - one.loop.step)
    .map(({ name }) => name)
    .join(' + ');
