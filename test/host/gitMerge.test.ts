/** Two branches that measured and deleted runs, merged by git itself. Needs git. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { deletionLine, runLine } from '../../src/core/measure/historyLine';
import { appendLines } from '../../src/host/runHistoryFiles';
import { measurement, oldLine } from '../helpers/history';
import { readHistory } from '../helpers/runs';
import { hostileFolder } from './support';

const hasGit = spawnSync('git', ['--version']).status === 0;

describe(`two branches of a run history${hasGit ? '' : ' (needs git)'}`, () => {
  before(function () {
    if (!hasGit) this.skip();
  });
  let root: string;
  let remove: () => void;
  beforeEach(() => {
    ({ path: root, remove } = hostileFolder());
    git('init', '--quiet', '--initial-branch=main');
  });
  afterEach(() => {
    remove();
  });
  function git(...args: readonly string[]): number | null {
    const own = ['-c', 'user.name=t', '-c', 'user.email=t@localhost', '-c', 'commit.gpgsign=false'];
    const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
    return spawnSync('git', [...own, ...args], { cwd: root, env }).status;
  }
  const commit = (): void => {
    assert.equal(git('add', '-A'), 0);
    assert.equal(git('commit', '--quiet', '-m', 'runs'), 0);
  };
  const append = async (...lines: readonly string[]): Promise<void> => {
    assert.ok('written' in (await appendLines(root, 'k.jsonl', lines)));
  };
  const run = (id: string): string => runLine(id, { ...measurement('k'), message: id });
  const live = async (): Promise<readonly string[]> =>
    (await readHistory(root)).runs
      .map(({ measurement: { message, specKey } }) => message ?? specKey)
      .sort();
  it('merges without a conflict, keeps every run of both, and the deletions of both', async () => {
    const file = path.join(root, '.gemm', 'runs', 'k.jsonl');
    await append(oldLine('old'), run('a'), run('b'), run('c'));
    commit();
    git('checkout', '--quiet', '-b', 'other');
    await append(run('right'), deletionLine('b'), deletionLine('c'));
    // Another editor may have removed the last newline.
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').trimEnd());
    commit();
    git('checkout', '--quiet', 'main');
    await append(run('left'), deletionLine('a'), deletionLine('c'));
    commit();
    assert.equal(git('merge', '--quiet', '--no-edit', 'other'), 0);
    assert.deepEqual(await live(), ['left', 'old', 'right']);
    const { damaged } = await readHistory(root);
    assert.deepEqual(damaged, []);
    assert.doesNotMatch(fs.readFileSync(file, 'utf8'), /^[<>=]{7}/m);
  });

  it('survives conflict markers where the rule is missing', async () => {
    await append(run('a'), run('b'));
    fs.rmSync(path.join(root, '.gemm', '.gitattributes'));
    commit();
    git('checkout', '--quiet', '-b', 'other');
    await append(run('right'), deletionLine('a'));
    commit();
    git('checkout', '--quiet', 'main');
    await append(run('left'));
    commit();
    assert.equal(git('merge', '--quiet', '--no-edit', 'other'), 1, 'a conflict');
    assert.deepEqual(await live(), ['b', 'left', 'right']);
    assert.equal((await readHistory(root)).damaged.length, 3);
  });
});
