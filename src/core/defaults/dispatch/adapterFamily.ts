/** Families of WebGPU adapters, detected from the names that browsers and Dawn report. */
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

/**
 * Patterns of software adapters. They are matched first, because some descriptions also name the
 * GPU or CPU vendor.
 */
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
 * Returns the family of an adapter, or undefined if it is unknown. `text` is the adapter name or a
 * description that starts with the vendor, as in `Measurement.device.adapter`.
 */
export function familyOf(text: string): AdapterFamily | undefined {
  const software = SOFTWARE.find(([, words]) => words.test(text));
  if (software !== undefined) return software[0];
  // The earliest match in the text is used, because the driver description may name other vendors.
  const [first] = HARDWARE.map(([family, words]) => ({ family, at: text.search(words) }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at);
  return first?.family;
}

export interface Adapter {
  readonly family: AdapterFamily;
  /** Id in the device table, otherwise the adapter name; absent if only the family is known. */
  readonly device?: string;
}

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
