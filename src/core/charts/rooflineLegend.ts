/** Numbers of the roofline points, and the legend that names them with their rates. */
import { t } from '@vscode/l10n';
import type { Roofline, RooflinePoint } from '../roofline/contract';
import { significant } from '../text/numbers';
import type { PointMark, Role } from './chart';
import { rate, unitOf, type DrawnCeiling, type Unit } from './rooflineAxes';

export interface LegendEntry {
  readonly number: number;
  /** Key of the point in the chart. */
  readonly item: string;
  readonly role: Role;
  readonly shape: PointMark['shape'];
  readonly name: string;
  /** Rate, with its interval and its fraction of the attainable rate if they are known. */
  readonly value: string;
  /** The value in the unit of the axis, without the unit and without words. */
  readonly shortValue: string;
}

export const SHAPES: Readonly<Record<RooflinePoint['kind'], PointMark['shape']>> = {
  attainable: 'diamond',
  'without-caches': 'square',
  predicted: 'triangle',
  measured: 'circle',
};

const ORDER: readonly RooflinePoint['kind'][] = [
  'measured',
  'predicted',
  'attainable',
  'without-caches',
];

const kindName = (kind: RooflinePoint['kind']): string =>
  ({
    measured: t('measured'),
    predicted: t('predicted'),
    attainable: t('attainable'),
    'without-caches': t('without caches'),
  })[kind];

/**
 * Returns the numbered points: the newest measured point, the derived points, and the points at the
 * memory levels.
 */
export function pointLegend(
  roofline: Roofline,
  roofs: readonly DrawnCeiling[] = [],
): readonly LegendEntry[] {
  const { ceilings, points } = roofline;
  const unit = unitOf(ceilings, points);
  const named = ORDER.flatMap(kind => {
    const index = points.findLastIndex(point => point.kind === kind);
    const point = points[index];
    return point === undefined
      ? []
      : [
          {
            item: `point:${index}`,
            role: kind,
            shape: SHAPES[kind],
            name: kindName(kind),
            ...valuesOf(point, roofline, unit),
          } as const,
        ];
  });
  const levels = roofs.flatMap(({ item, label, point }) =>
    point === undefined
      ? []
      : [
          {
            item,
            role: 'level',
            shape: 'bar',
            name: label,
            value: rate(point.tflops, unit),
            shortValue: significant(point.tflops * unit.factor),
          } as const,
        ],
  );
  return [...named, ...levels].map((entry, index) => ({ ...entry, number: index + 1 }));
}

function valuesOf(
  { kind, tflops, interval }: RooflinePoint,
  { attainable }: Roofline,
  unit: Unit,
): Pick<LegendEntry, 'value' | 'shortValue'> {
  const suffix = intervalSuffix(interval, unit);
  const value = `${rate(tflops, unit)}${suffix}`;
  const shortValue = `${significant(tflops * unit.factor)}${suffix}`;
  const isFraction = kind === 'measured' || kind === 'predicted';
  if (!isFraction || !(attainable.value > 0)) return { value, shortValue };
  const percent = percentOf(tflops, attainable.value);
  return {
    value: t('{0}, {1} of attainable', value, percent),
    shortValue: `${shortValue}, ${percent}`,
  };
}

const intervalSuffix = (interval: RooflinePoint['interval'], { factor }: Unit): string =>
  interval === undefined
    ? ''
    : ` (${t('{0} to {1}', ...interval.map(end => significant(end * factor)))})`;

export const percentOf = (tflops: number, attainable: number): string =>
  `${significant((100 * tflops) / attainable)} %`;
