/** Roles of kernel arguments. */
import { EPILOGUE_OPERANDS } from '../../spec/epilogue';
import type { ResolvedProblem } from '../../spec/resolved';

export const ARGUMENT_ROLES = [
  'a',
  'b',
  'c',
  'm',
  'n',
  'k',
  'batch',
  'lda',
  'ldb',
  'ldc',
  'strideA',
  'strideB',
  'strideC',
  'alpha',
  'beta',
  'workspace',
  'tensorMapA',
  'tensorMapB',
  'tensorMapC',
  ...EPILOGUE_OPERANDS,
] as const;

export type ArgumentRole = (typeof ARGUMENT_ROLES)[number];

export const parametersOf = (
  problem: ResolvedProblem,
): Readonly<Partial<Record<ArgumentRole, number>>> => {
  const { m, n, k, batch, a, b, c, alpha, beta } = problem;
  const strides = { strideA: a.batchStride, strideB: b.batchStride, strideC: c.batchStride };
  return { m, n, k, batch, lda: a.ld, ldb: b.ld, ldc: c.ld, ...strides, alpha, beta };
};
