/**
 * Defines the options with which Dawn is created, so that all callers measure under the same
 * conditions.
 */
import type { Robustness } from '../../core/measure/measurement';

export interface DawnSwitches {
  /** Whether accesses are bounds-checked; default `on`. Recorded in the measurement. */
  readonly robustness?: Robustness;
  /** Whether features that Dawn disables by default are enabled. Recorded in the measurement. */
  readonly experimental?: boolean;
}

/**
 * Dawn toggles that correspond to Chromium's --enable-unsafe-webgpu and that enable f16 on NVIDIA's
 * Vulkan driver.
 */
export const EXPERIMENTAL_TOGGLES = ['allow_unsafe_apis', 'vulkan_enable_f16_on_nvidia'];

/** Returns the options for Dawn's `create`. Timestamps are not quantized. */
export function dawnToggles({
  robustness,
  experimental = false,
}: {
  readonly [Switch in keyof DawnSwitches]?: DawnSwitches[Switch] | undefined;
}): string[] {
  const enabled = [
    ...(robustness === 'off' ? ['disable_robustness'] : []),
    ...(experimental ? EXPERIMENTAL_TOGGLES : []),
  ];
  return [
    'disable-dawn-features=timestamp_quantization',
    // Dawn only applies one list of enabled features.
    ...(enabled.length === 0 ? [] : [`enable-dawn-features=${enabled.join(',')}`]),
  ];
}
