/** Renders a small roofline for a hover, as an SVG data URI that Markdown displays as an image. */
import type { ImageData } from '../text/markdown';
import type { Roofline } from '../roofline/contract';
import { chartSvg, type ChartTheme } from './chartSvg';
import { rooflineChart } from './rooflineChart';
import type { TrailRun } from './rooflineTrail';

export interface ThumbnailOptions {
  /** Color theme of the editor; an image cannot access the editor's colors. */
  readonly theme: ChartTheme;
  /** Earlier runs, newest last. */
  readonly trail?: readonly TrailRun[];
}

export type SvgData = `data:image/svg+xml,${string}`;

const SIZE = { width: 320, height: 180 };

export function rooflineThumbnail(roofline: Roofline, options: ThumbnailOptions): SvgData {
  const { theme, trail = [] } = options;
  // Omit the ceilings of memory levels and other units, whose labels would not fit.
  const ceilings = roofline.ceilings.filter(({ of }) => of === undefined);
  const chart = rooflineChart({ ...roofline, ceilings }, SIZE, { compact: true, trail });
  return dataUri(chartSvg(chart, { theme, fontSize: 10 }));
}

/** Encodes an SVG as a data URI and escapes the characters that could end a Markdown link. */
export function dataUri(svg: string): SvgData {
  const encoded = encodeURIComponent(svg).replace(
    /[()'*!~]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `data:image/svg+xml,${encoded}`;
}

/** Encodes an SVG image as a data URI with a `charset` parameter, as VS Code's preview requires. */
export const previewUri = (svg: string): ImageData =>
  `data:image/svg+xml;charset=utf-8,${dataUri(svg).slice('data:image/svg+xml,'.length)}`;
