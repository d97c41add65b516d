/** Which CodeLens stand where: a list that costs next to nothing; what they say is found out when they are shown. Pure. */
import type { KernelText } from '../../core/emit/kernelFile';
export type LensKind = 'benchmark' | 'verify' | 'occupancy' | 'roof' | 'describe' | 'limit';
export interface LensPlace {
  readonly kind: LensKind;
  readonly entry: string;
  /** From 0. */
  readonly line: number;
}
/** Kernels of one file that get lenses: VS Code keeps every lens of a document in memory. */
export declare const MOST_KERNELS = 2000;
/** Above every kernel in order; a kernel that no `// @gemm` comment describes is offered one. */
export declare function lensPlaces({ kernels, annotations }: KernelText): readonly LensPlace[];
//# sourceMappingURL=lensPlaces.d.ts.map
