/** Shapes of a list: problems with their weights and the places where a file states them. */
import type { GemmSpec } from '../../spec/schema';

export const FORMATS = ['tunableop', 'cutlass', 'nvbench', 'csv', 'json'] as const;
export type ShapeFormat = (typeof FORMATS)[number];

/** A time that the file contains. It was measured by another program. */
export interface FileTime {
  readonly milliseconds: number;
  /** Kernel or solution that the file names for this time. */
  readonly kernel: string;
}

export interface ShapeEntry {
  readonly problem: GemmSpec['problem'];
  /** Number of calls, or their relative number. */
  readonly weight: number;
  /** Place in the file: `line 12` or `benchmarks[0].states[3]`. */
  readonly place: string;
  /** Name in the file, if the file has one. */
  readonly name?: string;
  /** Parts of the operation that the problem does not contain, such as `bias`. */
  readonly omitted: readonly string[];
  readonly time?: FileTime;
}

/**
 * - `malformed`: the line cannot be read.
 * - `truncated`: the last line is incomplete.
 * - `unsupported`: the line was read, but its operation has no equivalent problem.
 */
export interface ShapeIssue {
  readonly kind: 'malformed' | 'truncated' | 'unsupported';
  readonly place: string;
  readonly message: string;
}

/** Result of one line or one JSON item. */
export type ReadShape = ShapeEntry | ShapeIssue;

export const isEntry = (read: ReadShape): read is ShapeEntry => 'problem' in read;

export const issue = (kind: ShapeIssue['kind'], place: string, message: string): ShapeIssue => ({
  kind,
  place,
  message,
});
