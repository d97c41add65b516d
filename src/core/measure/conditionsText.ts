/** Text for the clocks, power and temperature of a GPU while a kernel was timed. */
import type { Timing } from './measurement';

/**
 * Formats the SM clock in MHz, the power in W and the temperature in °C during timing; '' if
 * unknown.
 */
export function conditionsText(timing: Timing | undefined): string {
  const { clocks, powerW, temperatureC } = timing ?? {};
  const ends =
    clocks?.smMinMHz === undefined || clocks.smMaxMHz === undefined
      ? ''
      : ` (${Math.round(clocks.smMinMHz)}-${Math.round(clocks.smMaxMHz)})`;
  return [
    ...(clocks === undefined ? [] : [`${Math.round(clocks.smMHz)} MHz${ends}`]),
    ...(powerW === undefined ? [] : [`${Math.round(powerW.mean)} W`]),
    ...(temperatureC === undefined ? [] : [`${Math.round(temperatureC.mean)} °C`]),
  ].join(', ');
}
