/**
 * Checks the wording of all text for users and developers. Prints each finding that
 * scripts/check/proseAllowed.json does not list, with its line and the standard wording, and fails
 * if there is one. `--count` prints only the number of findings per rule. `--sample` prints random
 * texts for review.
 *
 * node out/scripts/prose.js [--count] [--sample COUNT --seed N] [PATH PREFIX ...]
 */
import { execFileSync } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { proseFindings, proseOf, type ProseFinding } from './check/prose';
import { projectRoot } from './install/project';

interface Allowed {
  readonly file: string;
  readonly id: string;
  /** Part of the finding's text that identifies the finding. */
  readonly text: string;
  readonly why: string;
}

const CHECKED =
  /^(?:src|webview|shaders|scripts|docs|test\/golden|bench\/src|README\.md|CONTRIBUTING\.md|CHANGELOG\.md|bench\/README\.md|package\.json|package\.nls\.json)/;

const root = projectRoot();
const allowed = JSON.parse(
  readFileSync(path.join(root, 'scripts/check/proseAllowed.json'), 'utf8'),
) as readonly Allowed[];
const { values, positionals: prefixes } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'boolean', default: false },
    sample: { type: 'string' },
    seed: { type: 'string', default: `${randomInt(1_000_000)}` },
  },
});
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter(file => CHECKED.test(file) && !file.startsWith('scripts/check/prosePatterns'))
  .filter(file => existsSync(path.join(root, file)))
  .filter(file => prefixes.length === 0 || prefixes.some(prefix => file.startsWith(prefix)));
if (values.sample === undefined) check();
else sample(Number(values.sample), values.seed);

/**
 * Prints `count` texts of at least four words. The same seed gives the same sample of the same
 * texts.
 */
function sample(count: number, seed: string): void {
  const keyOf = (text: string): string =>
    createHash('sha256').update(`${seed} ${text}`).digest('hex');
  const texts = files.flatMap(file =>
    (proseOf(file, readFileSync(path.join(root, file), 'utf8')) ?? [])
      .filter(({ text }) => text.split(' ').length > 3)
      .map(({ line, text }) => ({ place: `${file}:${line}`, text, key: keyOf(`${file} ${text}`) })),
  );
  const chosen = texts.sort((one, other) => one.key.localeCompare(other.key)).slice(0, count);
  console.log(`Seed ${seed}: ${chosen.length} of ${texts.length} texts.`);
  for (const { place, text } of chosen) console.log(`${place}\t${text}`);
}

function check(): void {
  const isAllowed = ({ file, id, found }: ProseFinding): boolean =>
    allowed.some(
      entry => file.startsWith(entry.file) && entry.id === id && found.includes(entry.text),
    );
  const findings = files
    .flatMap(file => proseFindings(file, readFileSync(path.join(root, file), 'utf8')))
    .filter(finding => !isAllowed(finding));
  if (!values.count)
    for (const { file, line, id, found, advice } of findings)
      console.log(`${file}:${line} ${id}: "${found}". ${advice}`);
  const counts = new Map<string, number>();
  for (const { id } of findings) counts.set(id, (counts.get(id) ?? 0) + 1);
  for (const [id, count] of [...counts].sort()) console.log(`${String(count).padStart(6)} ${id}`);
  console.log(`${files.length} files, ${findings.length} findings, ${allowed.length} exceptions.`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
