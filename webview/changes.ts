/** What differs between two configurations, field by field, in the names of the form. Pure. */
import { t } from '@vscode/l10n';
import type { ResolvedSpec } from '../src/core/spec/resolved';
import { choiceName } from './choiceFields';
import { fieldName } from './fields';
import { formatValue } from './format';

export interface Change {
  readonly path: string;
  /** Undefined where there is no such field. */
  readonly before: unknown;
  readonly after: unknown;
}

/** Compared as resolved: a default that is written down is no difference. `targets` follows from legality. */
export function changesBetween(before: ResolvedSpec, after: ResolvedSpec): readonly Change[] {
  const old = new Map(leaves(before));
  const now = new Map(leaves(after));
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter(path => old.get(path) !== now.get(path))
    .map(path => ({ path, before: old.get(path), after: now.get(path) }));
}

/** `batchStride` follows from the sizes, and `targets` from legality unless the spec names them. */
const FOLLOWS = /(^|\.)(batchStride|version|targets)$/;

function leaves(value: unknown, path = ''): readonly (readonly [string, unknown])[] {
  if (FOLLOWS.test(path)) return [];
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([key, inner]) =>
    leaves(inner, path === '' ? key : `${path}.${key}`),
  );
}

export const nameOf = (path: string): string =>
  fieldName(path) ?? choiceName(path) ?? path.replace(/^(problem|schedule)\./, '');

export const describeValue = (value: unknown): string =>
  value === undefined ? t('none') : formatValue(value);

/** `BM 128 to 64` */
export const describeChange = ({ path, before, after }: Change): string =>
  `${nameOf(path)} ${describeValue(before)} → ${describeValue(after)}`;
