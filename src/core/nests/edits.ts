/** Edits of a loop nest. Each returns a new nest, which the rules examine afterwards. */
import { parentStep, type Level, type LoopNest } from './nest';

/** Moves a loop to another position. */
export function moved(nest: LoopNest, from: number, to: number): LoopNest {
  const loop = nest[from];
  return loop === undefined || to < 0 || to >= nest.length
    ? nest
    : nest.toSpliced(from, 1).toSpliced(to, 0, loop);
}

/**
 * Splits a loop into an outer loop and an inner loop of `factor` iterations (strip-mining). The
 * inner loop keeps the step and follows directly.
 */
export function split(nest: LoopNest, at: number, factor: number): LoopNest {
  const loop = nest[at];
  if (loop === undefined) return nest;
  const { shared, ...rest } = loop;
  return nest.toSpliced(
    at,
    1,
    { ...rest, step: loop.step * factor, ...(shared === undefined ? {} : { shared }) },
    { ...rest, level: 'thread' },
  );
}

/** Returns the numbers of iterations that a split of the loop may give its inner loop. */
export function splitFactors(nest: LoopNest, at: number): readonly number[] {
  const loop = nest[at];
  if (loop === undefined) return [];
  const parent = parentStep(nest, loop);
  const factors = [2, 3, 4, 6, 8, 16, 32, 64, 128, 256];
  return parent === null
    ? factors
    : factors.filter(factor => factor * loop.step < parent && parent % (factor * loop.step) === 0);
}

/** Removes a loop, so that the loop of the next smaller step covers its iterations (fusion). */
export function merged(nest: LoopNest, at: number): LoopNest {
  const loop = nest[at];
  return loop === undefined || loop.step === 1 ? nest : nest.toSpliced(at, 1);
}

export function assigned(nest: LoopNest, at: number, level: Level): LoopNest {
  const loop = nest[at];
  return loop === undefined ? nest : nest.toSpliced(at, 1, { ...loop, level });
}

/** Makes a k loop copy its tiles to shared memory, or makes it stop doing so. */
export function toggledShared(nest: LoopNest, at: number): LoopNest {
  return nest.map((loop, i) => {
    const { shared, ...rest } = loop;
    return i === at && shared === undefined ? { ...rest, shared: true } : i === at ? rest : loop;
  });
}
