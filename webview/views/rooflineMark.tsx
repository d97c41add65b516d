/** One mark of a chart as SVG, in the theme's colors. */
import type { VNode } from 'preact';
import type { Mark } from '../../src/core/charts/chart';
import {
  curvePath,
  linePath,
  placement,
  pointPath,
  trailOpacity,
  turnOf,
} from '../../src/core/charts/chartPaths';

export interface MarkProps {
  readonly mark: Mark;
  /** Draws an invisible margin that enlarges the pointer target. */
  readonly reachable?: boolean;
  /** Shows the label of a point as its tooltip. */
  readonly titled?: boolean;
}

export function MarkShape({ mark, reachable = false, titled = false }: MarkProps): VNode {
  const name = `mark ${mark.role}`;
  const opacity = mark.age === undefined ? undefined : trailOpacity(mark.age);
  switch (mark.kind) {
    case 'line': {
      const ends = { x1: mark.x1, y1: mark.y1, x2: mark.x2, y2: mark.y2 };
      return (
        <>
          {reachable && mark.role !== 'leader' ? <line class="reach" {...ends} /> : null}
          <line class={name} {...ends} />
        </>
      );
    }
    case 'curve':
      return <path class={name} d={curvePath(mark)} opacity={opacity} />;
    case 'path':
      return <path class={name} d={linePath(mark)} />;
    case 'rect': {
      const { x, y, width, height } = mark;
      return <rect class={name} {...{ x, y, width, height }} />;
    }
    case 'area':
      return <path class={name} d={mark.path} transform={placement(mark)} opacity={mark.opacity} />;
    case 'text': {
      const { x, y, angle } = mark;
      return (
        <text
          class={name}
          {...{ x, y }}
          text-anchor={mark.anchor}
          transform={angle === undefined ? undefined : turnOf({ x, y, angle })}
        >
          {mark.text}
        </text>
      );
    }
    case 'point':
      return (
        <>
          {reachable ? <circle class="reach" cx={mark.x} cy={mark.y} r={9} /> : null}
          <path class={`${name} point`} d={pointPath(mark)} opacity={opacity}>
            {titled ? <title>{mark.label}</title> : null}
          </path>
        </>
      );
  }
}
