/**
 * Collects the results of bench/src/sanitize/wgmma.sh in one record:
 * `node out/bench/sanitizeWgmma.js RESULTS [OUT.json]`
 *
 * The exit code is 1 in these cases:
 * - A tool reported an error or a warning, or it was not loaded in the runner.
 * - A kernel is missing or incorrect, or a kind has too few kernels.
 * - A run ended early.
 *
 * Reports of a tool are never filtered.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as v from 'valibot';
import { QUOTAS, type Kind } from './tensor/sanitizedKernels';

const headSchema = v.looseObject({
  type: v.literal('head'),
  command: v.string(),
  date: v.string(),
  commit: v.string(),
  device: v.string(),
});
const kernelSchema = v.looseObject({
  type: v.literal('random'),
  seed: v.number(),
  specKey: v.string(),
  outcome: v.string(),
  kinds: v.array(v.string()),
});
type Line = v.InferOutput<typeof kernelSchema>;

const [results, out = 'bench/h100-wgmma-sanitizer.json'] = process.argv.slice(2);
if (results === undefined) throw new Error('Expected sanitizeWgmma.js RESULTS [OUT.json].');
const text = (name: string): string => {
  const file = path.join(results, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};
const linesIn = (name: string): readonly unknown[] =>
  text(name)
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as unknown);
const kernelsIn = (name: string): readonly Line[] =>
  linesIn(name)
    .flatMap(line => {
      const found = v.safeParse(kernelSchema, line);
      return found.success ? [found.output] : [];
    })
    .sort((one, other) => one.seed - other.seed);

const failures: string[] = [];
const expected = kernelsIn('none.jsonl');
const head = v.parse(headSchema, linesIn('none.jsonl')[0]);
const wanted = Number(/--count (\d+)/.exec(head.command)?.[1] ?? NaN);
if (expected.length !== wanted) failures.push(`none: ${expected.length} of ${wanted} kernels ran.`);

/** Checks that the same kernels ran with correct results and that the process ended regularly. */
function checkRun(name: string, lines: readonly Line[]): void {
  const seeds = (all: readonly Line[]): string => all.map(({ seed }) => seed).join();
  if (seeds(lines) !== seeds(expected)) failures.push(`${name}: ${lines.length} kernels ran.`);
  for (const { seed, specKey, outcome } of lines)
    if (outcome !== 'correct') failures.push(`${name}: seed ${seed}, ${specKey}: ${outcome}`);
  const exits = [...text(`${name}.txt`).matchAll(/^exit code (\d+)$/gm)].map(([, exit]) => exit);
  if (exits.length === 0 || exits.some(exit => exit !== '0'))
    failures.push(`${name}: exit codes ${exits.join() || 'missing'}`);
}

const counts = Object.fromEntries(
  Object.keys(QUOTAS).map(kind => [
    kind,
    expected.filter(({ kinds }) => kinds.includes(kind)).length,
  ]),
) as Record<Kind, number>;
for (const [kind, fraction] of Object.entries(QUOTAS))
  if (counts[kind as Kind] < fraction * wanted) failures.push(`Too few kernels of ${kind}.`);
checkRun('none', expected);

const tools = text('tools.txt')
  .split('\n')
  .filter(Boolean)
  .map(tool => {
    const log = text(`${tool}.log`);
    const ran = kernelsIn(`${tool}.jsonl`);
    checkRun(tool, ran);
    const summaries = log.match(/[A-Z]+ SUMMARY: .*/g) ?? [];
    const isClean = (summary: string): boolean =>
      /SUMMARY: 0 (errors|hazards displayed \(0 errors, 0 warnings\))$/.test(summary.trim());
    if (summaries.length === 0) failures.push(`${tool}: the log has no summary.`);
    failures.push(...summaries.filter(one => !isClean(one)).map(one => `${tool}: ${one}`));
    // Every report is a paragraph whose lines start with this prefix.
    const reports = (log.match(/^=+ .*/gm) ?? []).filter(
      line => !/=+ (COMPUTE-SANITIZER|.* SUMMARY: .*)$/.test(line.trim()),
    );
    if (reports.length > 0) failures.push(`${tool}: ${reports.length} lines of reports`);
    const loaded = text(`${tool}.attached.txt`).split('\n').filter(Boolean);
    const attached = [...new Set(loaded.map(library => path.basename(library)))];
    if (!attached.some(library => library.includes('sanitizer')))
      failures.push(`${tool}: the tool was not loaded in the runner.`);
    return {
      tool,
      options: /^options (.*)$/m.exec(text(`${tool}.txt`))?.[1]?.trim() ?? '',
      seconds: [...text(`${tool}.txt`).matchAll(/^seconds (\d+)$/gm)].reduce(
        (sum, [, seconds]) => sum + Number(seconds),
        0,
      ),
      ran: ran.length,
      correct: ran.filter(({ outcome }) => outcome === 'correct').length,
      attached,
      summaries,
      reports: reports.slice(0, 200),
    };
  });
if (tools.length === 0) failures.push('No tool ran.');

const record = {
  what: 'Random wgmma kernels under compute-sanitizer, with their results compared with f64',
  command: 'bench/src/sanitize/wgmma.sh',
  selection: head.command.replace(/ --out \S+/, ''),
  date: head.date,
  commit: head.commit,
  machine: text('machine.txt').trim().split('\n'),
  device: head.device,
  count: expected.length,
  kinds: counts,
  tools,
  kernels: expected.map(({ seed, specKey, kinds }) =>
    `${seed} ${specKey} ${kinds.join(',')}`.trim(),
  ),
  failures,
};
writeFileSync(out, `${JSON.stringify(record, null, 1)}\n`);
for (const { tool, ran, correct, seconds, summaries } of tools)
  console.log(`${tool}: ${correct} of ${ran} correct, ${seconds} s, ${summaries.join('; ')}`);
console.log(`${JSON.stringify(counts)}; ${failures.length} failures: ${out}`);
for (const failure of failures) console.log(failure);
process.exitCode = failures.length === 0 ? 0 : 1;
