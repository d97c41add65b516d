/**
 * A chart as data: marks in pixels, y downward, drawn by the webview or written to a file as SVG.
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
  | 'label'
  | 'title';

interface MarkOf {
  readonly role: Role;
  /**
   * Key of the ceiling, point or run that the mark shows; identical on its line, point and label.
   */
  readonly item?: string;
  /** Age in the trail of runs: 0 is the newest, 1 the oldest. */
  readonly age?: number;
}

export interface LineMark extends MarkOf {
  readonly kind: 'line';
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
}

/** An arc from one point to the next, which shows the order of points at the same intensity. */
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
}

export interface PointMark extends MarkOf {
  readonly kind: 'point';
  readonly x: number;
  readonly y: number;
  readonly shape: 'circle' | 'diamond' | 'square' | 'triangle' | 'dot' | 'bar';
  readonly label: string;
}

export type Mark = LineMark | CurveMark | TextMark | PointMark;

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Chart extends Size {
  readonly title: string;
  readonly marks: readonly Mark[];
}
