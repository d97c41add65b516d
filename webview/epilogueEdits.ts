/** Edits of the list `problem.epilogue`, and the choices of its fields. */
import { t } from '@vscode/l10n';
import { ACTIVATIONS } from '../src/core/types/activations';
import type { EpilogueOps } from '../src/core/spec/epilogue';
import type { NumberFieldSpec } from './fields';
import type { Choice } from './kit';

export const EPILOGUE = 'problem.epilogue';

type Op = EpilogueOps[number];
export type OpName = Op['op'];

export const OP_NAMES: readonly OpName[] = ['bias', 'scale', 'residual', 'gate', ...ACTIVATIONS];

export const isOpName = (name: string): name is OpName =>
  (OP_NAMES as readonly string[]).includes(name);

/** Returns an operation with defaults. A bias varies along N, as that of a linear layer. */
export const newOp = (op: OpName): Op => (op === 'bias' ? { op, along: 'n' } : { op });

/** Returns what the operation does, as a line of help of at most 60 characters. */
export function opHelp(op: OpName): string {
  switch (op) {
    case 'bias':
      return t('adds a vector of M or N elements');
    case 'scale':
      return t('multiplies by f32: one value, or a vector');
    case 'residual':
      return t('adds an M x N matrix');
    case 'gate':
      return t('act(A B) times (A B2), with a second B');
    case 'relu':
      return t('max(x, 0)');
    case 'gelu':
      return t('exact, with the error function');
    case 'gelu-tanh':
      return t('tanh approximation of gelu');
    case 'silu':
      return t('x times the logistic function of x');
  }
}

/** Adds an operation at the end; a gate can only be the first operation. */
export const added = (list: readonly Op[], op: Op): readonly Op[] =>
  op.op === 'gate' ? [op, ...list] : [...list, op];

/** Moves an entry by one place, towards the start (-1) or the end (1). */
export function moved<T>(list: readonly T[], index: number, by: -1 | 1): readonly T[] {
  const entry = list[index];
  if (entry === undefined || index + by < 0 || index + by >= list.length) return list;
  const others = list.toSpliced(index, 1);
  return others.toSpliced(index + by, 0, entry);
}

export const alongChoices = (op: 'bias' | 'scale'): readonly Choice[] => [
  ...(op === 'scale' ? [{ value: '', label: t('none (one value)') }] : []),
  { value: 'n', label: t('N (columns of C)') },
  { value: 'm', label: t('M (rows of C)') },
];

export const leadingDimensionField = (path: string): NumberFieldSpec => ({
  path,
  name: 'ld',
  help: () => t('leading dimension, elements'),
  step: 'one',
});
