/** Formats the table of text-editor latencies from bench/editor.json. */
import * as v from 'valibot';

const schema = v.object({
  what: v.string(),
  command: v.string(),
  commit: v.string(),
  machine: v.string(),
  loadAverage: v.array(v.number()),
  results: v.array(
    v.object({
      name: v.string(),
      runs: v.number(),
      medianMs: v.number(),
      p95Ms: v.number(),
      budgetMs: v.optional(v.number()),
    }),
  ),
});

type Table = (head: readonly string[], rows: readonly (readonly string[])[]) => string;

export function editor(raw: unknown, table: Table): string {
  const { command, commit, machine, loadAverage, results } = v.parse(schema, raw);
  const rows = results.map(({ name, runs, medianMs, p95Ms, budgetMs }) => [
    name,
    String(runs),
    medianMs.toFixed(2),
    p95Ms.toFixed(2),
    String(budgetMs ?? ''),
  ]);
  return [
    table(['ms', 'n', 'median', 'p95', 'budget'], rows),
    '',
    `${machine}; load average ${loadAverage.join(', ')}; commit \`${commit}\`; \`${command}\`; raw: \`bench/editor.json\`.`,
  ].join('\n');
}
