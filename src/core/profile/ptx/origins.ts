/**
 * Attributes each access of a shared array to a matrix. For a store, this is the matrix from which
 * the value was loaded; accumulators belong to C. For a load, this is the matrix of a store to the
 * same address, or else of the nearest store. Dynamic shared memory may hold several matrices.
 */
import type { Listing } from '../listing/instruction';
import type { GlobalOperand } from '../../spec/resolved';
import type { Trace, Traced } from './traceWarps';
import { operandOf, splitOperands } from './operands';

/**
 * Maximum number of registers traced between a load and a store, for example through conversions
 * and selections.
 */
const MAX_REGISTERS = 64;

export function operandsOfShared(
  { traced }: Trace,
  { instructions }: Listing,
): (access: Traced) => GlobalOperand | undefined {
  const loads = new Map<number, GlobalOperand>();
  for (const { at, space, access, target } of traced) {
    if (space === 'global' && access.op === 'load' && isOperand(target)) loads.set(at, target);
  }
  const writers = new Map<string, number[]>();
  for (const [at, { operands = '', opcode }] of instructions.entries()) {
    if (/^(st|red|bar|bra|cp)\b/.test(opcode)) continue;
    const [result] = splitOperands(operands).map(operandOf);
    for (const name of result?.items.length === 0 ? [result.text] : (result?.items ?? [])) {
      writers.set(name, [...(writers.get(name) ?? []), at]);
    }
  }
  const origin = (names: readonly string[]): GlobalOperand | undefined => {
    const seen = new Set(names);
    for (const name of seen) {
      if (seen.size > MAX_REGISTERS) return undefined;
      for (const at of writers.get(name) ?? []) {
        const found = loads.get(at);
        if (found !== undefined) return found;
        const { opcode = '', operands = '' } = instructions[at] ?? {};
        if (opcode.startsWith('ld')) continue;
        if (isFma(opcode)) return 'c';
        const [, ...read] = splitOperands(operands).map(operandOf);
        for (const part of read)
          for (const of of part.items.length === 0 ? [part.text] : part.items) seen.add(of);
      }
    }
    return undefined;
  };
  const stores = traced.flatMap(of => {
    if (of.space !== 'shared' || of.access.op !== 'store') return [];
    const operand = loads.get(of.at) ?? origin(of.access.stored);
    return operand === undefined ? [] : [{ of, operand }];
  });
  return ({ at, target, tally }) => {
    const own = stores.find(({ of }) => of.at === at && of.target === target);
    if (own !== undefined) return own.operand;
    const inArray = stores.filter(({ of }) => of.target === target);
    const holding = inArray.find(
      ({ of }) => of.tally.least <= tally.least && tally.least <= of.tally.most,
    );
    return (holding ?? nearest(inArray, tally.least))?.operand;
  };
}

/** The result of an FMA is an accumulator, not an element of A or B. */
const isFma = (opcode: string): boolean => /^(fma|mad)\b/.test(opcode);

const nearest = <S extends { readonly of: Traced }>(
  stores: readonly S[],
  address: number,
): S | undefined => stores.filter(({ of }) => of.tally.least <= address).at(-1) ?? stores[0];

const isOperand = (target: string | undefined): target is GlobalOperand =>
  target === 'a' || target === 'b' || target === 'c' || target === 'workspace';
