/** Which CodeLens stand where: a list that costs next to nothing; what they say is found out when they are shown. Pure. */
import type { KernelText } from '../../core/source/kernelFile';

export type LensKind =
  'benchmark' | 'verify' | 'occupancy' | 'roof' | 'describe' | 'bare' | 'limit';

export interface LensPlace {
  readonly kind: LensKind;
  readonly entry: string;
  /** From 0. */
  readonly line: number;
}

/** Kernels of one file that get lenses: VS Code keeps every lens of a document in memory. */
export const MOST_KERNELS = 2000;

const DESCRIBED = ['benchmark', 'verify', 'occupancy', 'roof'] as const;
const NOT_DESCRIBED = { cuda: ['describe', 'bare'], wgsl: ['describe'] } as const;

/** Above every kernel in order; a kernel that no `// @gemm` comment describes is offered one. */
export function lensPlaces({ kernels, annotations }: KernelText): readonly LensPlace[] {
  const described = new Set(annotations.map(({ entry }) => entry));
  const beyond = kernels[MOST_KERNELS];
  return [
    ...kernels.slice(0, MOST_KERNELS).flatMap(({ entry, line, target }) => {
      const kinds = described.has(entry) ? DESCRIBED : NOT_DESCRIBED[target];
      return kinds.map((kind): LensPlace => ({ kind, entry, line }));
    }),
    ...(beyond === undefined
      ? []
      : [{ kind: 'limit', entry: beyond.entry, line: beyond.line } as const]),
  ];
}
