/** `bench --against`: what it refuses, and what it says where nothing can be measured. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cli, inFolder, jsonOf, spec, WITHOUT_TOOLS } from './cli';

const RUN = JSON.stringify({
  specKey: 'k',
  kernelKey: 'x',
  resolved: null,
  backend: 'cuda',
  outcome: 'unavailable',
  device: { name: 'H200', adapter: '9.0', driver: '1', where: 'cli' },
  verification: { reference: 'none', maxError: null, bound: null, mismatches: 0, samples: 0 },
});

describe('bench --against', () => {
  const withFile = (text: string, use: (file: string, folder: string) => Promise<void>) =>
    inFolder(async folder => {
      const file = path.join(folder, 'runs.jsonl');
      writeFileSync(file, text);
      await use(file, folder);
    });
  const bench = (args: readonly string[], input = spec()) =>
    cli(['bench', ...args, '--backend', 'cuda', '--json'], input, { env: WITHOUT_TOOLS });

  it('reports the line of an edited or truncated record', () =>
    withFile(`${RUN}\n${RUN.slice(0, 50)}`, async file => {
      const ran = await bench(['-', '--against', file]);
      assert.equal(ran.code, 2);
      assert.match(ran.stderr, /runs\.jsonl, line 2/);
      assert.match(ran.stderr, /The line is truncated\./);
    }));

  it('exits with 3 if nothing could be measured, and writes JUnit XML', () =>
    withFile(`${RUN}\n`, async (file, folder) => {
      const [report, one] = [path.join(folder, 'gate.xml'), path.join(folder, 'one.gemm.json')];
      writeFileSync(one, spec());
      const ran = await bench([
        one,
        '-',
        '--against',
        file,
        '--max-slowdown',
        '2.5%',
        '--junit',
        report,
      ]);
      assert.equal(ran.code, 3, ran.stderr);
      const said = jsonOf(ran) as {
        ok: boolean;
        maxSlowdownPercent: number;
        results: { verdict: string }[];
      };
      assert.deepEqual([said.ok, said.maxSlowdownPercent], [false, 2.5]);
      assert.deepEqual(
        said.results.map(({ verdict }) => verdict),
        ['not-measured', 'not-measured'],
      );
      assert.match(readFileSync(report, 'utf8'), /tests="2" failures="0" errors="2" skipped="0"/);
    }));

  it('rejects invalid options and files', () =>
    withFile(`${RUN}\n`, async (file, folder) => {
      const refused = async (...args: readonly string[]) => {
        const ran = await bench(args);
        assert.equal(ran.code, 2, ran.stderr);
        return ran.stderr;
      };
      assert.match(
        await refused('-', '--against', file, '--max-slowdown', 'much'),
        /percentage such as 3%/,
      );
      assert.match(await refused('-', '--junit', 'x.xml'), /require --against/);
      assert.match(await refused('-', 'b.gemm.json'), /Cannot read b\.gemm\.json/);
      assert.match(await refused('-', '--against', path.join(folder, 'none')), /could not be read/);
      assert.ok(!existsSync('x.xml'));
    }));
});
