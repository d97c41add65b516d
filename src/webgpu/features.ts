/** Features of WebGPU that a kernel's text asks for, whoever wrote it. */

/** Of Chromium and Dawn alone, behind a switch; its types are not in WebGPU's. */
const SUBGROUP_MATRIX = 'chromium-experimental-subgroup-matrix' as GPUFeatureName;

/** WGSL extensions that are WebGPU features as well. */
const FEATURES: Readonly<Record<string, GPUFeatureName>> = {
  f16: 'shader-f16',
  subgroups: 'subgroups',
  chromium_experimental_subgroup_matrix: SUBGROUP_MATRIX,
};

/** Those that are offered where a text is only checked. */
export const KERNEL_FEATURES: readonly GPUFeatureName[] = Object.values(FEATURES);

/** Each once, in the order of the text. */
export function enabledFeatures(source: string): readonly GPUFeatureName[] {
  const code = source.replace(/\/\/.*|\/\*[^]*?\*\//g, ' ');
  const names = [...code.matchAll(/\benable\s+([^;]+);/g)]
    .flatMap(([, list = '']) => list.split(','))
    .map(name => FEATURES[name.trim()]);
  return [...new Set(names.filter(name => name !== undefined))];
}

/** Its pipelines depend on the sizes of matrices and subgroups that an adapter has. */
export const needsMatrices = (source: string): boolean =>
  enabledFeatures(source).includes(SUBGROUP_MATRIX);
