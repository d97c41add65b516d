/** A picture on which the pointer or the arrow keys select an element of C. */
import type { ComponentChildren, VNode } from 'preact';
import type { Element } from '../../src/core/trace/owner';

interface Position {
  readonly row: number;
  readonly column: number;
}

export interface MapSurfaceProps {
  /** Accessible name. */
  readonly label: string;
  readonly width: number;
  readonly height: number;
  readonly element: Element;
  /** Number of rows and columns that one press of an arrow key moves. */
  readonly step: Position;
  readonly elementAt: (x: number, y: number) => Position;
  readonly onMove: (to: Element) => void;
  readonly children: ComponentChildren;
}

const DIRECTIONS: Readonly<Record<string, Position>> = {
  ArrowRight: { row: 0, column: 1 },
  ArrowLeft: { row: 0, column: -1 },
  ArrowDown: { row: 1, column: 0 },
  ArrowUp: { row: -1, column: 0 },
};

export function MapSurface(props: MapSurfaceProps): VNode {
  const { label, width, height, element, step, elementAt, onMove, children } = props;
  return (
    <div
      class="map-surface"
      role="application"
      aria-label={label}
      tabIndex={0}
      onPointerMove={event => {
        const box = event.currentTarget.getBoundingClientRect();
        const scale = width / box.width;
        onMove({
          ...element,
          ...elementAt((event.clientX - box.left) * scale, (event.clientY - box.top) * scale),
        });
      }}
      onKeyDown={event => {
        const direction = DIRECTIONS[event.key];
        if (direction === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        onMove({
          ...element,
          row: element.row + direction.row * step.row,
          column: element.column + direction.column * step.column,
        });
      }}
    >
      <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
        {children}
      </svg>
    </div>
  );
}
