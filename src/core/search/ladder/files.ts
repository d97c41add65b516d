/**
 * Creates the files of a ladder, with one kernel per rung. The number in the file name keeps the
 * rungs sorted.
 */
import type { RungFit } from './ladderSteps';

export interface RungFile {
  readonly number: number;
  readonly name: string;
  readonly text: string;
}

/** Returns null if the rung is not legal. */
export function rungFile(fit: RungFit): RungFile | null {
  if (!fit.ok) return null;
  const { number, kernel } = fit;
  const stem = `${String(number).padStart(2, '0')}-${kernel.plan.algorithm}`;
  const ending = kernel.target === 'cuda' ? 'cu' : 'wgsl';
  return { number, name: `${stem}.${ending}`, text: kernel.source };
}
