/** A trace as a message of a worker, in which statements are positions in the kernel's IR. */
import type { KernelIr, Statement } from '../kernel/ir/ir';
import { allStatements } from '../kernel/ir/statements';
import type { BlockTrace, Step } from './blockTrace';

export interface WireTrace extends Omit<BlockTrace, 'steps'> {
  readonly steps: readonly (Omit<Step, 'statement'> & { readonly statement: number })[];
}

/** Encodes a trace. The worker and the page emit the kernel from the same spec. */
export function encodeTrace(trace: BlockTrace, { body }: KernelIr): WireTrace {
  const positions = new Map([...allStatements(body)].map((statement, i) => [statement, i]));
  return {
    ...trace,
    steps: trace.steps.map(step => ({ ...step, statement: positions.get(step.statement) ?? -1 })),
  };
}

export function decodeTrace(wire: WireTrace, { body }: KernelIr): BlockTrace {
  const statements = [...allStatements(body)];
  const statementAt = (position: number): Statement => {
    const statement = statements[position];
    if (statement === undefined) throw new Error('The trace belongs to another kernel.');
    return statement;
  };
  return {
    ...wire,
    steps: wire.steps.map(step => ({ ...step, statement: statementAt(step.statement) })),
  };
}
