/** Where a resolved schedule comes from: the spec, a measurement, the wave model between measurements, or the size alone. */
import { t } from '@vscode/l10n';
import type { Figure } from '../analysis/analysis';
import { findDevice } from '../device/devices';
import { significant } from '../language/numbers';
import type { Dispatched } from './dispatched';
import { shapeText, type DispatchRow } from './row';

/** Field `scheduleFrom` of `check`. */
export interface ScheduleFrom {
  readonly from: 'spec' | 'dispatch' | 'default';
  /** A whole sentence. */
  readonly text: string;
  /** Of a schedule of a dispatch table. */
  readonly dispatch?: {
    readonly how: Dispatched['how'];
    readonly kin: Dispatched['kin'];
    readonly origin: Dispatched['origin'];
    /** At this shape: measured, or expected. */
    readonly gflops: Figure;
    /** The measurement of this schedule that is nearest. */
    readonly row: Pick<
      DispatchRow,
      'device' | 'shape' | 'layouts' | 'gflops' | 'baseline' | 'source'
    >;
  };
}

export function scheduleFrom(given: boolean, found: Dispatched | null): ScheduleFrom {
  if (given) return { from: 'spec', text: t('The spec names its schedule.') };
  if (found === null) {
    const text = t('A default by size: no schedule was measured for a problem like this one.');
    return { from: 'default', text };
  }
  const { how, kin, origin, gflops, row } = found;
  const { device, shape, layouts, baseline, source } = row;
  return {
    from: 'dispatch',
    text: dispatchText(found),
    dispatch: {
      ...{ how, kin, origin },
      gflops: { value: gflops, unit: 'GFLOP/s', from: how === 'measured' ? 'measured' : 'derived' },
      row: {
        ...{ device, shape, layouts, gflops: row.gflops, source },
        ...(baseline === undefined ? {} : { baseline }),
      },
    },
  };
}

/** Of one proposal, which the problem's device may not have made. */
export function dispatchText({ how, kin, origin, gflops, row }: Dispatched): string {
  const device = findDevice(row.device)?.name ?? row.device;
  const at = `${shapeText(row.shape)} ${row.layouts}`;
  const [rate, own] = [rateText(gflops), rateText(row.gflops)];
  const first =
    how === 'measured'
      ? t('Measured on {0} at {1}: {2}.', device, at, own)
      : t(
          'Expected by the wave model: {0}; measured on {1} at {2}: {3}.',
          ...[rate, device, at, own],
        );
  const sentences = [
    first,
    ...(origin === 'adopted' ? [t('Adopted in this workspace.')] : []),
    ...(kin === 'device'
      ? []
      : [
          kin === 'compute-capability'
            ? t(
                'From the table of {0}, which has the same compute capability {1}: not measured on this device.',
                ...[device, row.computeCapability ?? '?'],
              )
            : t(
                'From the table of {0}, of the lower compute capability {1}: not measured on this device.',
                ...[device, row.computeCapability ?? '?'],
              ),
        ]),
  ];
  return sentences.join(' ');
}

const rateText = (gflops: number): string =>
  gflops >= 1000 ? `${significant(gflops / 1000)} TFLOP/s` : `${significant(gflops)} GFLOP/s`;
