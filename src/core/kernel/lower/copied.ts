/** What the kernels have in common that copy A or B to the workspace, and what each way of copying adds. */
import { constant } from '../ir/expr';
import type { Expr, GlobalElement, KernelIr, SharedElement, Statement } from '../ir/ir';
import type { Dim3 } from '../../plan/plan';
import type { DType } from '../../types/dtype';

export const COPY_THREADS = constant('COPY_THREADS');

/** An operand in global memory before and after. */
export interface Copied {
  readonly operand: 'a' | 'b';
  /** Of an element, before. */
  readonly dtype: DType;
  readonly loaded: (outer: Expr, inner: Expr) => GlobalElement;
  /** An element of what `loaded` names, or as many as lie beside it; pieces one by one. */
  readonly storing: (
    value: GlobalElement | SharedElement,
    at: { readonly outer: Expr; readonly inner: Expr; readonly width?: number },
  ) => readonly Statement[];
  /** Rows of the copy in memory, and elements of one. */
  readonly sides: readonly [outer: Expr, inner: Expr];
  readonly extents: readonly [outer: number, inner: number];
}

/** What a way of copying adds to the kernel. */
export interface Copying extends Pick<KernelIr, 'constants' | 'shared' | 'body'> {
  /** Blocks of a product. */
  readonly blocks: Pick<Dim3, 'x' | 'y'>;
}
