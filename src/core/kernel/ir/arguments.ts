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
  'tensorMapResidual',
  'tensorMapB2',
  ...EPILOGUE_OPERANDS,
] as const;

export type ArgumentRole = (typeof ARGUMENT_ROLES)[number];

/** Roles of extents, leading dimensions and batch strides, which are counted in elements. */
export type SizeRole = Extract<
  ArgumentRole,
  'm' | 'n' | 'k' | 'lda' | 'ldb' | 'ldc' | 'strideA' | 'strideB' | 'strideC'
>;

/** Returns the printed name of a role: matrices and extents in capitals. */
export const upper = (role: ArgumentRole): string =>
  role.length === 1 ? role.toUpperCase() : role;

export const parametersOf = (
  problem: ResolvedProblem,
): Readonly<Partial<Record<ArgumentRole, number>>> => {
  const { m, n, k, batch, a, b, c, alpha, beta } = problem;
  const strides = { strideA: a.batchStride, strideB: b.batchStride, strideC: c.batchStride };
  return { m, n, k, batch, lda: a.ld, ldb: b.ld, ldc: c.ld, ...strides, alpha, beta };
};
