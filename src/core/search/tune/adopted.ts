/** The winner of a tune as a dispatch row: the default of its device for its shape and for those around it. */
import { t } from '@vscode/l10n';
import { findDevice, matchDevice } from '../../hardware/devices';
import { adapterOf, FAMILY_NAMES, type AdapterFamily } from '../../defaults/dispatch/adapterFamily';
import { blocksHeld } from '../measuredRow';
import { layoutsOf, shapeOf, typesOf, type DispatchRow } from '../../defaults/dispatch/row';
import { flops } from '../../spec/resolved';
import type { TunePlace, TuneSummary } from './events';

/** `record`: where its measurement is kept. Null where there is no winner. */
export function rowOfTune(
  { problem, place, winner, ties, measuredOn }: TuneSummary,
  record: string,
): DispatchRow | null {
  if (winner === null) return null;
  const device = deviceOf(place, measuredOn);
  const { target } = place;
  const { schedule, resources, clocks } = winner;
  const computeCapability = findDevice(device)?.computeCapability;
  const family = familyOfPlace(place, measuredOn);
  const spec = { version: 1, problem, schedule, device, targets: [target] } as const;
  const blocksPerSm =
    target === 'cuda' && resources !== undefined ? blocksHeld(spec, resources) : undefined;
  return {
    device,
    ...(computeCapability === undefined ? {} : { computeCapability }),
    ...(family === undefined ? {} : { family }),
    target,
    types: typesOf(problem),
    layouts: layoutsOf(problem),
    shape: shapeOf(problem),
    schedule,
    ...(blocksPerSm === undefined ? {} : { blocksPerSm }),
    gflops: flops(problem) / (winner.medianMs * 1e6),
    errorPercent: winner.errorPercent,
    ...(ties.length <= 1 ? {} : { ties: ties.slice(1, 65).map(({ schedule }) => schedule) }),
    source: {
      record: record.slice(0, 400),
      ...(measuredOn === null ? {} : { driver: measuredOn.driver.slice(0, 400) }),
      ...(clocks === undefined ? {} : { clocks: `${Math.round(clocks.smMHz)} MHz` }),
    },
  };
}

/**
 * What adopting the winner does, for the reader. Specs name devices of the table, and so take no row of another; what runs on
 * a WebGPU adapter takes those of its family.
 */
export function adoptedText({ place, measuredOn }: TuneSummary): string {
  const device = deviceOf(place, measuredOn);
  const family = familyOfPlace(place, measuredOn);
  if (findDevice(device) !== undefined) {
    return t(
      'Adopted: specs of this shape and of those around it take this schedule where they name none.',
    );
  }
  return family === undefined
    ? t(
        'Adopted, but no spec takes this schedule by itself: {0} is not in the device table. Use the spec that was written.',
        device,
      )
    : t(
        'Adopted: specs of this shape and of those around it that name no schedule and no device take this one where run, bench and tune of the command line find {0}, or another adapter of its family ({1}). Elsewhere use the spec that was written.',
        device,
        FAMILY_NAMES[family],
      );
}

/** Of WGSL: the adapter decides what it is like. */
const familyOfPlace = (
  { target }: TunePlace,
  measuredOn: TuneSummary['measuredOn'],
): AdapterFamily | undefined =>
  target === 'wgsl' && measuredOn !== null ? adapterOf(measuredOn)?.family : undefined;

/** Of the device table where the GPU that measured is in it; else what its driver calls it. */
const deviceOf = ({ device }: TunePlace, measuredOn: TuneSummary['measuredOn']): string =>
  measuredOn === null ? device : (matchDevice(measuredOn.name) ?? measuredOn.name);
