/**
 * Reads the JSON output of nvbench. A state is a shape if it has the axes m, n and k. Older
 * versions list summaries by name, newer versions by `tag`; both are read.
 */
import { t } from '@vscode/l10n';
import * as v from 'valibot';
import { positiveInteger, positiveNumber } from './csv';
import { operandsOf } from './plainList';
import { issue, type FileTime, type ReadShape } from './shape';

const value = v.union([v.number(), v.string()]);
const named = v.looseObject({ name: v.string(), value });
const state = v.looseObject({
  axis_values: v.nullish(v.array(named)),
  summaries: v.nullish(v.unknown()),
  is_skipped: v.nullish(v.boolean()),
});
const benchmark = v.looseObject({ name: v.string(), states: v.nullish(v.array(v.unknown())) });
const results = v.looseObject({ benchmarks: v.array(v.unknown()) });
type State = v.InferOutput<typeof state>;
export type Nvbench = v.InferOutput<typeof results>;

export const isNvbench = (given: unknown): given is Nvbench => v.is(results, given);

export const readNvbench = ({ benchmarks }: Nvbench): readonly ReadShape[] =>
  benchmarks.flatMap((given, index) => {
    const place = `benchmarks[${index}]`;
    const found = v.safeParse(benchmark, given);
    if (!found.success) return [unreadable(place)];
    const { name, states } = found.output;
    return (states ?? []).map((one, i) => shapeOf(one, name, `${place}.states[${i}]`));
  });

const unreadable = (place: string) =>
  issue('malformed', place, t('The entry does not have the fields of nvbench.'));

/** Names of axes, in lower case. */
const AXES = {
  m: ['m'],
  n: ['n'],
  k: ['k'],
  batch: ['batch', 'batch_count'],
  dtype: ['dtype', 'type', 't', 'precision'],
  layoutA: ['layouta', 'layout_a'],
  layoutB: ['layoutb', 'layout_b'],
  layoutC: ['layoutc', 'layout_c'],
} as const;
type Axis = keyof typeof AXES;

function shapeOf(given: unknown, name: string, place: string): ReadShape {
  const found = v.safeParse(state, given);
  if (!found.success) return unreadable(place);
  const axes = found.output.axis_values ?? [];
  const textOf = (axis: string): string | undefined => {
    const names: readonly string[] = Object.hasOwn(AXES, axis) ? AXES[axis as Axis] : [];
    const one = axes.find(each => names.includes(each.name.toLowerCase()));
    return one === undefined ? undefined : String(one.value);
  };
  const [m, n, k] = ['m', 'n', 'k'].map(axis => positiveInteger(textOf(axis)));
  if (m === undefined || n === undefined || k === undefined) {
    const listed = axes.map(axis => axis.name).join(', ');
    return issue(
      'unsupported',
      place,
      t('{0} has no axes m, n and k with positive integers; its axes are {1}.', name, listed),
    );
  }
  const batch = positiveInteger(textOf('batch') ?? '1');
  const operands = operandsOf(textOf);
  if (batch === undefined) return unreadable(place);
  if (typeof operands === 'string') return issue('unsupported', place, operands);
  return {
    problem: { m, n, k, ...(batch === 1 ? {} : { batch }), ...operands },
    weight: 1,
    place,
    name,
    omitted: [],
    ...timeOf(found.output, name),
  };
}

const MEAN_GPU_TIME = ['nv/cold/time/gpu/mean', 'Average GPU Time (Cold)'];
const summary = v.looseObject({
  tag: v.nullish(v.string()),
  data: v.nullish(v.array(v.unknown())),
  values: v.nullish(v.array(v.unknown())),
});

/** Returns the mean GPU time of a state, which nvbench writes in seconds. */
function timeOf({ summaries, is_skipped }: State, kernel: string): { readonly time?: FileTime } {
  if (is_skipped === true || typeof summaries !== 'object' || summaries === null) return {};
  for (const [key, given] of Object.entries(summaries)) {
    const found = v.safeParse(summary, given);
    if (!found.success || !MEAN_GPU_TIME.includes(found.output.tag ?? key)) continue;
    const values = found.output.data ?? found.output.values ?? [];
    const mean = values.find(each => v.is(named, each) && each.name === 'value');
    const seconds = v.is(named, mean) ? positiveNumber(String(mean.value)) : undefined;
    if (seconds !== undefined) return { time: { milliseconds: 1000 * seconds, kernel } };
  }
  return {};
}
