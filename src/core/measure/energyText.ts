/** Formats the energy of a timed kernel. */
import { t } from '@vscode/l10n';
import { precise } from '../text/numbers';
import type { Energy, Measurement } from './measurement';

export const energyText = ({ joules, gflopsPerWatt }: Energy): string =>
  t('{0} per launch, {1} GFLOP/s per watt', joulesText(joules), precise(gflopsPerWatt));

/** Formats an energy in J, mJ or µJ. */
export function joulesText(joules: number): string {
  if (joules >= 1) return `${precise(joules)} J`;
  return joules >= 1e-3 ? `${precise(1e3 * joules)} mJ` : `${precise(1e6 * joules)} µJ`;
}

/** Returns the energy or the reason why it is unknown; undefined if it was not measured. */
export function energyOrReason({
  energy,
  energyUnknown,
}: Pick<Measurement, 'energy' | 'energyUnknown'>): string | undefined {
  if (energy !== undefined) return energyText(energy);
  return energyUnknown === undefined ? undefined : t('unknown: {0}', energyUnknown);
}
