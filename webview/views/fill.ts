/** Placeholder substitution of elements into a translated sentence. */
import type { ComponentChildren } from 'preact';

/** Replaces placeholders, as in `fill(t('{0} of {1}'), <b>3</b>, 8)`. */
export const fill = (
  sentence: string,
  ...parts: readonly ComponentChildren[]
): readonly ComponentChildren[] =>
  sentence.split(/\{(\d)\}/).map((piece, i) => (i % 2 === 1 ? parts[Number(piece)] : piece));
