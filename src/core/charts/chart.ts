/**
 * Chart data: marks in pixels, with y pointing down. The webview draws them, and exports write them
 * as SVG.
 */

export type Role =
  | 'axis'
  | 'grid'
  | 'tick'
  | 'ceiling'
  | 'ceiling-measured'
  | 'ceiling-level'
  | 'ceiling-unused'
  | 'level'
  | 'attainable'
  | 'without-caches'
  | 'predicted'
  | 'measured'
  | 'earlier'
  | 'trail'
  | 'leader'
  | 'gap'
  | 'interval'
  | 'label'
  | 'title'
  | 'selected'
  | 'bar'
  | 'bar-other'
  | 'cell'
  | 'cell-conflict'
  | 'curve'
  | 'current'
  | 'equal'
  | 'best'
  | 'tied'
  | 'racing'
  | 'slower'
  | 'waiting'
  | 'failed';

interface MarkOf {
  readonly role: Role;
  /**
   * Key of the ceiling, point or run that the mark shows. Its line, point and label have the same
   * key.
   */
  readonly item?: string;
  /** Relative age among the earlier runs: 0 for the newest, 1 for the oldest. */
  readonly age?: number;
}

export interface LineMark extends MarkOf {
  readonly kind: 'line';
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
}

export const lineMark = (x1: number, y1: number, x2: number, y2: number, role: Role): LineMark => ({
  kind: 'line',
  x1,
  y1,
  x2,
  y2,
  role,
});

/** An arc that connects two consecutive runs with the same arithmetic intensity. */
export interface CurveMark extends MarkOf {
  readonly kind: 'curve';
  readonly x1: number;
  readonly y1: number;
  readonly controlX: number;
  readonly controlY: number;
  readonly x2: number;
  readonly y2: number;
}

export interface TextMark extends MarkOf {
  readonly kind: 'text';
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly anchor: 'start' | 'middle' | 'end';
  /** Clockwise rotation around the position, in degrees. Default: 0. */
  readonly angle?: number;
}

export interface RectMark extends MarkOf {
  readonly kind: 'rect';
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Filled cells, whose path is scaled and then moved to the position. */
export interface AreaMark extends MarkOf {
  readonly kind: 'area';
  readonly x: number;
  readonly y: number;
  readonly scaleX: number;
  readonly scaleY: number;
  /** SVG path in units of cells. */
  readonly path: string;
  readonly opacity: number;
}

/** A line through several positions. */
export interface PathMark extends MarkOf {
  readonly kind: 'path';
  readonly at: readonly (readonly [x: number, y: number])[];
}

export interface PointMark extends MarkOf {
  readonly kind: 'point';
  readonly x: number;
  readonly y: number;
  readonly shape:
    'circle' | 'diamond' | 'square' | 'triangle' | 'dot' | 'bar' | 'star' | 'cross' | 'tick';
  readonly label: string;
  /** Radius of a circle in pixels. Default: 5. */
  readonly radius?: number;
}

export type Mark = LineMark | CurveMark | TextMark | PointMark | RectMark | AreaMark | PathMark;

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Chart extends Size {
  readonly title: string;
  readonly marks: readonly Mark[];
}
