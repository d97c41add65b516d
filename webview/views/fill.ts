/** Sentences with elements in them: the translated sentence says where each stands. */
import type { ComponentChildren } from 'preact';

/** `fill(t('{0} of {1}'), <b>3</b>, 8)`: the parts at their places. */
export const fill = (
  sentence: string,
  ...parts: readonly ComponentChildren[]
): readonly ComponentChildren[] =>
  sentence.split(/\{(\d)\}/).map((piece, i) => (i % 2 === 1 ? parts[Number(piece)] : piece));
