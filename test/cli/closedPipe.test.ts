/**
 * A reader that closes early, such as `head -1`, changes no exit code: the command goes on to its
 * own end.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { found, inFolder, spec, WITHOUT_TOOLS } from './cli';
import { bash, RUN, withoutReader } from './hostile';

const ILLEGAL = spec({
  algorithm: 'thread-tile-2d',
  block: { m: 128, n: 128, k: 8 },
  thread: { m: 3, n: 4 },
});

/** Adds one where the product ends. */
const WRONG = `// @gemm {"problem":{"m":32,"n":32,"k":32},"grid":[1,1],"block":[32,32],"args":["a","b","c"]}
extern "C" __global__ void wrong(const float *a, const float *b, float *c) {
  float sum = 1.0f;
  for (int i = 0; i < 32; i++) sum += a[threadIdx.y * 32 + i] * b[i * 32 + threadIdx.x];
  c[threadIdx.y * 32 + threadIdx.x] = sum;
}
`;

describe('a reader that closes early', () => {
  before(function () {
    if (process.platform === 'win32') this.skip();
  });

  const cases: readonly (readonly [string, number, readonly string[], string])[] = [
    ['check of a legal spec', 0, ['check', '-'], spec()],
    ['check of an illegal spec', 1, ['check', '-'], ILLEGAL],
    ['run of a correct kernel', 0, ['run', '-', '--backend', 'simulate'], spec()],
    ['run of an illegal spec', 2, ['run', '-', '--backend', 'simulate'], ILLEGAL],
    ['tune of an unusable spec', 2, ['tune', '-'], '{'],
    ['devices', 0, ['devices'], ''],
  ];
  for (const [what, code, args, input] of cases) {
    for (const more of [[], ['--json']]) {
      it(`keeps exit code ${code}: ${[what, ...more].join(' ')}`, () => {
        const ran = withoutReader([...args, ...more], { input, env: WITHOUT_TOOLS });
        assert.equal(ran.code, code, ran.stderr);
      });
    }
  }

  it('keeps exit code 3 of bench --against, and what it writes elsewhere', () =>
    inFolder(async folder => {
      const [runs, report] = [path.join(folder, 'runs.jsonl'), path.join(folder, 'gate.xml')];
      writeFileSync(runs, `${RUN}\n`);
      const args = ['bench', '-', '--backend', 'cuda', '--against', runs, '--junit', report];
      for (const more of [[], ['--json']]) {
        const ran = withoutReader([...args, ...more], { input: spec(), env: WITHOUT_TOOLS });
        assert.equal(ran.code, 3, ran.stderr);
        assert.match(readFileSync(report, 'utf8'), /tests="1"/);
      }
      await Promise.resolve();
    }));

  it('lets ladder go on to its last rung', () => {
    const input = spec(undefined, { problem: { m: 32, n: 32, k: 32 } });
    const args = ['ladder', '-', '--backend', 'simulate', '--json'];
    const ran = withoutReader(args, { input });
    assert.equal(ran.code, 0, ran.stderr);
    const rungs = [...ran.stderr.matchAll(/^(\d+) of (\d+):/gm)];
    const [, last, all] = rungs.at(-1) ?? [];
    assert.ok(rungs.length > 1, ran.stderr);
    assert.equal(last, all);
  }).timeout(120_000);

  it('keeps exit code 2 of a batch whose bad line comes after the reader has left', () => {
    const line =
      '{"computeCapability":"9.0","threadsPerBlock":64,"registersPerThread":32,"sharedBytesPerBlock":0}\n';
    const input = `${line.repeat(5000)}no case\n`;
    const ran = bash('set -o pipefail; "$@" | head -1', ['occupancy', '--batch', '-'], { input });
    assert.equal(ran.code, 2, ran.stderr);
    assert.equal(ran.stdout.trimEnd().split('\n').length, 1);
  });

  it('keeps exit code 1 of a wrong kernel in a pipeline (needs g++ or clang++)', async function () {
    if (!(await found('cxx'))) return this.skip();
    await inFolder(async folder => {
      const file = path.join(folder, 'wrong.cu');
      writeFileSync(file, WRONG);
      for (const more of [[], ['--json']]) {
        const ran = bash('set -o pipefail; "$@" | true', [
          'run',
          file,
          '--backend',
          'cpu',
          ...more,
        ]);
        assert.equal(ran.code, 1, ran.stderr);
      }
      await Promise.resolve();
    });
  }).timeout(120_000);
});
