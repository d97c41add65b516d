/** `seed`: lists the tutorials, reproduces their figures, and refuses unusable input. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cli, found, jsonOf, WITHOUT_TOOLS } from './cli';

interface SeedReport {
  readonly seed: string;
  readonly holds: boolean;
  readonly counts: Readonly<Record<string, number>>;
  readonly rows: readonly {
    readonly item: string;
    readonly id: string;
    readonly seed: string | number;
    readonly ours: string | number | null;
    readonly verdict: string;
    readonly required: boolean;
    readonly why?: string;
  }[];
  readonly rates: readonly {
    readonly size: number;
    readonly kind: string;
    readonly theirs: { readonly gflops: number } | null;
    readonly predicted: { readonly gflops: number } | null;
  }[];
}

const NAMES = ['hierarchy', 'cute', 'ratios', 'worklog', 'loops'];

describe('seed', function () {
  this.timeout(60_000);
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'gemm-seed-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const reportOf = async (...args: string[]): Promise<SeedReport> => {
    const ran = await cli(['seed', ...args, '--json'], '', { env: WITHOUT_TOOLS });
    assert.equal(ran.code, 0, ran.stderr);
    return jsonOf(ran) as SeedReport;
  };

  it('lists the five tutorials without a name', async () => {
    const ran = await cli(['seed']);
    assert.equal(ran.code, 0);
    for (const name of NAMES) assert.match(ran.stdout, new RegExp(`^${name} +\\S`, 'm'));
    const { tutorials } = jsonOf(await cli(['seed', '--json'])) as {
      readonly tutorials: readonly { readonly name: string }[];
    };
    assert.deepEqual(
      tutorials.map(({ name }) => name),
      NAMES,
    );
  });

  for (const name of NAMES) {
    it(`reproduces ${name} without a GPU and without a compiler`, async () => {
      const { seed, holds, counts, rows, rates } = await reportOf(name);
      assert.deepEqual([seed, holds, counts['differs']], [name, true, 0]);
      assert.ok((counts['equal'] ?? 0) > 5);
      for (const { item, id, seed: theirs, verdict, required } of rows) {
        assert.match(id, /^00\d\.\d+ \S/, item);
        assert.notEqual(theirs, null);
        assert.ok(['equal', 'within', 'differs', 'not-measured'].includes(verdict), verdict);
        assert.ok(!required || verdict !== 'differs', item);
      }
      for (const { kind, predicted } of rates)
        assert.ok(kind === 'predicted' && predicted !== null && predicted.gflops > 0);
    });
  }

  it('names the missing compiler for the figures that need one', async () => {
    const { rows } = await reportOf('worklog');
    const missing = rows.filter(
      ({ verdict, why = '' }) => verdict === 'not-measured' && why.includes('nvcc'),
    );
    assert.deepEqual(
      missing.map(({ id }) => id.split(' ')[0]),
      ['003.3', '003.3', '003.25', '003.26', '003.27'],
    );
  });

  it('compiles the kernel of the worklog: registers, constant bytes and PTX', async function () {
    if (!(await found('nvcc'))) {
      this.test!.title += ' (skipped: no nvcc)';
      this.skip();
    }
    const ran = await cli(['seed', 'worklog', '--json']);
    assert.equal(ran.code, 0, ran.stderr);
    const { rows } = jsonOf(ran) as SeedReport;
    const verdictOf = (id: string) => rows.find(row => row.id.endsWith(` ${id}`))?.verdict;
    assert.deepEqual(['ptx', 'compiledFmas', 'compiledShared'].map(verdictOf), [
      'equal',
      'equal',
      'equal',
    ]);
    assert.match(verdictOf('registers') ?? '', /^(?:equal|differs)$/);
  });

  it('runs the kernels of the loops on the CPU', async function () {
    if (!(await found('cxx'))) {
      this.test!.title += ' (skipped: no C++ compiler)';
      this.skip();
    }
    const ran = await cli(['seed', 'loops', '--backend', 'cpu']);
    assert.equal(ran.code, 0, ran.stderr);
    assert.match(ran.stdout, /^Wrong elements at 100 x 70 x 50: .* 0 +0 +equal/m);
  });

  it('predicts the rates at other sizes and on another device', async () => {
    const { rates } = await reportOf('ratios', '--sizes', '512, 1024', '--device', 'rtx-3090');
    assert.deepEqual(
      rates.map(({ size, theirs }) => [size, theirs !== null]),
      Array.from({ length: 3 }, () => [
        [512, false],
        [1024, true],
      ]).flat(),
    );
  });

  it('prints Markdown', async () => {
    const ran = await cli(['seed', 'hierarchy', '--md', '-'], '', { env: WITHOUT_TOOLS });
    assert.equal(ran.code, 0);
    assert.match(ran.stdout, /^# A description of a simple GEMM hierarchy\n/);
    assert.match(ran.stdout, /^\| Block tile \| 8 x 32 x 6 \| 8 x 32 x 6 \| equal \|/m);
    assert.match(ran.stdout, /^```text\nfor i in range\(0, M, 8\):/m);
  });

  it('writes Markdown to a file, which is not replaced once it was edited', async () => {
    const file = path.join(folder, 'hierarchy.md');
    const write = () => cli(['seed', 'hierarchy', '--md', file, '--json']);
    const ran = await write();
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal((jsonOf(ran) as SeedReport).seed, 'hierarchy');
    const text = readFileSync(file, 'utf8');
    assert.match(text, /^# A description of a simple GEMM hierarchy\n/m);
    writeFileSync(file, `${text}A note of the user.\n`);
    assert.equal((await write()).code, 2);
    assert.match(readFileSync(file, 'utf8'), /A note of the user/);
  });

  it('writes the report and the kernels, and replaces only its own files', async () => {
    const write = (...args: string[]) => cli(['seed', 'loops', '--out', folder, ...args]);
    assert.equal((await write()).code, 0);
    const names = [
      '01-shared-tile-transposed.cu',
      '02-shared-tile-columns.cu',
      'loops.md',
      ...[1, 2, 3, 4].map(number => `loops${number}.py`),
    ];
    assert.deepEqual(readdirSync(folder).sort(), names);
    assert.equal((await write('--sizes', '512')).code, 0);
    const report = path.join(folder, 'loops.md');
    writeFileSync(report, `${readFileSync(report, 'utf8')}A note of the user.\n`);
    const refused = await write();
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /loops\.md: The file was edited and was left unchanged/);
    assert.match(readFileSync(report, 'utf8'), /A note of the user/);
    assert.equal((await write('--force')).code, 0);
    assert.doesNotMatch(readFileSync(report, 'utf8'), /A note of the user/);
  });

  const REFUSED: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['an unknown name', ['hierachy'], /Unknown tutorial "hierachy"\. Tutorials: hierarchy, cute/],
    ['a name of Object', ['__proto__'], /Unknown tutorial "__proto__"/],
    ['control characters in a name', ['\u001B[2J'], /Unknown tutorial "\\u001b\[2J"/],
    ['two names', ['cute', 'loops'], /does not accept "loops"/],
    ['a size of 0', ['ratios', '--sizes', '0'], /integers from 1 to 16384, got "0"/],
    ['a negative size', ['ratios', '--sizes=-5'], /got "-5"/],
    ['a size that is not an integer', ['ratios', '--sizes', '1024,1e3'], /got "1e3"/],
    ['an empty size', ['ratios', '--sizes', '1024,'], /got ""/],
    ['a size above the limit', ['ratios', '--sizes', '16385'], /got "16385"/],
    ['too many sizes', ['ratios', '--sizes', '1,2,3,4,5,6,7,8,9'], /at most 8 sizes, got 9/],
    ['sizes without rates', ['hierarchy', '--sizes', '64'], /has no rates\. Fix: omit --sizes/],
    ['an unknown device', ['ratios', '--device', 'pentium'], /Unknown device "pentium"/],
    ['an unknown backend', ['ratios', '--backend', 'metal'], /metal/],
    ['two formats', ['ratios', '--md', '-', '--json'], /--json and --md - both print/],
    ['options without a name', ['--md', 'x.md'], /--md requires a tutorial/],
  ];
  for (const [what, args, message] of REFUSED) {
    it(`refuses ${what}`, async () => {
      const ran = await cli(['seed', ...args]);
      assert.equal(ran.code, 2, ran.stderr);
      assert.match(ran.stderr, message);
    });
  }

  it('refuses an output folder that is a file, and leaves the file', async () => {
    const file = path.join(folder, 'file');
    writeFileSync(file, 'mine');
    const ran = await cli(['seed', 'loops', '--out', file]);
    assert.equal(ran.code, 2, ran.stderr);
    assert.equal(readFileSync(file, 'utf8'), 'mine');
  });

  it('names a missing backend', async () => {
    const ran = await cli(['seed', 'ratios', '--backend', 'cuda'], '', { env: WITHOUT_TOOLS });
    assert.equal(ran.code, 3);
  });
});
