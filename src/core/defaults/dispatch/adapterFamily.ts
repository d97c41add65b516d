/**
 * Families of WebGPU adapters with similar best schedules. Browsers report vendor and architecture;
 * Dawn also reports the GPU and its driver.
 */
import { matchDevice } from '../../hardware/devices';

export const ADAPTER_FAMILIES = [
  'nvidia',
  'apple',
  'intel',
  'amd',
  'qualcomm',
  'arm',
  'swiftshader',
  'llvmpipe',
  'warp',
] as const;
export type AdapterFamily = (typeof ADAPTER_FAMILIES)[number];

export const FAMILY_NAMES: Readonly<Record<AdapterFamily, string>> = {
  nvidia: 'NVIDIA',
  apple: 'Apple',
  intel: 'Intel',
  amd: 'AMD',
  qualcomm: 'Qualcomm Adreno',
  arm: 'Arm Mali',
  swiftshader: 'SwiftShader',
  llvmpipe: 'Mesa llvmpipe',
  warp: 'Microsoft WARP',
};

type Words = readonly (readonly [AdapterFamily, RegExp])[];

/** Software adapters. Some also name the GPU or CPU vendor, so they are matched first. */
const SOFTWARE: Words = [
  ['swiftshader', /swiftshader/i],
  ['llvmpipe', /llvmpipe|lavapipe/i],
  ['warp', /microsoft basic render|\bmicrosoft warp\b/i],
];

const HARDWARE: Words = [
  ['nvidia', /nvidia|geforce|quadro|tesla/i],
  ['apple', /\bapple\b/i],
  ['intel', /\bintel\b/i],
  ['amd', /\bamd\b|\bati\b|radeon/i],
  ['qualcomm', /qualcomm|adreno/i],
  ['arm', /\barm\b|\bmali\b|immortalis/i],
];

/**
 * Finds the family of an adapter. `text` is its description with the vendor first, as in
 * `Measurement.device.adapter`, or only its name. Returns undefined for unknown families.
 */
export function familyOf(text: string): AdapterFamily | undefined {
  const software = SOFTWARE.find(([, words]) => words.test(text));
  if (software !== undefined) return software[0];
  // The first match decides, because the driver description may name other vendors.
  const [first] = HARDWARE.map(([family, words]) => ({ family, at: text.search(words) }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at);
  return first?.family;
}

/** The WGSL adapter properties that a schedule depends on. */
export interface Adapter {
  readonly family: AdapterFamily;
  /** Id of the device table, otherwise the adapter name; absent if only the family is known. */
  readonly device?: string;
}

/** Returns undefined for an unknown family. */
export function adapterOf({
  name,
  adapter,
}: {
  readonly name: string;
  readonly adapter: string;
}): Adapter | undefined {
  const family = familyOf(adapter) ?? familyOf(name);
  return family === undefined ? undefined : { family, device: matchDevice(name) ?? name };
}
