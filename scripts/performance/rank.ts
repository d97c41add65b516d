/** Reports the ranking time, and how accurately the time model orders measured schedules. */
import * as v from 'valibot';

const rankSchema = v.object({
  command: v.string(),
  commit: v.string(),
  machine: v.string(),
  planned: v.number(),
  scored: v.number(),
  ms: v.array(v.number()),
  cpuMs: v.array(v.number()),
  loadAverage: v.array(v.number()),
});
const judgedSchema = v.object({
  spearman: v.number(),
  spearmanBeforeCompiling: v.number(),
  rmsLog: v.number(),
  spearmanBySize: v.record(v.string(), v.number()),
  bestOfTop: v.record(v.string(), v.number()),
  points: v.array(v.unknown()),
});
const modelSchema = v.object({
  command: v.string(),
  commit: v.string(),
  fit: v.array(v.string()),
  judge: v.array(v.string()),
  fittedTo: judgedSchema,
  judgedOn: judgedSchema,
});

type Table = (head: readonly string[], rows: readonly (readonly string[])[]) => string;

const n = (value: number): string => value.toLocaleString('en-US');

export function rankTimes(given: unknown, table: Table): string {
  const { command, commit, machine, planned, scored, ms, cpuMs, loadAverage } = v.parse(
    rankSchema,
    given,
  );
  const [first = NaN, ...again] = cpuMs;
  return [
    table(
      [
        'schedules planned',
        'legal and scored',
        'CPU ms, fresh process',
        'CPU ms, repeated: minimum',
        'CPU ms, repeated: maximum',
        'wall ms',
      ],
      [
        [
          n(planned),
          n(scored),
          n(first),
          n(Math.min(...again)),
          n(Math.max(...again)),
          `${n(Math.min(...ms))} to ${n(Math.max(...ms))}`,
        ],
      ],
    ),
    '',
    `${machine}, load average ${loadAverage.join(', ')}; commit \`${commit.slice(0, 12)}\`; \`${command}\`; raw: \`bench/rank.json\`.`,
  ].join('\n');
}

export function timeModel(given: unknown, table: Table): string {
  const { command, commit, fit, judge, fittedTo, judgedOn } = v.parse(modelSchema, given);
  const row = (name: string, judged: typeof judgedOn): readonly string[] => [
    name,
    String(judged.points.length),
    judged.spearman.toFixed(3),
    judged.spearmanBeforeCompiling.toFixed(3),
    `${(100 * judged.rmsLog).toFixed(1)} %`,
  ];
  const sizes = Object.entries(judgedOn.spearmanBySize)
    .map(([size, value]) => `${size}: ${value.toFixed(3)}`)
    .join('; ');
  const tops = Object.entries(judgedOn.bestOfTop)
    .map(([size, value]) => `${size}: ${(100 * value).toFixed(1)} %`)
    .join('; ');
  const named = (files: readonly string[]): string =>
    files.map(file => `\`bench/${file}\``).join(' and ');
  return [
    table(
      ['runs', 'n', 'rank correlation', 'rank correlation before compilation', 'time error (rms)'],
      [row('fitted to', fittedTo), row('evaluated on', judgedOn)],
    ),
    '',
    `Rank correlation by size: ${sizes}. Fastest of the 16 best predictions, relative to the fastest measured schedule: ${tops}. Fitted to ${named(fit)}, evaluated on ${named(judge)}; commit \`${commit.slice(0, 12)}\`; \`${command}\`; raw: \`bench/time-model.json\`.`,
  ].join('\n');
}
