/** A chart as a stand-alone SVG file: its own colours, so that it reads on any page. */
import type { Chart, Mark, Role } from './rooflineChart';

const COLOUR: Readonly<Record<Role, string>> = {
  axis: '#444444',
  grid: '#e3e3e3',
  tick: '#555555',
  ceiling: '#1f4e9c',
  'ceiling-measured': '#0b7a75',
  roof: '#1f4e9c',
  attainable: '#1f4e9c',
  'without-caches': '#8a6d00',
  measured: '#b3261e',
  label: '#222222',
};

const escape = (text: string): string =>
  text.replace(/[&<>"]/g, c => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c] ?? c);
const n = (value: number): string => String(Math.round(value * 100) / 100);

export function chartSvg({ width, height, title, marks }: Chart): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="11" role="img">`,
    `<title>${escape(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...marks.map(markSvg),
    '</svg>',
    '',
  ].join('\n');
}

function markSvg(mark: Mark): string {
  const colour = COLOUR[mark.role];
  switch (mark.kind) {
    case 'line': {
      const dash = mark.role === 'ceiling-measured' ? ' stroke-dasharray="5 3"' : '';
      const stroke = mark.role === 'grid' || mark.role === 'axis' ? 1 : 1.6;
      return `<line x1="${n(mark.x1)}" y1="${n(mark.y1)}" x2="${n(mark.x2)}" y2="${n(mark.y2)}" stroke="${colour}" stroke-width="${stroke}"${dash}/>`;
    }
    case 'text':
      return `<text x="${n(mark.x)}" y="${n(mark.y)}" text-anchor="${mark.anchor}" fill="${colour}">${escape(mark.text)}</text>`;
    case 'point':
      return `<path d="${pointPath(mark)}" fill="${colour}"><title>${escape(mark.label)}</title></path>`;
  }
}

/** Outline of a point's shape, 5 px in radius. */
export function pointPath({ x, y, shape }: Extract<Mark, { kind: 'point' }>): string {
  if (shape === 'diamond') return `M${n(x)} ${n(y - 6)} l6 6 l-6 6 l-6 -6 z`;
  if (shape === 'square') return `M${n(x - 4)} ${n(y - 4)} h8 v8 h-8 z`;
  return `M${n(x - 5)} ${n(y)} a5 5 0 1 0 10 0 a5 5 0 1 0 -10 0 z`;
}
