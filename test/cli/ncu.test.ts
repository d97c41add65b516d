/** `ncu`: a report's counters beside the analysis. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { page } from '../core/profile/ncu/page';
import { cli, inFolder, jsonOf, spec, WITHOUT_TOOLS } from './cli';

const NAIVE = { algorithm: 'naive', block: { m: 16, n: 16 } };
const SET = ['--set', 'problem={"m":64,"n":64,"k":64}'];
const LAUNCHED = {
  name: 'gemm_naive(int)',
  block: '(16, 16, 1)',
  grid: '(4, 4, 1)',
  capability: '9.0',
};

interface Row {
  readonly id: string;
  readonly verdict: string;
  readonly counted: { readonly value: number } | null;
}

describe('ncu', () => {
  it('reads a report and compares it', async () => {
    await inFolder(async folder => {
      const file = path.join(folder, 'report.csv');
      const metrics = {
        'dram__bytes_read.sum': ['Kbyte', '32.77'],
        'dram__bytes_write.sum': ['byte', '0'],
      } as const;
      writeFileSync(file, page(metrics, LAUNCHED));
      const args = ['ncu', '-', ...SET, '--report', file];
      const ran = await cli([...args, '--json'], spec(NAIVE));
      assert.equal(ran.code, 0, ran.stderr);
      const { rows } = jsonOf(ran) as { rows: readonly Row[] };
      assert.equal(rows.find(({ id }) => id === 'dram-bytes')?.counted?.value, 32_770);
      assert.equal(rows.find(({ id }) => id === 'duration')?.verdict, 'not compared');
      const text = await cli(args, spec(NAIVE));
      assert.match(text.stdout, /DRAM bytes +\d+ B +3.277e\+?4|DRAM bytes +\d+ B +32770 B/);
    });
  }).timeout(60_000);

  it('puts counters beside each access site', async () => {
    const naive = { algorithm: 'naive', block: { m: 32, n: 32 } };
    const problem = ['--set', 'problem={"m":1024,"n":1024,"k":1024}'];
    const args = ['ncu', '-', ...problem, '--source', 'bench/h200-source/naive.csv'];
    const ran = await cli(args, spec(naive));
    assert.equal(ran.code, 0, ran.stderr);
    assert.match(
      ran.stdout,
      /A load \+ B load +global load +67108864 +67108864 +equal +1107296256 +1107296256 +equal/,
    );
    const { kernel, sites } = jsonOf(await cli([...args, '--json'], spec(naive))) as {
      readonly kernel: unknown;
      readonly sites: readonly { readonly why: string }[];
    };
    assert.deepEqual([kernel, sites.map(({ why }) => why)], [null, ['', '']]);
  }).timeout(60_000);

  it('refuses with exit code 2 what is no report, and a report of another kernel', async () => {
    await inFolder(async folder => {
      const file = path.join(folder, 'report.csv');
      writeFileSync(file, 'm,n\n1,2\n');
      const none = await cli(['ncu', '-', ...SET, '--report', file], spec(NAIVE));
      assert.equal(none.code, 2);
      assert.match(none.stderr, /Not an Nsight Compute report.*ncu --csv --page raw/s);
      writeFileSync(file, page({ a__x: ['', '1'] }));
      const other = await cli(['ncu', '-', ...SET, '--report', file], spec(NAIVE));
      assert.equal(other.code, 2);
      assert.match(other.stderr, /no kernel gemm_naive\. Kernels: gemm/);
    });
  }).timeout(60_000);

  it('says with exit code 3 what this machine lacks to profile', async () => {
    const ran = await cli(['ncu', '-', ...SET], spec(NAIVE), { env: WITHOUT_TOOLS });
    assert.equal(ran.code, 3);
    assert.match(ran.stderr, /CUDA toolkit/);
  }).timeout(60_000);
});
