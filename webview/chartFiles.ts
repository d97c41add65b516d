/**
 * Export of the roofline as standalone files: SVG with its own colors, PNG at twice the size, and
 * CSV.
 */
import type { Roofline } from '../src/core/roofline/contract';
import type { Size } from '../src/core/charts/chart';
import type { ChartWindow } from '../src/core/charts/chartScales';
import { captioned } from '../src/core/charts/chartCaption';
import { chartSvg, type ChartTheme } from '../src/core/charts/chartSvg';
import { rooflineChart } from '../src/core/charts/rooflineChart';
import { rooflineCsv } from '../src/core/charts/rooflineCsv';
import type { TrailRun } from '../src/core/charts/rooflineTrail';
import type { ChartFormat } from '../src/protocol';
import type { ChartCeilings } from './views/rooflineLevels';
import { withoutOwn } from './views/rooflineTexts';

export interface ChartContent {
  readonly roofline: Roofline;
  readonly trail: readonly TrailRun[];
  readonly roofs: ChartCeilings | null;
  /** Caption: the display name of the kernel. */
  readonly of: string;
  readonly sourceHash: string;
  /** Zoom window; null shows the full range. */
  readonly window: ChartWindow | null;
}

const SIZE = { width: 760, height: 460 };
const PNG_SCALE = 2;

/** Returns the file content: SVG and CSV as text, PNG in base64. */
export async function chartFile(format: ChartFormat, content: ChartContent): Promise<string> {
  const { roofline, trail, sourceHash, window } = content;
  const roofs = content.roofs?.drawn ?? [];
  if (format === 'csv') return rooflineCsv(roofline, withoutOwn(trail, sourceHash), roofs);
  const options = window === null ? { trail, roofs } : { trail, roofs, window };
  const chart = captioned(rooflineChart(roofline, SIZE, options), content.of);
  const svg = chartSvg(chart, { theme: pageTheme() });
  return format === 'svg' ? svg : await png(svg, chart);
}

function pageTheme(): ChartTheme {
  const { classList } = document.body;
  if (classList.contains('vscode-high-contrast-light')) return 'high-contrast-light';
  if (classList.contains('vscode-high-contrast')) return 'high-contrast';
  return classList.contains('vscode-light') ? 'light' : 'dark';
}

async function png(svg: string, size: Size): Promise<string> {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = size.width * PNG_SCALE;
  canvas.height = size.height * PNG_SCALE;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('the browser has no 2D canvas context');
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const url = canvas.toDataURL('image/png');
  return url.slice(url.indexOf(',') + 1);
}
