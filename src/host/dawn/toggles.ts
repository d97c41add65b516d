/** Options with which Dawn is created, in a single module, so that all callers measure the same. */
import type { Robustness } from '../../core/measure/measurement';

export interface DawnSwitches {
  /** `off`: Dawn omits bounds checks; recorded in the measurement. Default `on`. */
  readonly robustness?: Robustness;
  /** Enables features that Dawn disables by default; recorded in the measurement. */
  readonly experimental?: boolean;
}

/**
 * Like Chromium's --enable-unsafe-webgpu, plus f16 on NVIDIA's Vulkan driver, which no browser
 * offers.
 */
export const EXPERIMENTAL_TOGGLES = ['allow_unsafe_apis', 'vulkan_enable_f16_on_nvidia'];

/**
 * Returns options of Dawn's `create`. Timestamps are not rounded: the process contains no secrets
 * of other users.
 */
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
    // A single list, because a second one would replace the first.
    ...(enabled.length === 0 ? [] : [`enable-dawn-features=${enabled.join(',')}`]),
  ];
}
