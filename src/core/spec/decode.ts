/** Decodes JSON text or an unknown value as a spec. Every error has a JSON path. */
import { t } from '@vscode/l10n';
import * as v from 'valibot';
import { closestDevice } from '../hardware/closestDevice';
import { deviceIds, findDevice } from '../hardware/devices';
import { duplicateKeys } from './duplicateKeys';
import { namesAt, nearestName } from './nearestName';
import { specSchema, type GemmSpec } from './schema';

export interface SpecError {
  /** JSON path, such as `problem.a.ld`; empty for the whole file. */
  readonly path: string;
  readonly message: string;
  /**
   * Violated rule: `syntax`, `duplicate-key`, `size`, `device`, or the type of the schema issue.
   */
  readonly rule?: string;
}

export type Decoded =
  | {
      readonly ok: true;
      readonly spec: GemmSpec;
      /**
       * Message that names the substitute device; absent if the spec contains an id of the device
       * table.
       */
      readonly standIn?: string;
    }
  | { readonly ok: false; readonly errors: readonly SpecError[] };

const MAX_SPEC_CHARACTERS = 1_000_000;

const fail = (path: string, message: string, rule: string): Decoded => ({
  ok: false,
  errors: [{ path, message, rule }],
});

/**
 * Decodes the text of a `*.gemm.json` file. The assignments, such as `problem.m=512`, override its
 * fields.
 */
export function parseSpec(text: string, assignments: readonly string[] = []): Decoded {
  if (text.length > MAX_SPEC_CHARACTERS) {
    return fail(
      '',
      t('The file has {0} characters; a spec has at most {1}.', text.length, MAX_SPEC_CHARACTERS),
      'size',
    );
  }
  const plain = text.replace(/^\uFEFF/, '');
  let value: unknown;
  try {
    value = JSON.parse(plain);
  } catch (error) {
    return fail('', t('Not JSON: {0}', describeSyntaxError(text, error)), 'syntax');
  }
  const twice = duplicateKeys(plain);
  if (twice.length === 0) {
    const overridden = applyOverrides(value, assignments);
    return overridden.ok ? decodeSpec(overridden.value) : overridden;
  }
  const message = t('Duplicate field. Fix: keep only one occurrence.');
  return { ok: false, errors: twice.map(({ path }) => ({ path, message, rule: 'duplicate-key' })) };
}

/**
 * Decodes a value as a spec. A device name is replaced by an id of the device table, as for
 * `--device`.
 */
export function decodeSpec(input: unknown): Decoded {
  if (Array.isArray(input))
    return fail('', t('Expected {0}, got {1}.', 'Object', 'Array'), 'object');
  const result = v.safeParse(specSchema, input);
  if (!result.success) return { ok: false, errors: decodeErrors(result.issues, specSchema, input) };
  const spec = result.output;
  if (spec.device === undefined || findDevice(spec.device) !== undefined) return { ok: true, spec };
  const found = closestDevice(spec.device);
  return found === undefined
    ? fail('device', unknownDevice(spec.device), 'device')
    : { ok: true, spec: { ...spec, device: found.device.id }, standIn: found.why };
}

function unknownDevice(name: string): string {
  const meant = nearestName(name, deviceIds);
  return meant === undefined
    ? t('Unknown device "{0}". Known: {1}.', name, deviceIds.join(', '))
    : t('Unknown device "{0}": did you mean {1}?', name, meant);
}

export const decodeErrors = (
  issues: readonly v.BaseIssue<unknown>[],
  schema: object,
  input?: unknown,
): readonly SpecError[] =>
  issues.map(issue => ({ ...toError(issue, schema, input), rule: issue.type }));

function unknownField(keys: readonly string[], schema: object, input: unknown): string {
  const field = keys.at(-1) ?? '';
  const known = namesAt(schema, keys.slice(0, -1), input);
  const meant = nearestName(field, known);
  return meant === undefined
    ? t('Unknown field {0}. Known: {1}.', field, known.join(', '))
    : t('Unknown field {0}: did you mean {1}?', field, meant);
}

function toError(issue: v.BaseIssue<unknown>, schema: object, input: unknown): SpecError {
  const path = v.getDotPath(issue) ?? '';
  const keys = (issue.path ?? []).map(({ key }) => String(key));
  if ((issue.type === 'picklist' || issue.type === 'variant') && typeof issue.input === 'string') {
    const meant = nearestName(issue.input, namesAt(schema, keys, input));
    if (meant !== undefined)
      return { path, message: t('Unknown value "{0}". Did you mean "{1}"?', issue.input, meant) };
  }
  if (issue.type === 'strict_object') {
    if (issue.expected === 'never') return { path, message: unknownField(keys, schema, input) };
    if (issue.received === 'undefined') return { path, message: t('This field is required.') };
  }
  if (issue.type === 'variant' && issue.received === 'undefined')
    return { path, message: t('This field is required: one of {0}.', issue.expected ?? '') };
  const received =
    issue.received.length > 60 ? `${issue.received.slice(0, 60)}...` : issue.received;
  if (issue.type === 'safe_integer')
    return { path, message: t('Expected an integer, got {0}.', received) };
  if (issue.type === 'finite')
    return { path, message: t('Expected a finite number, got {0}.', received) };
  if (issue.expected === null) return { path, message: issue.message };
  return { path, message: t('Expected {0}, got {1}.', issue.expected, received) };
}

/**
 * Returns the message of a syntax error, with line and column if the offset is known. Some
 * JavaScript engines report only an offset.
 */
function describeSyntaxError(text: string, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const position = /position (\d+)/.exec(message)?.[1];
  if (position === undefined || message.includes('line ')) return message;
  const before = text.slice(0, Number(position)).split('\n');
  return `${message} (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`;
}

export type Overridden =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly errors: readonly SpecError[] };

/**
 * Applies assignments such as `problem.m=512` or `schedule.algorithm=naive` to the JSON value of a
 * spec.
 */
export function applyOverrides(input: unknown, assignments: readonly string[]): Overridden {
  let value = input;
  for (const assignment of assignments) {
    const equals = assignment.indexOf('=');
    const keys = assignment.slice(0, Math.max(equals, 0)).split('.');
    if (
      equals < 1 ||
      keys.some(key => !/^([A-Za-z][A-Za-z0-9]*|\d{1,6})$/.test(key) || key === 'constructor')
    ) {
      const message = t('Expected an assignment such as problem.m=512, got "{0}".', assignment);
      return { ok: false, errors: [{ path: '', message }] };
    }
    const gap = gapBefore(value, keys);
    if (gap !== null) return { ok: false, errors: [gap] };
    value = assign(value, keys, parseLiteral(assignment.slice(equals + 1)));
  }
  return { ok: true, value };
}

const isIndex = (key: string | undefined): boolean => /^\d+$/.test(key ?? '');

/** Returns an error if the keys contain an index beyond the end of its list. */
function gapBefore(root: unknown, keys: readonly string[]): SpecError | null {
  let at = root;
  for (const [i, key] of keys.entries()) {
    const isList = isIndex(key) && (at === undefined || Array.isArray(at));
    const length = Array.isArray(at) ? at.length : 0;
    if (isList && Number(key) > length) {
      const path = keys.slice(0, i).join('.');
      return {
        path,
        message: t(
          'The list has {0} entries. Use {1} to add an entry.',
          length,
          `${path}.${length}`,
        ),
      };
    }
    at = Array.isArray(at)
      ? (at as unknown[])[Number(key)]
      : isRecord(at)
        ? own(at, key)
        : undefined;
  }
  return null;
}

const own = (record: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(record, key) ? record[key] : undefined;

/** Assigns a value at a path. An index refers to an entry of a list, or to the end of the list. */
function assign(target: unknown, keys: readonly string[], value: unknown): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  if (isIndex(key) && (target === undefined || Array.isArray(target))) {
    const list: readonly unknown[] = target ?? [];
    const entry = assign(list[Number(key)], rest, value);
    return [...list.slice(0, Number(key)), entry, ...list.slice(Number(key) + 1)];
  }
  const record = isRecord(target) ? target : {};
  return {
    ...record,
    [key]: assign(own(record, key), rest, value),
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parseLiteral(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
