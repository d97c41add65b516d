/**
 * Bar chart of the rates of several runs, with 95 % intervals and ratios. Names are above their
 * bars, so names of any length fit.
 */
import { t } from '@vscode/l10n';
import { ratioText } from '../measure/intervalText';
import { ratioOf, type Estimate } from '../measure/intervals';
import { significant } from '../text/numbers';
import type { Chart, Mark } from './chart';
import { roundTicks } from './roundAxis';
import { CHARACTER_WIDTH, textWidth } from './textBox';

export interface ComparedRate {
  readonly name: string;
  /** Rate in GFLOP/s with its 95 % interval, if known. */
  readonly rate: Estimate;
}

export interface Compared {
  readonly title: string;
  /** Predicted rates have no intervals. */
  readonly from: 'measured' | 'predicted';
  readonly rates: readonly ComparedRate[];
  /** Index of the rate that the ratios refer to; null for no ratios. */
  readonly reference: number | null;
}

const MARGIN = 12;
const ROW = 44;
const BAR = 16;
const TOP = 8;
const BOTTOM = 40;
const CAP = 4;
/** Minimum distance in pixels of two ticks. */
const TICK_DISTANCE = 64;
/** Minimum length in pixels of the longest bar. */
const MIN_BAR = 80;

export function comparisonChart(compared: Compared, width: number): Chart {
  const { title, from, rates, reference } = compared;
  const largest = Math.max(...rates.map(({ rate }) => rate.interval?.[1] ?? rate.value));
  const [unit, factor] = largest >= 1000 ? ['TFLOP/s', 1e-3] : ['GFLOP/s', 1];
  const texts = rates.map((each, index) =>
    valueText(each.rate, { from, factor, ratio: ratio(index) }),
  );
  const right = width - MARGIN - Math.max(...texts.map(textWidth)) - 8;
  const isBeside = right - MARGIN >= MIN_BAR;
  const end = isBeside ? right : width - MARGIN;
  const x = (gflops: number): number => MARGIN + (gflops / largest) * (end - MARGIN);
  const rowHeight = isBeside ? ROW : ROW + 16;
  const bottom = TOP + rates.length * rowHeight;

  function ratio(index: number): Estimate | null {
    const [of, to] = [rates[index], reference === null ? undefined : rates[reference]];
    return of === undefined || to === undefined || of === to ? null : ratioOf(of.rate, to.rate);
  }

  const rows = rates.flatMap(({ name, rate }, index): readonly Mark[] => {
    const top = TOP + index * rowHeight;
    const [middle, length] = [top + 20 + BAR / 2, x(rate.value) - MARGIN];
    const text = texts[index] ?? '';
    return [
      label(MARGIN, top + 14, clipped(name, width - 2 * MARGIN)),
      {
        kind: 'rect',
        x: MARGIN,
        y: top + 20,
        width: Math.max(0, length),
        height: BAR,
        role: index === reference ? 'bar-other' : 'bar',
      },
      ...intervalMarks(rate, middle, x),
      isBeside
        ? label(end + 8, middle + 4, text)
        : label(MARGIN, top + 20 + BAR + 14, clipped(text, width - 2 * MARGIN)),
    ];
  });
  const most = Math.max(1, Math.min(5, Math.floor((end - MARGIN) / TICK_DISTANCE)));
  const ticks = roundTicks(0, largest * factor, most);
  return {
    width,
    height: bottom + BOTTOM,
    title,
    marks: [
      ...ticks.flatMap((value): readonly Mark[] => {
        const at = x(value / factor);
        const text = significant(value);
        const half = textWidth(text) / 2;
        return [
          { kind: 'line', x1: at, y1: TOP, x2: at, y2: bottom, role: 'grid' },
          {
            kind: 'text',
            x: Math.min(width - half, Math.max(half, at)),
            y: bottom + 14,
            text,
            anchor: 'middle',
            role: 'tick',
          },
        ];
      }),
      { kind: 'line', x1: MARGIN, y1: bottom, x2: end, y2: bottom, role: 'axis' },
      {
        ...label(
          MARGIN,
          bottom + 32,
          from === 'measured'
            ? t('Rate ({0}) with 95 % interval', unit)
            : t('Predicted rate ({0})', unit),
        ),
        role: 'tick',
      },
      ...rows,
    ],
  };
}

const label = (x: number, y: number, text: string) =>
  ({ kind: 'text', x, y, text, anchor: 'start', role: 'label' }) as const;

const clipped = (text: string, width: number): string => {
  const most = Math.floor(width / CHARACTER_WIDTH);
  return text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1))}…`;
};

interface ValueStyle extends Pick<Compared, 'from'> {
  readonly factor: number;
  readonly ratio: Estimate | null;
}

function valueText({ value, interval }: Estimate, { from, factor, ratio }: ValueStyle): string {
  const rate = significant(value * factor);
  if (from === 'predicted')
    return ratio === null ? rate : t('{0}, {1}x', rate, significant(ratio.value));
  const ends = (interval ?? []).map(end => significant(end * factor));
  const text =
    ends.length === 0 ? t('{0} (interval unknown)', rate) : t('{0} ({1} to {2})', rate, ...ends);
  return ratio === null ? text : `${text}, ${ratioText(ratio)}`;
}

function intervalMarks(
  { interval }: Estimate,
  middle: number,
  x: (gflops: number) => number,
): readonly Mark[] {
  if (interval === undefined) return [];
  const [low, high] = [x(interval[0]), x(interval[1])];
  const line = (x1: number, y1: number, x2: number, y2: number): Mark => ({
    kind: 'line',
    x1,
    y1,
    x2,
    y2,
    role: 'interval',
  });
  return [
    line(low, middle, high, middle),
    line(low, middle - CAP, low, middle + CAP),
    line(high, middle - CAP, high, middle + CAP),
  ];
}
