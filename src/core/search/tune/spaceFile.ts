/**
 * Decodes a space file. An object such as `{"block.m": [64, 128], "stages": [2, 3], "padding":
 * [null, {"a": 4}]}` defines the Cartesian product of the listed values. The value null omits a
 * field; unlisted fields are taken from the spec. A list of schedules is also valid.
 */
import { t } from '@vscode/l10n';
import { decodeSpec, type SpecError } from '../../spec/decode';
import { duplicateKeys } from '../../spec/duplicateKeys';
import type { ResolvedProblem, ResolvedSchedule } from '../../spec/resolved';
import { completeSchedule } from '../../defaults/byShape';
import type { Schedule } from '../../spec/schema';
import { differingInOne } from './decisionDistance';
import { MAX_ENUMERATED, type TuneSpace } from './space';

export type DecodedSpace =
  | { readonly ok: true; readonly space: TuneSpace }
  | { readonly ok: false; readonly errors: readonly SpecError[] };

export interface SpaceBase {
  readonly problem: ResolvedProblem;
  readonly schedule: Schedule;
}

const MAX_LISTED = 100_000;
const MAX_VALUES = 1000;
/** Maximum number of schedules in a space whose schedules are all checked as neighbors. */
const MAX_CHECKED = 2 ** 15;

const NO_VARIANTS: Pick<TuneSpace, 'variants' | 'variantCount'> = {
  variants: schedule => [schedule],
  variantCount: () => 1,
};

export function parseSpace(text: string, base: SpaceBase): DecodedSpace {
  const plain = text.replace(/^\uFEFF/, '');
  let value: unknown;
  try {
    value = JSON.parse(plain);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return fail('', t('Not JSON: {0}', why));
  }
  const twice = duplicateKeys(plain);
  if (twice.length > 0) {
    const message = t('Duplicate field. Fix: keep only one occurrence.');
    return { ok: false, errors: twice.map(({ path }) => ({ path, message })) };
  }
  if (Array.isArray(value)) return listed(value, base);
  if (typeof value === 'object' && value !== null) return product(value, base);
  return fail(
    '',
    t('Expected an object of lists, such as {0}, or a list of schedules.', '{"stages": [2, 3]}'),
  );
}

const fail = (path: string, message: string): DecodedSpace => ({
  ok: false,
  errors: [{ path, message }],
});

function listed(values: readonly unknown[], { problem }: SpaceBase): DecodedSpace {
  if (values.length > MAX_LISTED) {
    return fail(
      '',
      t(
        'The list has {0} schedules; the maximum is {1}. Fix: list the values of each field instead.',
        values.length,
        MAX_LISTED,
      ),
    );
  }
  const members: ResolvedSchedule[] = [];
  const errors: SpecError[] = [];
  for (const [index, value] of values.entries()) {
    const decoded = decodeSchedule(value);
    if (decoded.ok) members.push(completeSchedule(decoded.schedule, problem));
    else errors.push(...decoded.errors.map(one => at(one, 'schedule', `[${index}]`)));
  }
  if (errors.length > 0) return { ok: false, errors: errors.slice(0, 20) };
  return {
    ok: true,
    space: {
      name: 'the list of schedules',
      size: members.length,
      ...NO_VARIANTS,
      walk: () => members,
      neighbours: schedule => differingInOne(members, NO_VARIANTS.variants, schedule),
    },
  };
}

type ScheduleResult =
  | { readonly ok: true; readonly schedule: Schedule }
  | { readonly ok: false; readonly errors: readonly SpecError[] };

function decodeSchedule(schedule: unknown): ScheduleResult {
  const decoded = decodeSpec({ problem: { m: 1, n: 1, k: 1 }, schedule });
  return decoded.ok ? { ok: true, schedule: decoded.spec.schedule ?? {} } : decoded;
}

const at = (error: SpecError, prefix: string, place: string): SpecError => ({
  ...error,
  path: error.path === prefix ? place : `${place}${error.path.slice(prefix.length)}`,
});

interface Axis {
  readonly path: readonly string[];
  readonly values: readonly unknown[];
}

const FIELD = /^[A-Za-z]+(\.[A-Za-z]+)?$/;

function product(fields: object, base: SpaceBase): DecodedSpace {
  const errors: SpecError[] = [];
  const axes: Axis[] = [];
  for (const [field, values] of Object.entries(fields) as [string, unknown][]) {
    const path = field.split('.');
    if (!FIELD.test(field) || !isField(path)) {
      errors.push({ path: field, message: t('Unknown field.') });
    } else if (!Array.isArray(values) || values.length === 0 || values.length > MAX_VALUES) {
      errors.push({ path: field, message: t('Expected a list of 1 to {0} values.', MAX_VALUES) });
    } else {
      errors.push(...wrongValues(field, path, values));
      axes.push({ path, values });
    }
  }
  if (errors.length > 0) return { ok: false, errors: errors.slice(0, 20) };
  const size = axes.reduce((count, { values }) => count * values.length, 1);
  if (!Number.isSafeInteger(size)) {
    return fail(
      '',
      t('The space has more than {0} schedules. Fix: list fewer values.', Number.MAX_SAFE_INTEGER),
    );
  }
  const { problem, schedule } = base;
  const member = (index: number): ResolvedSchedule => {
    let rest = index;
    let made: unknown = schedule;
    for (const { path, values } of axes) {
      made = assign(made, path, values[rest % values.length]);
      rest = Math.floor(rest / values.length);
    }
    return completeSchedule(made as Schedule, problem);
  };
  const indexOf = (of: ResolvedSchedule): number => {
    let [index, step] = [0, 1];
    for (const { path, values } of axes) {
      index += step * Math.max(0, digitOf(of, path, values));
      step *= values.length;
    }
    return index;
  };
  const walk = () => walked(size, member);
  return {
    ok: true,
    space: {
      name: 'the space file',
      size,
      walk,
      ...NO_VARIANTS,
      // A check of all schedules also finds neighbors with coupled fields, such as warp and thread
      // tiles.
      neighbours: one =>
        size <= MAX_CHECKED
          ? differingInOne(walk(), NO_VARIANTS.variants, one)
          : changedOnce(indexOf(one), axes, member),
    },
  };
}

/** Validates each value except null with the spec's decoder; rejects duplicates. */
function wrongValues(
  field: string,
  path: readonly string[],
  values: readonly unknown[],
): readonly SpecError[] {
  const seen = new Set<string>();
  return values.flatMap((value, index): readonly SpecError[] => {
    const place = `${field}[${index}]`;
    const text = JSON.stringify(value);
    if (seen.has(text))
      return [
        { path: place, message: t('This value is listed twice. Fix: remove one occurrence.') },
      ];
    seen.add(text);
    if (value === null) return [];
    const decoded = decodeSchedule(assign({}, path, value));
    const full = `schedule.${field}`;
    if (decoded.ok) return [];
    return decoded.errors.map(one =>
      one.path.startsWith(full)
        ? at(one, full, place)
        : {
            path: place,
            message: t(
              'This field requires the other {0} fields. Fix: list complete {0} values.',
              path[0] ?? field,
            ),
          },
    );
  });
}

/** Tests whether a field exists by decoding a value that no field accepts. */
function isField(path: readonly string[]): boolean {
  const decoded = decodeSchedule(assign({}, path, []));
  const full = ['schedule', ...path].join('.');
  const isUnknown = ({ rule, path: where }: SpecError): boolean =>
    rule === 'strict_object' && full.startsWith(where);
  return decoded.ok || !decoded.errors.some(isUnknown);
}

/**
 * Returns a copy with the field assigned. `null` removes the field, and an enclosing object that
 * becomes empty is removed.
 */
function assign(target: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const { [key]: old, ...others } = (target ?? {}) as Readonly<Record<string, unknown>>;
  const inside = rest.length === 0 ? value : assign(old, rest, value);
  const isEmpty = typeof inside === 'object' && inside !== null && Object.keys(inside).length === 0;
  return inside === null || (rest.length > 0 && isEmpty) ? others : { ...others, [key]: inside };
}

const valueAt = (target: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, key) => (value as Readonly<Record<string, unknown>> | undefined)?.[key],
    target,
  );

/**
 * Returns the index of the schedule's value in the listed values. For an unlisted value, returns
 * the index of null, or -1 if null is not listed.
 */
function digitOf(
  member: ResolvedSchedule,
  path: readonly string[],
  values: readonly unknown[],
): number {
  const found = valueAt(member, path);
  const given = values.findIndex(value => value !== null && matches(found, value));
  return given >= 0 ? given : values.indexOf(null);
}

/**
 * Returns whether `found` contains all fields of `value`. Resolution may have added omitted fields.
 */
const matches = (found: unknown, value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).every(([key, of]) => matches(valueAt(found, [key]), of))
    : found === value;

function* walked(
  size: number,
  member: (index: number) => ResolvedSchedule,
): Generator<ResolvedSchedule> {
  const step = size <= MAX_ENUMERATED ? 1 : size / MAX_ENUMERATED;
  for (let i = 0; i < Math.min(size, MAX_ENUMERATED); i++) yield member(Math.floor(i * step));
}

function* changedOnce(
  index: number,
  axes: readonly Axis[],
  member: (index: number) => ResolvedSchedule,
): Generator<ResolvedSchedule> {
  let step = 1;
  for (const { values } of axes) {
    const digit = Math.floor(index / step) % values.length;
    for (let other = 0; other < values.length; other++) {
      if (other !== digit) yield member(index + (other - digit) * step);
    }
    step *= values.length;
  }
}
