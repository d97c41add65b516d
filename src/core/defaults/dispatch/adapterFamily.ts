/**
 * Families of WebGPU adapters: those whose schedules are alike, as far as an adapter tells what it is. Browsers name a vendor
 * and an architecture, Dawn also the GPU and its driver.
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

/** Adapters that run on the processor. Some name the GPU or the maker of the processor too, so they are looked for first. */
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
 * `text`: what the adapter says of itself in a row, the vendor first, as `Measurement.device.adapter` has it, or its name
 * alone. Undefined where nothing in it is known.
 */
export function familyOf(text: string): AdapterFamily | undefined {
  const software = SOFTWARE.find(([, words]) => words.test(text));
  if (software !== undefined) return software[0];
  // The first word decides: drivers that follow may name others.
  const [first] = HARDWARE.map(([family, words]) => ({ family, at: text.search(words) }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at);
  return first?.family;
}

/** What runs a WGSL kernel, as far as its schedule depends on it. */
export interface Adapter {
  readonly family: AdapterFamily;
  /** Of the device table where it is there, else its name; absent where only the family is told. */
  readonly device?: string;
}

/** Undefined of an adapter of no known family. */
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
