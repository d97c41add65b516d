/** Determines the WebGPU features that the WGSL source of a kernel enables. */

/** Experimental feature of Chromium and Dawn that WebGPU's type definitions do not include. */
const SUBGROUP_MATRIX = 'chromium-experimental-subgroup-matrix' as GPUFeatureName;

/** WGSL extensions that require a WebGPU feature of the same name. */
const FEATURES: Readonly<Record<string, GPUFeatureName>> = {
  f16: 'shader-f16',
  subgroups: 'subgroups',
  chromium_experimental_subgroup_matrix: SUBGROUP_MATRIX,
};

export const KERNEL_FEATURES: readonly GPUFeatureName[] = Object.values(FEATURES);

/** Returns the features in `FEATURES` that the source enables, without duplicates. */
export function enabledFeatures(source: string): readonly GPUFeatureName[] {
  const code = source.replace(/\/\/.*|\/\*[^]*?\*\//g, ' ');
  const names = [...code.matchAll(/\benable\s+([^;]+);/g)]
    .flatMap(([, list = '']) => list.split(','))
    .map(name => FEATURES[name.trim()]);
  return [...new Set(names.filter(name => name !== undefined))];
}

export const needsMatrices = (source: string): boolean =>
  enabledFeatures(source).includes(SUBGROUP_MATRIX);
