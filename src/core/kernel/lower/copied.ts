/**
 * Types shared by the pre-pass kernels that copy A or B to the workspace: repacking and transposing
 * copies.
 */
import { constant } from '../ir/expr';
import type { Expr, GlobalElement, KernelIr, SharedElement, Statement } from '../ir/ir';
import type { Dim3 } from '../../plan/plan';
import type { DType } from '../../types/dtype';

export const COPY_THREADS = constant('COPY_THREADS');
export const COPY_ELEMENTS = constant('COPY_ELEMENTS');

export interface CopiedOperand {
  readonly operand: 'a' | 'b';
  readonly dtype: DType;
  readonly loaded: (outer: Expr, inner: Expr) => GlobalElement;
  /** Stores `width` adjacent elements to the copy; split terms are stored one by one. */
  readonly storing: (
    value: GlobalElement | SharedElement,
    at: { readonly outer: Expr; readonly inner: Expr; readonly width?: number },
  ) => readonly Statement[];
  /** Row count of the copy, and number of elements per row. */
  readonly sides: readonly [outer: Expr, inner: Expr];
  readonly extents: readonly [outer: number, inner: number];
}

export interface CopyKernel extends Pick<KernelIr, 'constants' | 'shared' | 'body'> {
  /** Number of thread blocks per batch entry. */
  readonly blocks: Pick<Dim3, 'x' | 'y'>;
}
