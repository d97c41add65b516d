/** C++ expressions of a call of the exported function, for the example and the test. */
import type { TestSize } from '../sizes';
import { callerRoles, type CallerRole } from '../roles';
import { floatLiteral } from '../numbers';
import type { GemmType } from '../subject';
import { isInteger } from '../../types/dtype';

/** Returns the initializer of `Arguments`; `value` has the expression of each argument. */
export const initializer = (type: GemmType, value: (role: CallerRole) => string): string =>
  `{${callerRoles(type).flat().map(value).join(', ')}}`;

/** Returns alpha or beta of the specs as a literal of the accumulator type. */
export const scalarLiteral = (
  { accumulator, alpha, beta }: GemmType,
  role: 'alpha' | 'beta',
): string => {
  const value = role === 'alpha' ? alpha : beta;
  if (isInteger(accumulator)) return String(value);
  return accumulator === 'f64' ? floatLiteral(value) : `${floatLiteral(value)}f`;
};

/** Returns the elements of a matrix, with all batch entries, as a product. */
export function elementsText(
  { batch, ...size }: TestSize,
  { outer, ld }: { readonly outer: 'm' | 'n' | 'k'; readonly ld: 'lda' | 'ldb' | 'ldc' },
): number {
  return batch * size[outer] * size[ld];
}
