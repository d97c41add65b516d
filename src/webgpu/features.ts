/** WebGPU features that a kernel's text enables, generated or hand-written. */

/** Experimental in Chromium and Dawn; not in WebGPU's types. */
const SUBGROUP_MATRIX = 'chromium-experimental-subgroup-matrix' as GPUFeatureName;

/** WGSL extensions that are also WebGPU features. */
const FEATURES: Readonly<Record<string, GPUFeatureName>> = {
  f16: 'shader-f16',
  subgroups: 'subgroups',
  chromium_experimental_subgroup_matrix: SUBGROUP_MATRIX,
};

/** Features that are enabled when a text is only checked. */
export const KERNEL_FEATURES: readonly GPUFeatureName[] = Object.values(FEATURES);

/** Returns each feature once, in the order of the text. */
export function enabledFeatures(source: string): readonly GPUFeatureName[] {
  const code = source.replace(/\/\/.*|\/\*[^]*?\*\//g, ' ');
  const names = [...code.matchAll(/\benable\s+([^;]+);/g)]
    .flatMap(([, list = '']) => list.split(','))
    .map(name => FEATURES[name.trim()]);
  return [...new Set(names.filter(name => name !== undefined))];
}

/** Its pipelines depend on the matrix and subgroup sizes of an adapter. */
export const needsMatrices = (source: string): boolean =>
  enabledFeatures(source).includes(SUBGROUP_MATRIX);
