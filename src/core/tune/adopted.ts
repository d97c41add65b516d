/** The winner of a tune as a dispatch row: the default of its device for its shape and for those around it. */
import { t } from '@vscode/l10n';
import { findDevice, matchDevice } from '../device/devices';
import { blocksHeld } from '../dispatch/measuredRow';
import { layoutsOf, shapeOf, typesOf, type DispatchRow } from '../dispatch/row';
import { flops } from '../measure/statistics';
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
  const spec = { version: 1, problem, schedule, device, targets: [target] } as const;
  const blocksPerSm =
    target === 'cuda' && resources !== undefined ? blocksHeld(spec, resources) : undefined;
  return {
    device,
    ...(computeCapability === undefined ? {} : { computeCapability }),
    target,
    ...{ types: typesOf(problem), layouts: layoutsOf(problem), shape: shapeOf(problem) },
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

/** What adopting the winner does, for the reader: specs name devices of the table, and so take no row of another. */
export function adoptedText({ place, measuredOn }: TuneSummary): string {
  const device = deviceOf(place, measuredOn);
  return findDevice(device) === undefined
    ? t(
        'Adopted, but no spec takes this schedule by itself: {0} is not in the device table. Use the spec that was written.',
        device,
      )
    : t(
        'Adopted: specs of this shape and of those around it take this schedule where they name none.',
      );
}

/** Of the device table where the GPU that measured is in it; else what its driver calls it. */
const deviceOf = ({ device }: TunePlace, measuredOn: TuneSummary['measuredOn']): string =>
  measuredOn === null ? device : (matchDevice(measuredOn.name) ?? measuredOn.name);
