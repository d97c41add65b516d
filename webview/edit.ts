/**
 * Changes to fields of a spec by JSON path, which includes indices of lists. The functions are pure
 * and return a new spec or errors.
 */
import { decodeSpec, type Decoded, type SpecError } from '../src/core/spec/decode';
import type { ResolvedSpec } from '../src/core/spec/resolved';
import type { GemmSpec } from '../src/core/spec/schema';

/** New values by JSON path. Undefined removes the field, which restores its default. */
export type Changes = Readonly<Record<string, unknown>>;

type Json = Readonly<Record<string, unknown>>;

/** Objects, and lists, whose keys are indices. */
const isParent = (value: unknown): value is Json => typeof value === 'object' && value !== null;

export function valueAt(root: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, key) => (isParent(value) && Object.hasOwn(value, key) ? value[key] : undefined),
      root,
    );
}

/**
 * Groups of fields that must be complete. The first change in a group also writes the defaults of
 * the group.
 */
const WHOLE_GROUPS = ['schedule', 'schedule.block', 'schedule.warp', 'schedule.thread'];

function replace(root: unknown, keys: readonly string[], value: unknown): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  if (Array.isArray(root))
    return replaceEntry(root as readonly unknown[], Number(key), [rest, value]);
  const object = isParent(root) ? root : {};
  const inner = replace(object[key], rest, value);
  if (inner !== undefined) return { ...object, [key]: inner };
  const others = Object.entries(object).filter(([name]) => name !== key);
  return others.length === 0 ? undefined : Object.fromEntries(others);
}

/** Replaces an entry of a list. An entry without a value, or a list without entries, is removed. */
function replaceEntry(
  list: readonly unknown[],
  index: number,
  [keys, value]: readonly [readonly string[], unknown],
): unknown {
  const inner = replace(list[index], keys, value);
  const entry = inner === undefined ? [] : [inner];
  const entries = [...list.slice(0, index), ...entry, ...list.slice(index + 1)];
  return entries.length === 0 ? undefined : entries;
}

function change(spec: unknown, defaults: unknown, path: string, value: unknown): unknown {
  const complete = WHOLE_GROUPS.filter(
    group =>
      value !== undefined && path.startsWith(`${group}.`) && valueAt(spec, group) === undefined,
  );
  const base = complete.reduce<unknown>(
    (root, group) => replace(root, group.split('.'), valueAt(defaults, group)),
    spec,
  );
  return replace(base, path.split('.'), value);
}

/**
 * Applies changes and decodes the result; `resolved` supplies the defaults that complete a group.
 */
export function applyChanges(spec: GemmSpec, resolved: ResolvedSpec, changes: Changes): Decoded {
  return decodeSpec(
    Object.entries(changes).reduce<unknown>(
      (root, [path, value]) => change(root, resolved, path, value),
      spec,
    ),
  );
}

/**
 * Returns the value of a number field: undefined (the default) for empty text, or the text if it is
 * not a number.
 */
export function parseFieldText(text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const value = Number(trimmed);
  return Number.isNaN(value) ? trimmed : value;
}

export const describe = ({ path, message }: SpecError): string =>
  path === '' ? message : `${path}: ${message}`;
