/** Draws the occupancy curves side by side, with the values of the kernel. */
import { t } from '@vscode/l10n';
import type { CurveParameter, OccupancyCurve } from '../occupancy/occupancyCurves';
import { stepOf } from '../occupancy/occupancyCurves';
import { significant } from '../text/numbers';
import type { Chart } from './chart';
import { beside } from './stacked';
import { xyChart, type XyData } from './xyChart';

const SIZE = { width: 270, height: 220 };

const parameterName = (parameter: CurveParameter): string =>
  ({
    threadsPerBlock: t('Threads per block'),
    registersPerThread: t('Registers per thread'),
    sharedBytesPerBlock: t('Shared memory per block (kB)'),
  })[parameter];

export const occupancyChart = (curves: readonly OccupancyCurve[]): Chart =>
  beside(
    curves.map(curve => xyChart(curveData(curve), SIZE)),
    t('Occupancy by resource'),
  );

function curveData(curve: OccupancyCurve): XyData {
  const { parameter, steps, current } = curve;
  const factor = parameter === 'sharedBytesPerBlock' ? 1e-3 : 1;
  const largest = steps.at(-1)?.to ?? 1;
  const own = stepOf(curve, current);
  const at = Math.min(current, largest);
  return {
    title: parameterName(parameter),
    x: {
      title: parameterName(parameter),
      range: [0, largest],
      text: value => significant(value * factor),
    },
    y: {
      title: t('Occupancy (%)'),
      range: [0, 1],
      text: value => significant(100 * value),
    },
    curves: [
      {
        role: 'curve',
        at: steps.flatMap(({ from, to, occupancy }, index) => [
          [index === 0 ? 0 : from - 1, occupancy] as const,
          [to, occupancy] as const,
        ]),
      },
    ],
    verticals: own === undefined ? [] : [{ role: 'current', x: at }],
    points:
      own === undefined
        ? []
        : [
            {
              role: 'current',
              shape: 'circle',
              x: at,
              y: own.occupancy,
              label: t('this kernel'),
            },
          ],
  };
}
