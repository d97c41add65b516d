/**
 * Runs a tier of the tests and lists the slowest files. Except for the fast tier, missing tools are
 * installed first (scripts/install).
 *
 * - `npm run test:fast`: pure tests.
 * - `npm test`: types, lint and format; tests in Node, in a browser and on Dawn; tests in a real VS
 * Code; end-to-end tests.
 * - `npm run test:all`: additionally the tests in test/long.
 *
 * node out/scripts/test.js [--tier fast|default|all] [--only STAGE] [--record]
 *
 * `--record` writes the seconds of each stage and test file to bench/test-times.json, which orders
 * later runs.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { ensureInstalled } from './install/index';
import { RECORDED_TIMES, sum, type Tally } from './tests/mocha';
import { STAGES, TIERS, type Tier } from './tests/stages';

const NUM_SLOWEST = 10;

const valueOf = (flag: string): string | undefined => {
  const at = process.argv.indexOf(flag);
  return at < 0 ? undefined : process.argv[at + 1];
};

const isTier = (name: string): name is Tier => (TIERS as readonly string[]).includes(name);
const tier = valueOf('--tier') ?? 'default';
if (!isTier(tier)) throw new Error(`--tier must be one of ${TIERS.join(', ')}, got ${tier}.`);
const only = valueOf('--only');
const chosen = STAGES.filter(({ name, tiers }) =>
  only === undefined ? tiers.includes(tier) : name === only,
);
if (chosen.length === 0)
  throw new Error(`--only must be one of ${STAGES.map(({ name }) => name).join(', ')}.`);

const times = path.join(tmpdir(), `gemm-test-times-${process.pid}.json`);
const environment = {
  GEMM_TEST_TIMES: times,
  GEMM_TEST_DEPTH: tier === 'all' ? 'whole' : 'sample',
};

if (tier !== 'fast') await ensureInstalled();
const began = performance.now();
const tallies: Tally[] = [];
const stageSeconds: Record<string, number> = {};
for (const { name, run } of chosen) {
  console.log(`\n== ${name}`);
  const from = performance.now();
  tallies.push(await run(environment));
  stageSeconds[name] = Number(((performance.now() - from) / 1000).toFixed(1));
  console.log(`== ${name}: ${stageSeconds[name]} s`);
}
const seconds = Number(((performance.now() - began) / 1000).toFixed(1));
const { passed, failed, skipped, failures } = sum(tallies);
reportTimes();
for (const failure of failures) console.log(`\n== FAILED\n${failure}`);
console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed === 0 ? 0 : 1;

function reportTimes(): void {
  const files = existsSync(times)
    ? (JSON.parse(readFileSync(times, 'utf8')) as Readonly<Record<string, number>>)
    : {};
  rmSync(times, { force: true });
  const slowest = Object.entries(files)
    .sort(([, left], [, right]) => right - left)
    .slice(0, NUM_SLOWEST);
  console.log(`\n${seconds} s on ${availableParallelism()} cores. The slowest files:`);
  for (const [file, value] of slowest) console.log(`${value.toFixed(1).padStart(7)} s  ${file}`);
  if (!process.argv.includes('--record')) return;
  const before = existsSync(RECORDED_TIMES)
    ? (JSON.parse(readFileSync(RECORDED_TIMES, 'utf8')) as {
        readonly tiers?: object;
        readonly files?: object;
      })
    : {};
  const run = {
    at: new Date().toISOString(),
    command: `node out/scripts/${process.argv
      .slice(1)
      .join(' ')
      .replace(/^.*test\.js/, 'test.js')}`,
    cpu: cpus()[0]?.model,
    cores: availableParallelism(),
    seconds,
    stageSeconds,
    passed,
    failed,
    skipped,
    slowest: Object.fromEntries(slowest),
  };
  const record = {
    tiers: { ...before.tiers, [only ?? tier]: run },
    files: { ...before.files, ...files },
  };
  writeFileSync(RECORDED_TIMES, `${JSON.stringify(record, null, 2)}\n`);
}
