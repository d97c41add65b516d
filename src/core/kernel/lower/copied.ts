/** Pre-pass kernels that copy A or B to the workspace: common parts, and the parts of each kind of copy. */
import { constant } from '../ir/expr';
import type { Expr, GlobalElement, KernelIr, SharedElement, Statement } from '../ir/ir';
import type { Dim3 } from '../../plan/plan';
import type { DType } from '../../types/dtype';

export const COPY_THREADS = constant('COPY_THREADS');

/** An operand in global memory and its copy. */
export interface CopiedOperand {
  readonly operand: 'a' | 'b';
  /** Element type of the operand. */
  readonly dtype: DType;
  readonly loaded: (outer: Expr, inner: Expr) => GlobalElement;
  /** Stores `width` adjacent elements to the copy; split terms one by one. */
  readonly storing: (
    value: GlobalElement | SharedElement,
    at: { readonly outer: Expr; readonly inner: Expr; readonly width?: number },
  ) => readonly Statement[];
  /** Rows of the copy, and elements per row. */
  readonly sides: readonly [outer: Expr, inner: Expr];
  readonly extents: readonly [outer: number, inner: number];
}

/** Parts of the kernel that depend on the kind of copy. */
export interface CopyKernel extends Pick<KernelIr, 'constants' | 'shared' | 'body'> {
  /** Blocks per batch entry. */
  readonly blocks: Pick<Dim3, 'x' | 'y'>;
}
