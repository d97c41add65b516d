/** Caption of a saved roofline: numbered points, kinds of ceilings, and earlier runs. */
import { t } from '@vscode/l10n';
import type { Roofline } from '../roofline/contract';
import type { Chart, PointMark, Role } from './chart';
import { captioned, type Caption, type LegendItem } from './chartCaption';
import { ceilingLabelTexts } from './ceilingLabels';
import { unitOf, type DrawnCeiling } from './rooflineAxes';
import { pointLegend } from './rooflineLegend';

interface Kind {
  readonly role: Role;
  readonly text: string;
  readonly shape?: PointMark['shape'];
}

const kinds = (): readonly Kind[] => [
  { role: 'ceiling', text: t('datasheet ceiling') },
  { role: 'ceiling-measured', text: t('empirical ceiling') },
  { role: 'ceiling-level', text: t('memory ceiling') },
  { role: 'ceiling-unused', text: t('unit not used') },
  { role: 'gap', text: t('gap to attainable') },
  { role: 'earlier', text: t('earlier runs'), shape: 'dot' },
];

export interface RooflineCaption extends Pick<Caption, 'title' | 'lines'> {
  readonly roofline: Roofline;
  readonly roofs: readonly DrawnCeiling[];
}

export function captionedRoofline(chart: Chart, caption: RooflineCaption): Chart {
  const { roofline, roofs, title, lines } = caption;
  const drawn = new Set(chart.marks.filter(({ kind }) => kind !== 'text').map(({ role }) => role));
  const items = new Set(chart.marks.map(({ item }) => item));
  const numbered = pointLegend(roofline, roofs)
    .filter(({ item }) => items.has(item))
    .map(({ number, role, shape, name, value }): LegendItem => ({
      number,
      role,
      shape,
      text: role === 'level' ? t('{0} ceiling: {1}', name, value) : `${name}: ${value}`,
    }));
  return captioned(chart, {
    title,
    lines,
    legend: [
      ...numbered,
      ...kinds().filter(({ role }) => drawn.has(role)),
      ...unlabeled(chart, caption),
    ],
  });
}

/** Returns the drawn ceilings whose labels do not fit in the chart. */
function unlabeled({ marks }: Chart, { roofline, roofs }: RooflineCaption): readonly LegendItem[] {
  const style = { unit: unitOf(roofline.ceilings, roofline.points), compact: false };
  const ceilings = [
    ...roofline.ceilings.map((ceiling, index) => ({ item: `ceiling:${index}`, ceiling })),
    ...roofs.flatMap(({ item, ceiling }) => (ceiling === undefined ? [] : [{ item, ceiling }])),
  ];
  return ceilings.flatMap(({ item, ceiling }) => {
    const own = marks.filter(mark => mark.item === item);
    const line = own.find(({ kind, role }) => kind === 'line' && role !== 'leader');
    // A number labels the point of a memory level, not its line.
    const isLabeled = own.some(mark => mark.kind === 'text' && !/^\d+$/.test(mark.text));
    const [text = ''] = ceilingLabelTexts(ceiling, style);
    return line === undefined || isLabeled ? [] : [{ role: line.role, text }];
  });
}
