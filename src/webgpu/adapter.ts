/** Finds and describes a WebGPU adapter. If none is available, returns the reason and a remedy. */
import { t } from '@vscode/l10n';
import type { Availability } from '../core/measure/backend';
import type { Measurement } from '../core/measure/measurement';
import { familyOf, type AdapterFamily } from '../core/defaults/dispatch/adapterFamily';
import type { Environment } from './environment';
import type { Guard } from './guard';
import { Stop, wordsOf } from './stop';

type DeviceName = Measurement['device'];
type Switches = Partial<Pick<Environment, 'robustness' | 'experimental'>>;

export type Opened =
  | { readonly available: true; readonly adapter: GPUAdapter; readonly device: DeviceName }
  | Extract<Availability, { available: false }>;

/**
 * Time limits in milliseconds for later adapter requests and for the first request, which may wait
 * for the GPU process to start.
 */
const ADAPTER_LIMIT_MS = 5000;
const FIRST_ADAPTER_LIMIT_MS = 15_000;

/**
 * Requests a new adapter, because an adapter whose device was lost cannot be used again. `first`
 * raises the time limit. Throws if the run is interrupted.
 */
export async function openAdapter(
  env: Environment,
  guard: Guard,
  first?: 'first',
): Promise<Opened> {
  const limitMs = first === undefined ? ADAPTER_LIMIT_MS : FIRST_ADAPTER_LIMIT_MS;
  const { gpu, advice } = env;
  if (gpu === undefined) {
    return { available: false, why: t('WebGPU is not available.'), next: advice.noApi };
  }
  const silent = (): Stop =>
    new Stop('unavailable', `WebGPU did not respond within ${limitMs / 1000} s.`);
  let adapter: GPUAdapter | null;
  try {
    const request = gpu.requestAdapter({ powerPreference: 'high-performance' });
    adapter = await guard.wait(request, limitMs, silent);
  } catch (error) {
    if (error instanceof Stop && error.outcome !== 'unavailable') throw error;
    // A browser's GPU process executes requests in order, so a request after an endless kernel gets
    // no response.
    const busyAdvice = `An earlier kernel may still occupy the GPU. ${advice.restart}`;
    const next = error instanceof Stop ? busyAdvice : advice.noAdapter;
    return { available: false, why: wordsOf(error), next };
  }
  if (adapter === null) {
    const why = t(
      'WebGPU is available but has no adapter: no GPU, or its driver is unsupported or blocked.',
    );
    return { available: false, why, next: advice.noAdapter };
  }
  return {
    available: true,
    adapter,
    device: describeAdapter(adapter.info, env.where, env),
  };
}

/**
 * Describes the adapter. Chromium reports a PCI id as `device` and the GPU's name as `description`,
 * but only with developer features enabled. Dawn reports the GPU's name as `device` and the driver
 * as `description`. The name states if bounds checks are off, because measurements with and without
 * checks are not comparable.
 */
export function describeAdapter(
  info: GPUAdapterInfo,
  where: string,
  { robustness = 'on', experimental = false }: Switches = {},
): DeviceName {
  const { vendor, architecture, device, description } = info;
  const words = [vendor, architecture, device, description].filter(word => word !== '');
  const adapter = [...new Set(words)].join(' ') || 'unknown adapter';
  const unchecked = robustness === 'on' ? '' : ', bounds checks off';
  const fromDawn = device !== '' && !device.startsWith('0x');
  const given = fromDawn ? device : description || [vendor, architecture].join(' ').trim();
  return {
    name: `${softwareName(familyOf(adapter)) ?? (given || 'unknown adapter')}${unchecked}`,
    adapter: `${adapter}${unchecked}`,
    driver: fromDawn && description !== '' ? description : 'unknown',
    where,
    robustness,
    ...(experimental ? { experimental } : {}),
  };
}

const SOFTWARE_NAMES: Readonly<Partial<Record<AdapterFamily, string>>> = {
  swiftshader: 'SwiftShader (software)',
  llvmpipe: 'Mesa llvmpipe (software)',
  warp: 'Microsoft Basic Render Driver (software)',
};

const softwareName = (family: AdapterFamily | undefined): string | undefined =>
  family === undefined ? undefined : SOFTWARE_NAMES[family];
