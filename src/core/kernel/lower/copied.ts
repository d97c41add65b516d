/**
 * Types and statements shared by the pre-pass kernels that copy A or B to the workspace: repacking
 * and transposing copies.
 */
import { add, constant, int, variable } from '../ir/expr';
import type {
  Condition,
  Expr,
  GlobalElement,
  KernelIr,
  NamedConstant,
  RegisterElement,
  SharedElement,
  Statement,
} from '../ir/ir';
import type { Dim3 } from '../../plan/plan';
import { DTYPE_BYTES, type DType } from '../../types/dtype';
import { forLoop, onlyIf } from './loops';

export const COPY_THREADS = constant('COPY_THREADS');

export interface CopiedOperand {
  readonly operand: 'a' | 'b';
  readonly dtype: DType;
  readonly loaded: (outer: Expr, inner: Expr) => GlobalElement;
  /** Stores `width` adjacent elements to the copy; split terms are stored one by one. */
  readonly storing: (
    value: GlobalElement | SharedElement | RegisterElement,
    at: { readonly outer: Expr; readonly inner: Expr; readonly width?: number },
  ) => readonly Statement[];
  /** Row count of the copy, and number of elements per row. */
  readonly sides: readonly [outer: Expr, inner: Expr];
  readonly extents: readonly [outer: number, inner: number];
  /** Word of a repacking copy. */
  readonly word: RepackedWord;
}

export interface RepackedWord extends Word {
  /** Whether words are aligned in the operand, so that one access loads them. */
  readonly isAligned: boolean;
}

export interface CopyKernel extends Pick<KernelIr, 'constants' | 'shared' | 'body'> {
  /** Number of thread blocks per batch entry. */
  readonly blocks: Pick<Dim3, 'x' | 'y'>;
}

/** Elements that a thread of a pre-pass kernel stores in one access. */
export interface Word {
  readonly length: number;
  readonly elements: Expr;
  readonly constants: readonly NamedConstant[];
}

export const WORD_BYTES = 4;

/** Returns a word of `bytes` bytes whose constant has the given name. */
export function wordOf(dtype: DType, bytes = WORD_BYTES, constantName = 'WORD'): Word {
  const length = bytes / DTYPE_BYTES[dtype];
  if (length === 1) return { length, elements: int(1), constants: [] };
  const word = { name: constantName, value: length, comment: `elements per ${bytes}-byte word` };
  return { length, elements: constant(constantName), constants: [word] };
}

const [INDEX, LOADED] = [variable('i'), 'v'];

/** Returns a word in registers, after `loadingWord`. */
export const loadedWord = (start: Expr = int(0)): RegisterElement => ({
  op: 'register',
  name: LOADED,
  index: [start],
});

/** Declares the registers of loaded words; all elements are zero. */
export const declaringWords = (dtype: DType, { length }: Word, size: Expr): Statement => ({
  op: 'registers',
  name: LOADED,
  dtype,
  shape: [size],
  zeroed: true,
  ...(length === 1 ? {} : { vector: length }),
});

/** Loads the elements of a word one by one, except those outside the matrix. */
export const loadingWord = (
  { elements }: Word,
  element: (i: Expr) => { readonly inside: Condition; readonly value: GlobalElement },
  start: Expr = int(0),
): Statement =>
  forLoop(
    'i',
    elements,
    onlyIf(element(INDEX).inside, [
      { op: 'assign', place: loadedWord(add(start, INDEX)), value: element(INDEX).value },
    ]),
    { unroll: true },
  );
