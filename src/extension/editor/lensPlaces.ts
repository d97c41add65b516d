/** Positions of CodeLenses. Their text is computed only when they become visible. */
import type { KernelText } from '../../core/source/kernelFile';

export type LensKind =
  'benchmark' | 'verify' | 'occupancy' | 'roof' | 'describe' | 'bare' | 'limit';

export interface LensPlace {
  readonly kind: LensKind;
  readonly entry: string;
  /** Zero-based line number. */
  readonly line: number;
}

/**
 * Maximum number of kernels with lenses per file, because VS Code keeps every lens of a document in
 * memory.
 */
export const MAX_KERNELS = 2000;

const DESCRIBED = ['benchmark', 'verify', 'occupancy', 'roof'] as const;
const UNANNOTATED = { cuda: ['describe', 'bare'], wgsl: ['describe'] } as const;

/**
 * Returns the lenses of the first MAX_KERNELS kernels in order, and one `limit` lens if the file
 * has more kernels.
 */
export function lensPlaces({ kernels, annotations }: KernelText): readonly LensPlace[] {
  const described = new Set(annotations.map(({ entry }) => entry));
  const firstOmitted = kernels[MAX_KERNELS];
  return [
    ...kernels.slice(0, MAX_KERNELS).flatMap(({ entry, line, target }) => {
      const kinds = described.has(entry) ? DESCRIBED : UNANNOTATED[target];
      return kinds.map((kind): LensPlace => ({ kind, entry, line }));
    }),
    ...(firstOmitted === undefined
      ? []
      : [{ kind: 'limit', entry: firstOmitted.entry, line: firstOmitted.line } as const]),
  ];
}
