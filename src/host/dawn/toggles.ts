/** What Dawn is created with: one place, so that every way to start it measures the same. */
import type { Robustness } from '../../core/measure/measurement';

export interface DawnSwitches {
  /** `off`: Dawn leaves out bounds checks, and what is measured says so; default `on`. */
  readonly robustness?: Robustness;
  /** Features that Dawn withholds by default are offered, and what is measured says so. */
  readonly experimental?: boolean;
}

/** As Chromium's --enable-unsafe-webgpu, and f16 on NVIDIA's Vulkan driver, which no browser offers. */
export const EXPERIMENTAL_TOGGLES = ['allow_unsafe_apis', 'vulkan_enable_f16_on_nvidia'];

/** Options of Dawn's `create`. Timestamps are not rounded: nobody else's secrets are in such a process. */
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
    // In one list: a second one would replace the first.
    ...(enabled.length === 0 ? [] : [`enable-dawn-features=${enabled.join(',')}`]),
  ];
}
