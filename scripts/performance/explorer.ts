/** Formats the table of latencies from a change to its frame, from bench/explorer.json. */
import * as v from 'valibot';

const milliseconds = v.pipe(v.number(), v.minValue(0));
const sample = {
  paintMs: milliseconds,
  lastMs: milliseconds,
  keyMs: milliseconds,
  deriveMs: v.nullable(milliseconds),
};
const changes = v.array(v.object({ kind: v.string(), ...sample }));

const schema = v.object({
  what: v.string(),
  command: v.string(),
  commit: v.string(),
  machine: v.string(),
  load: v.object({ before: v.array(v.number()), after: v.array(v.number()) }),
  browser: v.string(),
  isolated: v.boolean(),
  clockStepMs: milliseconds,
  floor: v.array(v.object(sample)),
  work: changes,
  atTick: changes,
  messages: v.object({
    characters: v.number(),
    ms: v.array(v.object({ handledMs: milliseconds, paintMs: milliseconds })),
  }),
  firstPaint: v.object({ paintMs: v.array(milliseconds) }),
});

type Table = (head: readonly string[], rows: readonly (readonly string[])[]) => string;

function quantile(values: readonly number[], part: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? NaN).toFixed(2);
}

const spread = (values: readonly number[]): readonly string[] => [
  String(values.length),
  quantile(values, 0.5),
  quantile(values, 0.95),
  quantile(values, 1),
];

export function explorer(raw: unknown, table: Table): string {
  const record = v.parse(schema, raw);
  const { work, atTick, floor, messages, firstPaint, load } = record;
  const kinds = [...new Set(work.map(({ kind }) => kind))];
  const paint = (of: readonly { readonly paintMs: number }[]) => of.map(({ paintMs }) => paintMs);
  const loads = [load.before[0] ?? NaN, load.after[0] ?? NaN].map(value => value.toFixed(1));
  return [
    `${record.what}; ${record.machine}, load average ${loads.join(' to ')}; Chromium ${record.browser}, clock resolution ${record.clockStepMs * 1000} µs.`,
    '',
    table(
      ['ms', 'changes', 'median', 'p95', 'largest', 'budget of p95'],
      [
        ['from the change to its painted frame', ...spread(paint(work)), '16'],
        ...kinds.map(kind => [
          `- ${kind}`,
          ...spread(paint(work.filter(change => change.kind === kind))),
          '',
        ]),
        ['from the change to its last frame', ...spread(work.map(({ lastMs }) => lastMs)), ''],
        [
          'from the keystroke to the last frame of the change',
          ...spread(work.map(({ keyMs }) => keyMs)),
          '',
        ],
        [
          'time in the core: check, plan, emit, analyze',
          ...spread(work.flatMap(({ deriveMs }) => deriveMs ?? [])),
          '2',
        ],
        ['a page that only copies a field', ...spread(paint(floor)), ''],
        ['including the wait for a 60 Hz tick', ...spread(paint(atTick)), ''],
      ],
    ),
    '',
    `A message with all ${(messages.characters / 1000).toFixed(0)} kB of runs takes ${quantile(
      messages.ms.map(({ handledMs }) => handledMs),
      0.5,
    )} ms to process; its frame is painted after ${quantile(paint(messages.ms), 0.5)} ms (medians of ${messages.ms.length}). First paint of a restored page: ${quantile(firstPaint.paintMs, 0.5)} ms (median of ${firstPaint.paintMs.length}).`,
    '',
    `Commit \`${record.commit}\`; \`${record.command}\`; raw: \`bench/explorer.json\`.`,
  ].join('\n');
}
