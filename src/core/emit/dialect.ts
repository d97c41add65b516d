/** What a target language says differently. Everything else is printed once, in print.ts. */
import type { DType } from '../spec/dtype';
import type { ArgumentRole } from './kernel';
import type { Axis, GlobalElement, KernelIr, SharedArray, Statement } from '../ir/ir';
import type { Plan } from '../plan/plan';

export type ForStatement = Extract<Statement, { op: 'for' }>;
export type RegistersStatement = Extract<Statement, { op: 'registers' }>;

/** Prints parts of statements that a dialect composes. */
export interface Printer {
  readonly plan: Plan;
  expr(expr: GlobalElement['outer']): string;
  lines(statements: readonly Statement[]): readonly string[];
}

export interface Dialect {
  readonly type: (dtype: DType) => string;
  readonly zero: (dtype: DType) => string;
  readonly parameter: (role: ArgumentRole) => string;
  readonly index: (space: 'thread' | 'block', axis: Axis) => string;
  readonly letInt: (name: string, value: string) => string;
  readonly registers: (statement: RegistersStatement, printer: Printer) => string;
  readonly forHead: (loop: ForStatement, printer: Printer) => readonly string[];
  readonly globalIndex: (element: GlobalElement, printer: Printer) => string;
  readonly fma: (dtype: DType, place: string, left: string, right: string) => string;
  /** A conditional value as one expression, or null where the language has none that skips the load. */
  readonly conditional: (condition: string, value: string, zero: string) => string | null;
  readonly barrier: string;
  /** Everything around the body. */
  readonly file: (ir: KernelIr, body: readonly string[], printer: Printer) => readonly string[];
}

/** Extents of a shared array as text. */
export const sharedExtent = (array: SharedArray, printer: Printer): readonly [string, string] => [
  printer.expr(array.outer),
  printer.expr(array.inner),
];
