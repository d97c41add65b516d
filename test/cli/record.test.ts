/** `--record`: origin and order of stored runs. Needs git. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Measurement } from '../../src/core/measure/measurement';
import { cli, inFolder } from './cli';
import { hasGit, repository } from './repository';

const SPEC = JSON.stringify({ problem: { m: 64, n: 64, k: 64 }, targets: ['cuda'] });

describe(`runs that --record stores${hasGit ? '' : ' (needs git)'}`, () => {
  before(function () {
    if (!hasGit) this.skip();
  });
  const recorded = (folder: string): readonly Measurement[] => {
    const runs = path.join(folder, '.gemm', 'runs');
    return readdirSync(runs)
      .flatMap(name => readFileSync(path.join(runs, name), 'utf8').trim().split('\n'))
      .map(line => JSON.parse(line) as Measurement);
  };

  it('have commit, machine and order, and names only with --record-names', () =>
    inFolder(async folder => {
      const { commit } = repository(folder);
      const spec = path.join(folder, 'a.gemm.json');
      writeFileSync(spec, SPEC);
      const head = commit();
      const env = { ...process.env, XDG_CACHE_HOME: path.join(folder, 'cache') };
      const run = async (...args: readonly string[]): Promise<void> => {
        const all = [
          'run',
          spec,
          '--backend',
          'simulate',
          '--target',
          'cuda',
          '--record',
          folder,
          ...args,
        ];
        const ran = await cli(all, '', { env });
        assert.equal(ran.code, 0, ran.stderr);
        assert.match(ran.stderr, /Recorded in .*runs: 1\./);
      };
      await run();
      await run();
      writeFileSync(spec, `${SPEC}\n`);
      await run('--record-names');
      const [first, second, third] = recorded(folder).map(({ origin }) => origin);
      assert.match(first?.machine ?? 'none', /^[0-9a-f]{12}$/);
      assert.equal(second?.machine, first?.machine);
      assert.deepEqual([first?.commit, first?.dirty, first?.author], [head, false, undefined]);
      assert.equal(second?.dirty, false, 'files of .gemm do not count');
      assert.deepEqual([third?.dirty, third?.author], [true, 'Ada L.']);
      assert.notEqual(third?.machine, first?.machine);
      assert.ok((second.order ?? 0) > (first?.order ?? 0));
    }));

  it('need a folder, which is checked before anything runs', () =>
    inFolder(async folder => {
      const missing = path.join(folder, 'missing');
      const args = ['run', '-', '--backend', 'simulate'];
      const ran = await cli([...args, '--record', missing], SPEC);
      assert.equal(ran.code, 2);
      assert.match(ran.stderr, /is not a folder\. Fix: create it/);
      assert.match((await cli([...args, '--record-names'], SPEC)).stderr, /requires --record DIR/);
    }));
});
