/** Renders a chart as a standalone SVG file with its own colors and fonts. */
import type { Chart, Mark, Role, TextMark } from './chart';
import {
  curvePath,
  linePath,
  pixels,
  placement,
  pointPath,
  trailOpacity,
  turnOf,
} from './chartPaths';

export const CHART_THEMES = ['light', 'dark', 'high-contrast', 'high-contrast-light'] as const;
export type ChartTheme = (typeof CHART_THEMES)[number];

type Colors = Readonly<Record<Role | 'background', string>>;

const LIGHT: Colors = {
  background: '#ffffff',
  axis: '#444444',
  grid: '#e3e3e3',
  tick: '#555555',
  ceiling: '#1f4e9c',
  'ceiling-measured': '#0b7a75',
  'ceiling-level': '#5f6b7a',
  'ceiling-unused': '#8a8a8a',
  level: '#1f4e9c',
  attainable: '#1f4e9c',
  'without-caches': '#8a6d00',
  predicted: '#6b2fa0',
  measured: '#b3261e',
  earlier: '#b3261e',
  trail: '#b3261e',
  leader: '#777777',
  gap: '#b3261e',
  interval: '#222222',
  bar: '#1f4e9c',
  'bar-other': '#9fb4d3',
  cell: '#c9d8ee',
  'cell-conflict': '#f3b4ad',
  curve: '#1f4e9c',
  current: '#222222',
  equal: '#777777',
  best: '#b3261e',
  tied: '#1f4e9c',
  racing: '#0b7a75',
  slower: '#777777',
  waiting: '#999999',
  failed: '#8a6d00',
  label: '#222222',
  title: '#222222',
  selected: '#b35900',
};

const DARK: Colors = {
  background: '#1f1f1f',
  axis: '#9d9d9d',
  grid: '#3a3a3a',
  tick: '#b5b5b5',
  ceiling: '#7fb2ff',
  'ceiling-measured': '#4ec9b0',
  'ceiling-level': '#a8b3c2',
  'ceiling-unused': '#8a8a8a',
  level: '#7fb2ff',
  attainable: '#7fb2ff',
  'without-caches': '#d7ba7d',
  predicted: '#c586c0',
  measured: '#f48771',
  earlier: '#f48771',
  trail: '#f48771',
  leader: '#8a8a8a',
  gap: '#f48771',
  interval: '#e6e6e6',
  bar: '#7fb2ff',
  'bar-other': '#46597a',
  cell: '#2f4a6d',
  'cell-conflict': '#8a3a31',
  curve: '#7fb2ff',
  current: '#e6e6e6',
  equal: '#8a8a8a',
  best: '#f48771',
  tied: '#7fb2ff',
  racing: '#4ec9b0',
  slower: '#9d9d9d',
  waiting: '#808080',
  failed: '#d7ba7d',
  label: '#e6e6e6',
  title: '#e6e6e6',
  selected: '#d18616',
};

const contrasted = (background: string, ink: string, accent: string, grid: string): Colors => ({
  background,
  axis: ink,
  tick: ink,
  ceiling: ink,
  attainable: ink,
  label: ink,
  leader: ink,
  gap: accent,
  interval: ink,
  bar: accent,
  'bar-other': grid,
  cell: background,
  'cell-conflict': grid,
  curve: ink,
  current: accent,
  equal: ink,
  best: accent,
  tied: accent,
  racing: ink,
  slower: ink,
  waiting: ink,
  failed: ink,
  title: ink,
  selected: accent,
  grid,
  'ceiling-measured': accent,
  'without-caches': ink,
  predicted: ink,
  'ceiling-level': ink,
  'ceiling-unused': ink,
  level: ink,
  measured: accent,
  earlier: accent,
  trail: accent,
});

const COLORS: Readonly<Record<ChartTheme, Colors>> = {
  light: LIGHT,
  dark: DARK,
  'high-contrast': contrasted('#000000', '#ffffff', '#f38518', '#555555'),
  'high-contrast-light': contrasted('#ffffff', '#000000', '#0f4a85', '#b0b0b0'),
};

export interface SvgOptions {
  /** Default: light. */
  readonly theme?: ChartTheme;
  readonly background?: 'none';
  /** Font size in pixels. Default: 11. */
  readonly fontSize?: number;
}

/** Background of a picture that is saved as a file. */
export const chartBackground = (theme: ChartTheme): string => COLORS[theme].background;

export const escapeXml = (text: string): string =>
  text.replace(/[&<>"]/g, c => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c] ?? c);

export function chartSvg(chart: Chart, options: SvgOptions = {}): string {
  const { width, height, title, marks } = chart;
  const { theme = 'light', background, fontSize = 11 } = options;
  const colors = COLORS[theme];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="${fontSize}" role="img">`,
    `<title>${escapeXml(title)}</title>`,
    ...(background === 'none'
      ? []
      : [`<rect width="${width}" height="${height}" fill="${colors.background}"/>`]),
    ...marks.map(mark => markSvg(mark, colors)),
    '</svg>',
    '',
  ].join('\n');
}

function markSvg(mark: Mark, colors: Colors): string {
  const color = colors[mark.role];
  const fade = mark.age === undefined ? '' : ` opacity="${trailOpacity(mark.age)}"`;
  switch (mark.kind) {
    case 'line': {
      const thin = THIN.has(mark.role);
      return `<line x1="${pixels(mark.x1)}" y1="${pixels(mark.y1)}" x2="${pixels(mark.x2)}" y2="${pixels(mark.y2)}" stroke="${color}" stroke-width="${thin ? 1 : 1.6}"${dashOf(mark.role)}/>`;
    }
    case 'curve':
      return `<path d="${curvePath(mark)}" fill="none" stroke="${color}"${fade}/>`;
    case 'path':
      return `<path d="${linePath(mark)}" fill="none" stroke="${color}" stroke-width="1.6"${dashOf(mark.role)}/>`;
    case 'rect':
      return `<rect x="${pixels(mark.x)}" y="${pixels(mark.y)}" width="${pixels(mark.width)}" height="${pixels(mark.height)}" fill="${color}" stroke="${colors.axis}" stroke-width="0.5"/>`;
    case 'area': {
      const { x, y, scaleX, scaleY, path, opacity } = mark;
      return `<path d="${path}" transform="${placement({ x, y, scaleX, scaleY })}" fill="${color}" fill-opacity="${opacity}"/>`;
    }
    case 'text':
      return `<text x="${pixels(mark.x)}" y="${pixels(mark.y)}" text-anchor="${mark.anchor}"${rotation(mark)} fill="${color}"${halo(mark.role, colors)}${mark.role === 'title' ? TITLE : ''}>${escapeXml(mark.text)}</text>`;
    case 'point':
      return `<path d="${pointPath(mark)}" fill="${color}"${fade}><title>${escapeXml(mark.label)}</title></path>`;
  }
}

const TITLE = ' font-size="15" font-weight="600"';

const THIN: ReadonlySet<Role> = new Set<Role>(['grid', 'axis', 'leader', 'gap', 'interval']);

/** Returns the attribute of a dashed line. */
const dashOf = (role: Role): string => {
  const dashes = DASHES[role];
  return dashes === undefined ? '' : ` stroke-dasharray="${dashes}"`;
};

/** Returns the attribute that rotates a text around its position. */
const rotation = ({ x, y, angle }: TextMark): string =>
  angle === undefined ? '' : ` transform="${turnOf({ x, y, angle })}"`;

const DASHES: Readonly<Partial<Record<Role, string>>> = {
  'ceiling-measured': '5 3',
  'ceiling-unused': '10 6',
  gap: '2 3',
  equal: '3 3',
  current: '2 2',
};

/**
 * Returns the attributes of an outline in the background color, which keeps a label readable on top
 * of a line. Returns an empty string for other roles.
 */
const halo = (role: Role, { background }: Colors): string =>
  role === 'label'
    ? ` stroke="${background}" stroke-width="3" stroke-linejoin="round" paint-order="stroke"`
    : '';
