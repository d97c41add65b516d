/**
 * Enumerates seeds whose spec has a legal kernel on at least one of the architectures, with these
 * kernels.
 */
import { unitsOf, type Architecture, type Unit } from './compile';
import { specOf } from './specs';

export interface DrawnUnits {
  readonly seed: number;
  readonly units: readonly Unit[];
}

export function* drawnUnits(architectures: readonly Architecture[]): Generator<DrawnUnits> {
  for (let seed = 0; ; seed++) {
    const units = unitsOf(specOf(seed), architectures);
    if (units.length > 0) yield { seed, units };
  }
}
