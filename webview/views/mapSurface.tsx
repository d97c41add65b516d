/** A picture on which the pointer or the arrow keys select a point of the GEMM. */
import type { ComponentChildren, VNode } from 'preact';
import type { GemmPoint } from '../../src/core/trace/elementFacts';
import type { OperandName } from '../../src/core/spec/resolved';
import { useStaticPage } from '../staticPage';

/** A selected point, and the matrix whose element is meant. */
export interface SelectedPoint extends GemmPoint {
  readonly operand: OperandName;
}

/** A coordinate that is absent stays unchanged. */
type Pointed = Partial<SelectedPoint>;

export interface MapSurfaceProps {
  /** Accessible name. */
  readonly label: string;
  readonly width: number;
  readonly height: number;
  readonly point: SelectedPoint;
  /** Number of rows and columns that one press of an arrow key moves. */
  readonly step: { readonly row: number; readonly column: number };
  /** Returns null outside of the matrices. */
  readonly pointAt: (x: number, y: number) => Pointed | null;
  readonly onMove: (to: SelectedPoint) => void;
  readonly children: ComponentChildren;
  /** Handles at the edges of tiles, above the picture. */
  readonly handles?: ComponentChildren;
}

const DIRECTIONS: Readonly<Record<string, { readonly row: number; readonly column: number }>> = {
  ArrowRight: { row: 0, column: 1 },
  ArrowLeft: { row: 0, column: -1 },
  ArrowDown: { row: 1, column: 0 },
  ArrowUp: { row: -1, column: 0 },
};

export function MapSurface(props: MapSurfaceProps): VNode {
  const { label, width, height, point, step, pointAt, onMove, children, handles } = props;
  if (useStaticPage())
    return (
      <div class="map-surface">
        <svg
          viewBox={`0 0 ${width} ${height}`}
          {...{ width, height }}
          role="img"
          aria-label={label}
        >
          {children}
        </svg>
      </div>
    );
  return (
    <div
      class="map-frame"
      // Handles are inside, because the pointer also selects while it crosses one.
      onPointerMove={event => {
        const box = event.currentTarget.getBoundingClientRect();
        const scale = width / box.width;
        const pointed = pointAt(
          (event.clientX - box.left) * scale,
          (event.clientY - box.top) * scale,
        );
        if (pointed !== null) onMove({ ...point, ...pointed });
      }}
    >
      <div
        class="map-surface"
        role="application"
        aria-label={label}
        tabIndex={0}
        onKeyDown={event => {
          const direction = DIRECTIONS[event.key];
          if (direction === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
          event.preventDefault();
          onMove({
            ...point,
            operand: 'c',
            row: point.row + direction.row * step.row,
            column: point.column + direction.column * step.column,
          });
        }}
      >
        <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
          {children}
        </svg>
      </div>
      {handles}
    </div>
  );
}
