/** Changing one field of a spec by its JSON path. Pure: a new value, or the reasons why it is none. */
import { decodeSpec, type Decoded, type SpecError } from '../src/core/spec/decode';
import type { ResolvedSpec } from '../src/core/spec/resolved';
import type { GemmSpec } from '../src/core/spec/schema';

/** New values by JSON path; undefined removes the field, so that its default holds. */
export type Changes = Readonly<Record<string, unknown>>;

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function valueAt(root: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
      root,
    );
}

/** Groups that are only valid as a whole: the first change inside one writes down its defaults too. */
const WHOLE_GROUPS = ['schedule', 'schedule.block', 'schedule.warp', 'schedule.thread'];

function replace(root: unknown, keys: readonly string[], value: unknown): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  const object = isObject(root) ? root : {};
  const inner = replace(object[key], rest, value);
  if (inner !== undefined) return { ...object, [key]: inner };
  const others = Object.entries(object).filter(([name]) => name !== key);
  return others.length === 0 ? undefined : Object.fromEntries(others);
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

/** Applies changes and decodes the result; `resolved` is the unchanged spec, whose defaults complete a group. */
export function applyChanges(spec: GemmSpec, resolved: ResolvedSpec, changes: Changes): Decoded {
  return decodeSpec(
    Object.entries(changes).reduce<unknown>(
      (root, [path, value]) => change(root, resolved, path, value),
      spec,
    ),
  );
}

/** What the text of a number field stands for; empty means the default. */
export function parseFieldText(text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const value = Number(trimmed);
  return Number.isNaN(value) ? trimmed : value;
}

export const describe = ({ path, message }: SpecError): string =>
  path === '' ? message : `${path}: ${message}`;
