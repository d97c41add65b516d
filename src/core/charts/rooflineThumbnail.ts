/** A roofline small enough for a hover: an SVG as a data: URI, which Markdown shows as an image. */
import type { Roofline } from '../roofline/contract';
import { chartSvg, type ChartTheme } from './chartSvg';
import { rooflineChart } from './rooflineChart';
import type { TrailRun } from './rooflineTrail';

export interface ThumbnailOptions {
  /** Of the editor it is shown in: an image does not see the editor's colours. */
  readonly theme: ChartTheme;
  /** Newest last. */
  readonly trail?: readonly TrailRun[];
}

export type SvgData = `data:image/svg+xml,${string}`;

const SIZE = { width: 320, height: 180 };

export function rooflineThumbnail(roofline: Roofline, options: ThumbnailOptions): SvgData {
  const { theme, trail = [] } = options;
  // Levels of memory and other units would take the room of the roof that is named.
  const ceilings = roofline.ceilings.filter(({ of }) => of === undefined);
  const chart = rooflineChart({ ...roofline, ceilings }, SIZE, { compact: true, trail });
  return dataUri(chartSvg(chart, { theme, fontSize: 10 }));
}

/** An SVG as an address that no character of ends a Markdown link. */
export function dataUri(svg: string): SvgData {
  const encoded = encodeURIComponent(svg).replace(
    /[()'*!~]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `data:image/svg+xml,${encoded}`;
}
