/** Draws plots as standalone SVG that follows the reader's light or dark theme. */
const WIDTH = 820;
const STYLE = `<style>
svg { --ground: #ffffff; --ink: #1f2328; --faint: #59636e; --grid: #d8dee4; --s0: #b3261e; --s1: #1f4e9c; --s2: #0b7a75; --s3: #6b2fa0; }
@media (prefers-color-scheme: dark) {
  svg { --ground: #0d1117; --ink: #e6edf3; --faint: #9198a1; --grid: #30363d; --s0: #f48771; --s1: #7fb2ff; --s2: #4ec9b0; --s3: #c586c0; }
}
text { fill: var(--ink); }
.faint { fill: var(--faint); }
.grid { stroke: var(--grid); }
.limit { stroke: var(--faint); stroke-dasharray: 6 4; }
</style>`;
/** Marks that are distinguishable without color. */
const SHAPES = [
  'M-4-4H4V4H-4Z',
  'M0-5L5 4H-5Z',
  'M-5 0A5 5 0 1 0 5 0A5 5 0 1 0-5 0Z',
  'M0-6L6 0L0 6L-6 0Z',
] as const;
const DASHES = ['none', '8 3', '2 3', '8 3 2 3'] as const;

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const at = (value: number): string => String(Number(value.toFixed(1)));
type Range = readonly [number, number];
const linear =
  ([low, high]: Range, [from, to]: Range) =>
  (value: number): number =>
    from + ((value - low) / (high - low)) * (to - from);

const text = (x: number, y: number, words: string, more = ''): string =>
  `<text x="${at(x)}" y="${at(y)}"${more}>${escaped(words)}</text>`;

const svg = (title: string, height: number, marks: readonly string[]): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="12" role="img">`,
    `<title>${escaped(title)}</title>`,
    STYLE,
    `<rect width="${WIDTH}" height="${height}" fill="var(--ground)"/>`,
    ...marks,
    '</svg>\n',
  ].join('\n');

export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface LinePlot {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly range: Range;
  /** Distance between grid lines. */
  readonly step: number;
  readonly series: readonly Series[];
  readonly limits?: readonly number[];
}

/** Each x value of a point gets a tick. */
export function linePlot({ title, x, y, range, step, series, limits = [] }: LinePlot): string {
  const height = 440;
  const [left, right, top, bottom] = [60, WIDTH - 24, 64, height - 48];
  const ticks = [...new Set(series.flatMap(({ points }) => points.map(([value]) => value)))];
  const across = linear([Math.min(...ticks), Math.max(...ticks)], [left + 16, right - 16]);
  const up = linear(range, [bottom, top]);
  const levels = Array.from(
    { length: Math.round((range[1] - range[0]) / step) + 1 },
    (_, i) => range[0] + i * step,
  );
  const grid = levels.flatMap(value => [
    `<line class="grid" x1="${left}" x2="${right}" y1="${at(up(value))}" y2="${at(up(value))}"/>`,
    text(left - 8, up(value) + 4, String(value), ' class="faint" text-anchor="end"'),
  ]);
  const lines = series.flatMap(({ name, points }, i) => {
    const ink = `var(--s${i % SHAPES.length})`;
    const shape = SHAPES[i % SHAPES.length] ?? SHAPES[0];
    const mark = (px: number, py: number): string =>
      `<path d="${shape}" fill="${ink}" transform="translate(${at(px)} ${at(py)})"/>`;
    const places = points.map(([px, py]) => [across(px), up(py)] as const);
    const legend = left + i * ((right - left) / series.length);
    return [
      `<path d="M${places.map(([px, py]) => `${at(px)} ${at(py)}`).join('L')}" fill="none" stroke="${ink}" stroke-width="2" stroke-dasharray="${DASHES[i % DASHES.length] ?? 'none'}"/>`,
      ...places.map(([px, py]) => mark(px, py)),
      mark(legend + 6, 44),
      text(legend + 18, 48, name),
    ];
  });
  return svg(title, height, [
    text(left, 22, title, ' font-weight="600"'),
    ...grid,
    ...ticks.map(value =>
      text(across(value), bottom + 18, String(value), ' class="faint" text-anchor="middle"'),
    ),
    ...limits.map(
      value =>
        `<line class="limit" x1="${left}" x2="${right}" y1="${at(up(value))}" y2="${at(up(value))}"/>`,
    ),
    text((left + right) / 2, height - 10, x, ' text-anchor="middle"'),
    text(
      16,
      (top + bottom) / 2,
      y,
      ` text-anchor="middle" transform="rotate(-90 16 ${at((top + bottom) / 2)})"`,
    ),
    ...lines,
  ]);
}

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** Index of the legend entry. */
  readonly of: number;
}

export function barPlot(title: string, legend: readonly string[], bars: readonly Bar[]): string {
  const [left, right, top, step] = [300, WIDTH - 70, 64, 20];
  const long = linear([0, Math.max(...bars.map(({ value }) => value))], [0, right - left]);
  return svg(title, top + bars.length * step + 16, [
    text(16, 22, title, ' font-weight="600"'),
    ...legend.flatMap((name, i) => [
      `<rect x="${at(16 + i * 200)}" y="36" width="12" height="12" fill="var(--s${i})"/>`,
      text(34 + i * 200, 47, name),
    ]),
    ...bars.flatMap(({ label, value, of }, i) => [
      text(left - 8, top + i * step + 13, label, ' text-anchor="end"'),
      `<rect x="${left}" y="${top + i * step + 3}" width="${at(long(value))}" height="${step - 6}" fill="var(--s${of})"/>`,
      text(left + long(value) + 6, top + i * step + 13, value.toFixed(1), ' class="faint"'),
    ]),
  ]);
}
