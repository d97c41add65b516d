/** Determines the WebGPU features that the WGSL source of a kernel enables. */
import { SUBGROUP_MATRIX, WGSL_FEATURES, wgslFeatures } from '../core/source/wgslFeatures';

export const KERNEL_FEATURES = WGSL_FEATURES as readonly GPUFeatureName[];

/** Returns the features that the source enables, without duplicates. */
export const enabledFeatures = (source: string): readonly GPUFeatureName[] =>
  wgslFeatures(source) as readonly GPUFeatureName[];

export const needsMatrices = (source: string): boolean =>
  wgslFeatures(source).includes(SUBGROUP_MATRIX);
