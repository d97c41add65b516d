/** `regress` on real repositories. Needs git. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rowLine } from '../../src/core/defaults/dispatch/rowLines';
import type { RegressReport } from '../../src/core/measure/regress';
import { row, SMALL } from '../core/defaults/dispatch/tables';
import { cli, inFolder, jsonOf } from './cli';
import { addRun, hasGit, repository } from './repository';

const SPEC = JSON.stringify({ problem: { m: 64, n: 64, k: 64 }, targets: ['cuda'] });

const reportOf = (ran: Awaited<ReturnType<typeof cli>>): RegressReport =>
  jsonOf(ran) as RegressReport;

describe(`regress${hasGit ? '' : ' (needs git)'}`, () => {
  before(function () {
    if (!hasGit) this.skip();
  });

  it('compares two commits, and a commit with the work tree', () =>
    inFolder(async folder => {
      const { commit, git } = repository(folder);
      writeFileSync(path.join(folder, 'a.gemm.json'), SPEC);
      const checked = await cli(['check', path.join(folder, 'a.gemm.json'), '--json']);
      const key = (jsonOf(checked) as { specKey: string }).specKey;
      addRun(folder, key, 'one', 1);
      addRun(folder, 'mine', 'hand', 1);
      const first = commit();
      git('tag', 'v1');
      addRun(folder, key, 'two', 1.5);
      addRun(folder, key, 'three', 0.1, 'L4');
      const second = commit();
      const ran = await cli(['regress', 'v1', 'main', '--root', folder, '--json']);
      assert.equal(ran.code, 1, ran.stderr);
      const { before, after, rows, compared } = reportOf(ran);
      assert.deepEqual([before, after, compared], [first, second, 1]);
      assert.deepEqual(
        rows.map(({ name, device, verdict, ratio }) => [name, device, verdict, ratio]),
        [
          ['a.gemm.json', 'H200', 'slower', 1.5],
          ['a.gemm.json', 'L4', 'not-compared', undefined],
          ['mine', 'H200', 'not-compared', undefined],
        ],
      );
      assert.ok((rows[0]?.interval?.[0] ?? 0) > 1.4);
      const allowed = ['--max-slowdown', '60%'];
      assert.equal((await cli(['regress', 'v1', 'main', '--root', folder, ...allowed])).code, 0);
      addRun(folder, key, 'four', 1);
      const tree = await cli(['regress', 'main', '--root', folder, '--json']);
      assert.deepEqual([tree.code, reportOf(tree).after], [0, null]);
      assert.equal(reportOf(tree).rows[0]?.verdict, 'faster');
      const md = path.join(folder, 'r.md');
      const text = await cli(['regress', 'v1', 'main', '--root', folder, '--md', md]);
      assert.match(text.stdout, /^verdict +kernel.*\nslower +a\.gemm\.json/);
      assert.match(readFileSync(md, 'utf8'), /\| \*\*slower\*\* \| `a\.gemm\.json` \| H200 \|/);
      const piped = await cli(['regress', 'v1', 'main', '--root', folder, '--md', '-']);
      assert.match(piped.stdout, /^### GEMM kernels: /);
    }));

  it('pairs a spec whose adopted schedule changed, and survives damaged files', () =>
    inFolder(async folder => {
      const { commit } = repository(folder);
      const spec = path.join(folder, 'sub', 'a.gemm.json');
      mkdirSync(path.dirname(spec));
      writeFileSync(
        spec,
        JSON.stringify({ problem: { m: 4096, n: 4096, k: 4096 }, targets: ['cuda'] }),
      );
      const keyNow = async (): Promise<string> =>
        (jsonOf(await cli(['check', spec, '--json'])) as { specKey: string }).specKey;
      const one = await keyNow();
      addRun(folder, one, 'one', 2);
      const first = commit();
      const adopted = rowLine({ revision: 1, row: row(4096, 60_000, { schedule: SMALL }) });
      writeFileSync(path.join(folder, '.gemm', 'dispatch.jsonl'), `${adopted}\n`);
      const two = await keyNow();
      assert.notEqual(one, two);
      addRun(folder, two, 'two', 1);
      writeFileSync(path.join(folder, 'broken.gemm.json'), '{');
      writeFileSync(path.join(folder, '.gemm', 'runs', 'other.jsonl'), '<<<<<<< HEAD\n');
      const ran = await cli(['regress', first, commit(), '--root', folder, '--json']);
      assert.equal(ran.code, 0, ran.stderr);
      const [best] = reportOf(ran).rows;
      assert.deepEqual(
        [best?.name, best?.verdict, best?.before?.specKey, best?.after?.specKey],
        ['sub/a.gemm.json', 'faster', one, two],
      );
      assert.match(ran.stderr, /broken\.gemm\.json is not used/);
      assert.match(ran.stderr, /\.gemm\/runs\/other\.jsonl:1 is not used/);
    }));

  it('refuses names that are not commits, and folders without a repository', () =>
    inFolder(async folder => {
      const outside = await cli(['regress', 'main', '--root', folder]);
      assert.equal(outside.code, 2, outside.stderr);
      assert.match(outside.stderr, /not a git repository/);
      const { commit } = repository(folder);
      commit();
      for (const name of ['nothing', '--output=x', '-x', 'HEAD:README', '$(touch x)']) {
        const ran = await cli(['regress', '--root', folder, '--', name]);
        assert.equal(ran.code, 2, name);
      }
      assert.deepEqual(readdirSync(folder), ['.git']);
      const none = await cli(['regress', 'HEAD', '--root', folder]);
      assert.equal(none.code, 3, 'nothing is compared');
      assert.match(none.stdout, /Nothing compared/);
      const lacking = await cli(['regress', 'HEAD', '--root', folder], '', { env: { PATH: '' } });
      assert.equal(lacking.code, 3);
      assert.match(lacking.stderr, /No git on PATH\. Fix: install git\./);
    }));
});
