/** Device table with all supported GPUs and their lookup by name. */
import type { ComputeCapability } from './computeCapability';
import type { DeviceRow, DeviceSpec, Family } from './deviceSpec';
import { NVIDIA_DATA_CENTER } from './nvidiaDataCenter';
import { NVIDIA_GEFORCE } from './nvidiaGeforce';
import { OTHER_VENDORS } from './otherVendors';

const ROWS = { ...NVIDIA_DATA_CENTER, ...NVIDIA_GEFORCE, ...OTHER_VENDORS };

export type DeviceId = keyof typeof ROWS;
export type Device = DeviceSpec<DeviceId>;

export const deviceIds = Object.keys(ROWS) as readonly DeviceId[];

export const isDeviceId = (text: string): text is DeviceId => Object.hasOwn(ROWS, text);

export const devices: readonly Device[] = deviceIds.map(id => {
  const row: DeviceRow = ROWS[id];
  return { id, ...row };
});

const BY_ID: ReadonlyMap<DeviceId, Device> = new Map(devices.map(device => [device.id, device]));

export function deviceOf(id: DeviceId): Device {
  const device = BY_ID.get(id);
  if (device === undefined) throw new Error(`unknown device id: ${id}`);
  return device;
}

export const findDevice = (id: string): Device | undefined =>
  isDeviceId(id) ? deviceOf(id) : undefined;

export const DEFAULT_DEVICE: DeviceId = 'h200';

export const DEFAULT_OF_FAMILY: Readonly<Record<Family, DeviceId>> = {
  Volta: 'v100-sxm2-16gb',
  Turing: 't4',
  Ampere: 'a100-sxm-80gb',
  'Ada Lovelace': 'rtx-4090',
  Hopper: 'h200',
  Blackwell: 'b200',
  'RDNA 3': 'rx-7900-xtx',
  Xe2: 'arc-b580',
  Apple: 'apple-m4',
};

/**
 * Default device by compute capability. Compute capabilities without a device in the table have no
 * entry.
 */
const DEFAULT_OF_COMPUTE_CAPABILITY: Readonly<Partial<Record<ComputeCapability, DeviceId>>> = {
  '7.0': 'v100-sxm2-16gb',
  '7.5': 't4',
  '8.0': 'a100-sxm-80gb',
  '8.6': 'rtx-3090',
  '8.9': 'rtx-4090',
  '9.0': 'h200',
  '10.0': 'b200',
  '12.0': 'rtx-5090',
};

/**
 * Returns the default device of a compute capability; undefined if the table has no such device.
 */
export const defaultDeviceOf = (computeCapability: ComputeCapability): DeviceId | undefined =>
  DEFAULT_OF_COMPUTE_CAPABILITY[computeCapability];

/**
 * Reduces an adapter name to the words that identify the device, without vendor, brand, driver and
 * bus.
 */
const normalise = (name: string): string =>
  name
    .toLowerCase()
    .replace(/\([^)]*\)|\/.*$/g, ' ')
    .replace(/\b(nvidia|geforce|tesla|amd|radeon|intel|graphics|gpu)\b/g, ' ')
    .replace(/[\s-]+/g, ' ')
    .trim();

const ID_OF_NAME: ReadonlyMap<string, DeviceId> = new Map(
  devices.flatMap(device =>
    [device.name, ...(device.reportedAs ?? [])].map(name => [normalise(name), device.id] as const),
  ),
);

/**
 * Returns the device id for an adapter name from a driver or browser, such as `NVIDIA GeForce RTX
 * 4090/PCIe/SSE2`; undefined if no device matches. Variants of a model (Ti, Laptop, NVL) are
 * different devices and do not match.
 */
export const matchDevice = (adapterName: string): DeviceId | undefined =>
  ID_OF_NAME.get(normalise(adapterName));
