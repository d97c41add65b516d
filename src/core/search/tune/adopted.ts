/**
 * Converts the winner of a tuning run to a dispatch row, which becomes the device's default for
 * this and similar shapes.
 */
import { t } from '@vscode/l10n';
import { findDevice, matchDevice } from '../../hardware/devices';
import { adapterOf, FAMILY_NAMES, type AdapterFamily } from '../../defaults/dispatch/adapterFamily';
import { residentBlocks } from '../measuredRow';
import { layoutsOf, shapeOf, typesOf, type DispatchRow } from '../../defaults/dispatch/row';
import { flops } from '../../spec/resolved';
import type { TunePlace, TuneSummary } from './events';

/** `record` is the file of the measurement. Returns null without a winner. */
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
    target === 'cuda' && resources !== undefined ? residentBlocks(spec, resources) : undefined;
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
 * Explains the effect of adopting the winner. A spec names a device of the device table, so rows of
 * other devices do not apply to it. Runs on a WebGPU adapter use the rows of its adapter family.
 */
export function adoptedText({ place, measuredOn }: TuneSummary): string {
  const device = deviceOf(place, measuredOn);
  const family = familyOfPlace(place, measuredOn);
  if (findDevice(device) !== undefined) {
    return t('Adopted: specs with this or a similar shape use this schedule by default.');
  }
  return family === undefined
    ? t(
        'Adopted, but no spec uses this schedule by default: {0} is not in the device table. Fix: use the spec that was written.',
        device,
      )
    : t(
        'Adopted for specs with a similar shape and without a schedule or device. The CLI uses it on {0} or another {1} adapter. Elsewhere, use the spec that was written.',
        device,
        FAMILY_NAMES[family],
      );
}

const familyOfPlace = (
  { target }: TunePlace,
  measuredOn: TuneSummary['measuredOn'],
): AdapterFamily | undefined =>
  target === 'wgsl' && measuredOn !== null ? adapterOf(measuredOn)?.family : undefined;

/**
 * Returns the device-table id of the measuring GPU, or the name that its driver reports; the spec's
 * device if nothing was measured.
 */
const deviceOf = ({ device }: TunePlace, measuredOn: TuneSummary['measuredOn']): string =>
  measuredOn === null ? device : (matchDevice(measuredOn.name) ?? measuredOn.name);
