/**
 * Finds a substitute in the device table for a GPU that it does not contain. The substitute is a
 * related model (for `RTX 5090 Laptop`) or another GPU of the same architecture (for `A10G` or
 * `sm_87`). It has the same compute capability or the nearest one; peak rates are the substitute's.
 *
 * Compute capabilities by name: developer.nvidia.com/cuda-gpus.
 */
import { isComputeCapability, type ComputeCapability } from './computeCapability';
import {
  defaultDeviceOf,
  deviceOf,
  devices,
  findDevice,
  matchDevice,
  type Device,
} from './devices';

export interface SubstituteDevice {
  readonly device: Device;
  /** Compute capability of the requested device; absent if it is in the device table. */
  readonly computeCapability?: ComputeCapability;
  /** Explanation of the choice, in complete sentences. */
  readonly why: string;
}

/** Patterns of NVIDIA GPU names, in matching order: the first match is used. */
const NAMED: readonly (readonly [RegExp, ComputeCapability])[] = [
  [/\bthor\b/, '11.0'],
  [/\borin\b/, '8.7'],
  [/\bxavier\b/, '7.2'],
  [/\b(gb10|dgx spark)\b/, '12.1'],
  [/\bg?b300\b/, '10.3'],
  [/\bg?b[12]00\b/, '10.0'],
  [/\bg?h(20|100|200|800)\b/, '9.0'],
  [/\b(l4|l20|l40[sg]?|l2)\b|\bada\b/, '8.9'],
  [/(\brtx( pro)? ?|^)40\d0\b/, '8.9'],
  [/(\brtx (pro )?|^)50\d0\b|\brtx pro [1-6]\d00 blackwell\b|\bblackwell\b/, '12.0'],
  [/\b(a100x?|a800|a30)\b/, '8.0'],
  [/\b(a2|a10[gm]?|a16|a40)\b|\brtx a\d{3,4}\b|(\brtx |^)30\d0\b|\ba[2-6]000\b/, '8.6'],
  [/\b(t4g?|t10|titan rtx)\b|\b(quadro )?rtx [3-8]000\b|(\brtx |^)20\d0\b|\bgtx 16\d0\b/, '7.5'],
  [/\b(v100s?|titan v|gv100)\b/, '7.0'],
];

/**
 * Returns the device for a name, or the closest device. Returns undefined if the name does not
 * identify an architecture.
 */
export function closestDevice(name: string): SubstituteDevice | undefined {
  const text = name.trim();
  const exact = findDevice(text) ?? known(matchDevice(text));
  if (exact !== undefined) return { device: exact, why: `${exact.name} is in the device table.` };
  const computeCapability = capabilityIn(text) ?? capabilityNamed(text);
  if (computeCapability === undefined) return undefined;
  const device = nearest(computeCapability, wordsOf(text));
  if (device === undefined) return undefined;
  const own = device.computeCapability;
  const why =
    own === computeCapability
      ? `"${name}" is not in the device table. ${device.name} (${device.id}) is used instead, with the same compute capability, ${computeCapability}. Clock rates, SM count and bandwidths are those of the ${device.name}.`
      : `"${name}" is not in the device table, and no entry has compute capability ${computeCapability}. The closest entry, ${device.name} (${device.id}), is used instead, with the limits of compute capability ${own ?? '?'}.`;
  return { device, computeCapability, why };
}

const known = (id: ReturnType<typeof matchDevice>): Device | undefined =>
  id === undefined ? undefined : deviceOf(id);

/**
 * Parses a compute capability such as `sm_87`, `compute_87`, `8.7` or `cc 8.7`; undefined if it is
 * not one of the supported compute capabilities.
 */
function capabilityIn(text: string): ComputeCapability | undefined {
  const [, joined] = /^(?:sm|compute)_?(\d{2,3})[af]?$/i.exec(text) ?? [];
  const [, dotted] = /^(?:cc|compute capability)?\s*(\d{1,2}\.\d)$/i.exec(text) ?? [];
  const written = dotted ?? joined?.replace(/(\d)$/, '.$1');
  return written !== undefined && isComputeCapability(written) ? written : undefined;
}

/**
 * Converts a device name or an id such as `rtx-5090-laptop` to lowercase words separated by spaces.
 */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, ' ')
    .trim();

function capabilityNamed(text: string): ComputeCapability | undefined {
  const name = plain(text);
  return NAMED.find(([pattern]) => pattern.test(name))?.[1];
}

const wordsOf = (text: string): readonly string[] => plain(text).split(' ');

/**
 * Returns the device with the same compute capability and the most words in common with the name;
 * ties prefer the default device. Without such a device, returns the device with the nearest
 * compute capability.
 */
function nearest(
  computeCapability: ComputeCapability,
  words: readonly string[],
): Device | undefined {
  const commonWords = ({ id, name }: Device): number => {
    const own = new Set([...wordsOf(id), ...wordsOf(name)]);
    return words.filter(word => own.has(word) || own.has(word.replace(/(?<=\d)[a-z]$/, ''))).length;
  };
  const best = defaultDeviceOf(computeCapability);
  const same = devices
    .filter(device => device.computeCapability === computeCapability)
    .sort(
      (one, other) =>
        commonWords(other) - commonWords(one) ||
        Number(other.id === best) - Number(one.id === best),
    );
  if (same[0] !== undefined) return same[0];
  const others = devices.filter(({ computeCapability: of }) => of !== undefined);
  const distance = ({ computeCapability: of }: Device): number =>
    Math.abs(Number(of) - Number(computeCapability));
  const isDefault = ({ id, computeCapability: of }: Device): number =>
    Number(of !== undefined && defaultDeviceOf(of) === id);
  const [closest] = others.sort(
    (one, other) => distance(one) - distance(other) || isDefault(other) - isDefault(one),
  );
  return closest;
}
