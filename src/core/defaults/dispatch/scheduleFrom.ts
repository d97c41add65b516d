/**
 * Describes the origin of a resolved schedule: spec, measurement, wave model, publication, or
 * default by problem shape.
 */
import { t } from '@vscode/l10n';
import type { Figure } from '../../text/figure';
import { deviceOf, findDevice } from '../../hardware/devices';
import { rateText } from '../../text/numbers';
import { FAMILY_NAMES, familyOf } from './adapterFamily';
import type { Dispatched } from './dispatched';
import type { Predicted } from './predicted';
import type { Published } from './published';
import { shapeText, type DispatchRow } from './row';

export interface ScheduleFrom {
  readonly from: 'spec' | 'dispatch' | 'predicted' | 'published' | 'default';
  /** One or more sentences that describe the origin. */
  readonly text: string;
  /** Details of a schedule from a dispatch table; absent for other origins. */
  readonly dispatch?: {
    readonly how: Dispatched['how'];
    readonly kin: Dispatched['kin'];
    readonly origin: Dispatched['origin'];
    /** Rate at the requested shape, measured or predicted. */
    readonly gflops: Figure;
    /** Measured row of this schedule at the nearest shape. */
    readonly row: Pick<
      DispatchRow,
      'device' | 'shape' | 'layouts' | 'gflops' | 'baseline' | 'source'
    >;
  };
}

export function scheduleFrom(
  given: boolean,
  found: Dispatched | Predicted | Published | null,
): ScheduleFrom {
  if (given) return { from: 'spec', text: t('The schedule is set in the spec.') };
  if (found === null) {
    const text = t(
      'Default for this problem shape: no legal schedule was measured for a similar problem.',
    );
    return { from: 'default', text };
  }
  if (found.how === 'published' || found.how === 'predicted')
    return { from: found.how, text: originText(found) };
  const { how, kin, origin, gflops, row } = found;
  const { device, shape, layouts, baseline, source } = row;
  return {
    from: 'dispatch',
    text: originText(found),
    dispatch: {
      how,
      kin,
      origin,
      gflops: { value: gflops, unit: 'GFLOP/s', from: how === 'measured' ? 'measured' : 'derived' },
      row: {
        device,
        shape,
        layouts,
        gflops: row.gflops,
        source,
        ...(baseline === undefined ? {} : { baseline }),
      },
    },
  };
}

export function originText(found: Dispatched | Predicted | Published): string {
  switch (found.how) {
    case 'published':
      return t(
        'Published for {0} adapters, not measured by this project: {1}',
        FAMILY_NAMES[found.family],
        found.source,
      );
    case 'predicted':
      return predictedText(found);
    case 'measured':
    case 'model':
      return dispatchText(found);
  }
}

function predictedText({
  device,
  gflops,
  errorPercent,
  fittedOn,
  shortBatches,
}: Predicted): string {
  const fastest = t(
    'Fastest prediction of the time model: {0}, with a typical error of {1} %.',
    rateText(gflops / 1000),
    errorPercent,
  );
  const measured =
    shortBatches === undefined
      ? t('This shape was not measured.')
      : t(
          'The measurements at this shape are from short batches. In a long run, power limits the clock.',
        );
  const first = `${fastest} ${measured}`;
  if (fittedOn.some(id => id === device)) return first;
  const names = fittedOn.map(id => deviceOf(id).name).join(', ');
  return `${first} ${t('The model was fitted to measurements on {0}.', names)}`;
}

function dispatchText({ how, kin, origin, row }: Dispatched): string {
  const device = findDevice(row.device)?.name ?? row.device;
  const at = `${shapeText(row.shape)} ${row.layouts}`;
  const own = rateText(row.gflops / 1000);
  const first =
    how === 'measured'
      ? t('Measured on {0} at {1}: {2}.', device, at, own)
      : t('Selected by the wave model. Nearest measurement: {0} on {1} at {2}.', own, device, at);
  const sentences = [
    first,
    ...(origin === 'adopted' ? [t('Adopted in this workspace.')] : []),
    ...relativeText(kin, device, row),
  ];
  return sentences.join(' ');
}

/**
 * Returns a sentence that names the device whose table is used; an empty list if it is the
 * requested device.
 */
function relativeText(kin: Dispatched['kin'], device: string, row: DispatchRow): readonly string[] {
  const capability = row.computeCapability ?? '?';
  switch (kin) {
    case 'device':
      return [];
    case 'compute-capability':
      return [
        t(
          'The schedule is from the table of {0} (same compute capability, {1}), because this device has no suitable measurement.',
          device,
          capability,
        ),
      ];
    case 'lower-compute-capability':
      return [
        t(
          'The schedule is from the table of {0} (lower compute capability, {1}), because this device has no suitable measurement.',
          device,
          capability,
        ),
      ];
    case 'family': {
      const family = row.family ?? familyOf(device);
      const name = family === undefined ? device : FAMILY_NAMES[family];
      return [
        t(
          'The schedule is from the table of {0} (same adapter family, {1}), because this adapter has no suitable measurement.',
          device,
          name,
        ),
      ];
    }
  }
}
