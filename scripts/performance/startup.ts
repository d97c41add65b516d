/** Formats the tables of bench/startup.json: loading, activation and sizes. */
import * as v from 'valibot';
import { BUDGET_BYTES } from '../pack/budget';

const schema = v.object({
  what: v.string(),
  command: v.string(),
  commit: v.string(),
  machine: v.string(),
  sizes: v.record(v.string(), v.number()),
  runs: v.array(
    v.object({
      when: v.picklist(['command', 'startup']),
      loadMs: v.number(),
      activateMs: v.number(),
      coreMs: v.optional(v.number()),
      shownByVscode: v.string(),
      load: v.optional(v.number()),
    }),
  ),
});

type Table = (head: readonly string[], rows: readonly (readonly string[])[]) => string;

function statistics(values: readonly number[]): readonly string[] {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? NaN;
  const half = sorted.length / 2;
  const median = (at(Math.ceil(half) - 1) + at(Math.floor(half))) / 2;
  return [median, at(0), at(sorted.length - 1)].map(value => value.toFixed(1));
}

type Run = v.InferOutput<typeof schema>['runs'][number];

function times(when: string, runs: readonly Run[]): readonly (readonly string[])[] {
  const shown = runs.map(run => Number(/(\d+)ms/.exec(run.shownByVscode)?.[1]));
  const cores = runs.flatMap(({ coreMs }) => coreMs ?? []);
  const row = (name: string, values: readonly number[], budget: string): readonly string[] => [
    `${when}: ${name}`,
    String(values.length),
    ...statistics(values),
    budget,
  ];
  return [
    row(
      'load',
      runs.map(run => run.loadMs),
      '25',
    ),
    row(
      'activate',
      runs.map(run => run.activateMs),
      '10',
    ),
    row('total shown by VS Code', shown, ''),
    ...(cores.length === 0 ? [] : [row('core, loaded afterwards', cores, '')]),
  ];
}

export function startup(raw: unknown, table: Table): string {
  const { what, command, commit, machine, sizes, runs } = v.parse(schema, raw);
  const kB = (bytes: number): string => (bytes / 1000).toFixed(1);
  const loads = runs.flatMap(({ load }) => load ?? []);
  const budget = (name: string): string => {
    const bytes = BUDGET_BYTES[name];
    return bytes === undefined ? '' : kB(bytes);
  };
  return [
    `${what}. ${machine}${loads.length === 0 ? '' : `, load average ${Math.min(...loads)} to ${Math.max(...loads)}`}.`,
    '',
    table(
      ['ms', 'starts', 'median', 'smallest', 'largest', 'budget of the median'],
      [
        ...times(
          'by a command, VS Code idle',
          runs.filter(({ when }) => when === 'command'),
        ),
        ...times(
          'during VS Code startup',
          runs.filter(({ when }) => when === 'startup'),
        ),
      ],
    ),
    '',
    table(
      ['shipped file', 'kB', 'budget, kB'],
      Object.entries(sizes).map(([name, bytes]) => [`\`${name}\``, kB(bytes), budget(name)]),
    ),
    '',
    `Commit \`${commit.slice(0, 12)}\`; \`${command}\`; raw: \`bench/startup.json\`.`,
  ].join('\n');
}
