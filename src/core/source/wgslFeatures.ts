/** WebGPU features that the WGSL source of a kernel enables. */

/** Experimental feature of Chromium and Dawn that WebGPU's type definitions do not include. */
export const SUBGROUP_MATRIX = 'chromium-experimental-subgroup-matrix';

/** WGSL extensions that require a WebGPU feature of the same name. */
const FEATURES = {
  f16: 'shader-f16',
  subgroups: 'subgroups',
  chromium_experimental_subgroup_matrix: SUBGROUP_MATRIX,
} as const;

export type WgslFeature = (typeof FEATURES)[keyof typeof FEATURES];

export const WGSL_FEATURES: readonly WgslFeature[] = Object.values(FEATURES);

/** Returns the features that the source enables, without duplicates. */
export function wgslFeatures(source: string): readonly WgslFeature[] {
  const code = source.replace(/\/\/.*|\/\*[^]*?\*\//g, ' ');
  const names = [...code.matchAll(/\benable\s+([^;]+);/g)]
    .flatMap(([, list = '']) => list.split(','))
    .map(name => (FEATURES as Readonly<Record<string, WgslFeature>>)[name.trim()]);
  return [...new Set(names.filter(name => name !== undefined))];
}
