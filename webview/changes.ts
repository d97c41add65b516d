/** List of the fields that differ between two configurations. */
import { t } from '@vscode/l10n';
import type { ResolvedSpec } from '../src/core/spec/resolved';
import { choiceName } from './choiceFields';
import { fieldName } from './fields';
import { formatValue } from './format';

export interface Change {
  readonly path: string;
  /** Value before the change; undefined if the field was not set. */
  readonly before: unknown;
  readonly after: unknown;
}

/** Returns the differences between two resolved specs. An explicit default is not a difference. */
export function changesBetween(before: ResolvedSpec, after: ResolvedSpec): readonly Change[] {
  const old = new Map(leaves(before));
  const now = new Map(leaves(after));
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter(path => old.get(path) !== now.get(path))
    .map(path => ({ path, before: old.get(path), after: now.get(path) }));
}

/**
 * Fields that are not compared: `version`, `batchStride` (derived from the sizes) and `targets`
 * (derived from legality unless the spec sets them).
 */
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

/** Formats a change as `BM 128 → 64`. */
export const describeChange = ({ path, before, after }: Change): string =>
  `${nameOf(path)} ${describeValue(before)} → ${describeValue(after)}`;
