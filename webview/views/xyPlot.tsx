/** A chart with two linear axes at the width of its frame. */
import type { ComponentChildren, VNode } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { xyChart, xyScales, type XyData, type XyScales } from '../../src/core/charts/xyChart';
import { useOwnWidth } from '../ownWidth';
import { MarkShape } from './rooflineMark';

export interface XyPlotProps {
  readonly data: XyData;
  readonly height: number;
  /** Smallest width in pixels that the chart is drawn for. */
  readonly minWidth?: number;
  /** Additional marks, such as a cursor. */
  readonly overlay?: (scales: XyScales) => ComponentChildren;
}

export function XyPlot({ data, height, minWidth, overlay }: XyPlotProps): VNode {
  const frame = useRef<HTMLDivElement>(null);
  const width = useOwnWidth(frame, minWidth);
  const size = { width, height };
  const chart = useMemo(() => xyChart(data, size), [data, width, height]);
  return (
    <div ref={frame} class="xy">
      <svg {...size} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        {chart.marks.map((mark, index) => (
          <MarkShape key={index} mark={mark} titled />
        ))}
        {overlay?.(xyScales(data, size))}
      </svg>
    </div>
  );
}

/** Returns the value at a pointer position. `minWidth` is that of the plot. */
export function valueAtPointer(
  event: MouseEvent & { readonly currentTarget: Element },
  data: XyData,
): number {
  const { left, width } = event.currentTarget.getBoundingClientRect();
  const scales = xyScales(data, { width, height: 0 });
  const [from, to] = data.x.range;
  const [start, end] = [scales.x(from), scales.x(to)];
  return from + ((event.clientX - left - start) / Math.max(1, end - start)) * (to - from);
}
