/** Arguments of an exported function: their order, and their values in a call of a kernel. */
import type { ArgumentRole, SizeRole } from '../kernel/ir/arguments';
import type { DType } from '../types/dtype';
import { isInteger } from '../types/dtype';
import type { EpilogueName } from '../spec/epilogue';
import type { GlobalOperand } from '../spec/resolved';
import { extrasOf } from './epilogue';
import type { GemmType } from './subject';

/** Arguments that callers pass: everything except tensor maps and the workspace. */
export type CallerRole = SizeRole | 'batch' | 'alpha' | 'beta' | 'a' | 'b' | 'c' | EpilogueName;

/** Returns the arguments of the exported function in BLAS order, one list per line. */
export function callerRoles(type: GemmType): readonly (readonly CallerRole[])[] {
  const { isBatched, takesAlpha, takesBeta } = type;
  return [
    ['m', 'n', 'k', ...(isBatched ? (['batch'] as const) : [])],
    ['a', 'lda', ...(isBatched ? (['strideA'] as const) : [])],
    ['b', 'ldb', ...(isBatched ? (['strideB'] as const) : [])],
    ['c', 'ldc', ...(isBatched ? (['strideC'] as const) : [])],
    extrasOf(type).map(({ role }) => role),
    [...(takesAlpha ? (['alpha'] as const) : []), ...(takesBeta ? (['beta'] as const) : [])],
  ].filter(line => line.length > 0) as readonly (readonly CallerRole[])[];
}

/** Value of a kernel argument: an argument of the caller, the workspace, or a fixed number. */
export type PassedValue =
  | { readonly from: 'caller'; readonly role: CallerRole }
  | { readonly from: 'workspace' }
  | { readonly from: 'number'; readonly value: number; readonly dtype: DType };

/** Returns the value of a kernel argument. Throws for tensor maps, which host functions encode. */
export function passedValue(role: ArgumentRole, type: GemmType): PassedValue {
  switch (role) {
    case 'workspace':
      return { from: 'workspace' };
    case 'alpha':
    case 'beta': {
      const isTaken = role === 'alpha' ? type.takesAlpha : type.takesBeta;
      return isTaken
        ? { from: 'caller', role }
        : { from: 'number', value: type[role], dtype: type.accumulator };
    }
    case 'batch':
      return type.isBatched ? { from: 'caller', role } : { from: 'number', value: 1, dtype: 's32' };
    case 'tensorMapA':
    case 'tensorMapB':
    case 'tensorMapC':
    case 'tensorMapResidual':
    case 'tensorMapB2':
      throw new Error(`${role} is encoded by the host function of the kernel`);
    default:
      return { from: 'caller', role };
  }
}

export const LEADING = { a: 'lda', b: 'ldb', c: 'ldc' } as const;
export const STRIDE = { a: 'strideA', b: 'strideB', c: 'strideC' } as const;

/** Extents of each matrix: rows and columns. */
export const SIDES = { a: ['m', 'k'], b: ['k', 'n'], c: ['m', 'n'] } as const;

/** Returns the extents of a matrix in memory order: across and along its contiguous dimension. */
export function memoryOrder(
  type: Pick<GemmType, 'a' | 'b' | 'c'>,
  operand: 'a' | 'b' | 'c',
): readonly ['m' | 'n' | 'k', 'm' | 'n' | 'k'] {
  const [rows, columns] = SIDES[operand];
  return type[operand].layout === 'row' ? [rows, columns] : [columns, rows];
}

/** Returns whether gradients of A and B are defined: both have the same floating-point type. */
export const isDifferentiable = ({ a, b }: GemmType): boolean =>
  a.dtype === b.dtype && !isInteger(a.dtype) && a.dtype !== 'e4m3' && a.dtype !== 'e5m2';

/** Returns the name of a buffer in descriptions. */
export const bufferName = (operand: GlobalOperand): string =>
  operand === 'workspace' ? 'workspace' : operand.toUpperCase();
