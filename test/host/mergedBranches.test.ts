/**
 * Ten branches that measure, delete and adopt at the same time, merged by git in random order.
 * Needs git.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { rowsText } from '../../src/core/defaults/dispatch/row';
import { parseAdopted } from '../../src/core/defaults/dispatch/rowLines';
import { deletionLine, runLine } from '../../src/core/measure/historyLine';
import { adoptRow, readRows, rowsFileOf } from '../../src/host/dispatch';
import { appendLines } from '../../src/host/runHistoryFiles';
import { row } from '../core/defaults/dispatch/tables';
import { runs as depth } from '../helpers/depth';
import { measurement } from '../helpers/history';
import { readHistory } from '../helpers/runs';
import { hostileFolder } from './support';

const hasGit = spawnSync('git', ['--version']).status === 0;
const BRANCHES = 10;

/** Work of one branch: runs and deletions, then adoptions, then an edit of the files. */
const work = fc.record({
  runs: fc.array(
    fc.record({ file: fc.constantFrom('a', 'b', 'c'), copies: fc.integer({ min: 1, max: 3 }) }),
    {
      maxLength: 3,
    },
  ),
  deletes: fc.array(fc.nat({ max: 4 }), { maxLength: 2 }),
  adopts: fc.array(
    fc.record({ size: fc.integer({ min: 1, max: 3 }), gflops: fc.integer({ min: 1, max: 9 }) }),
    { maxLength: 3 },
  ),
  ending: fc.constantFrom('lf', 'crlf', 'no newline'),
});
const team = fc.record({
  base: fc.constantFrom('nothing', 'runs', 'old rows'),
  branches: fc.array(work, { minLength: BRANCHES, maxLength: BRANCHES }),
  order: fc.shuffledSubarray(
    Array.from({ length: BRANCHES }, (_, i) => i),
    { minLength: BRANCHES },
  ),
  /** Whether each branch is first merged into the next one in the order. */
  chained: fc.boolean(),
});

describe(`ten branches with runs and adopted schedules${hasGit ? '' : ' (needs git)'}`, () => {
  before(function () {
    if (!hasGit) this.skip();
  });

  it('are merged by git in any order without a conflict, and no line is lost', async () => {
    await fc.assert(
      fc.asyncProperty(team, async ({ base, branches, order, chained }) => {
        const { path: root, remove } = hostileFolder();
        try {
          const git = (...args: readonly string[]): void => {
            const ran = gitIn(root, args);
            assert.equal(ran.status, 0, `git ${args.join(' ')}: ${ran.stdout}${ran.stderr}`);
          };
          const commit = (): void => {
            git('add', '-A');
            git('commit', '--quiet', '--allow-empty', '-m', 'work');
          };
          const written = new Set<string>();
          const deleted = new Set<string>();
          git('init', '--quiet', '--initial-branch=main');
          fs.writeFileSync(path.join(root, 'README'), 'x\n');
          await begin(root, base, written);
          commit();
          for (const [index, one] of branches.entries()) {
            git('checkout', '--quiet', '-b', `b${index}`, 'main');
            await doWork(root, `b${index}`, one, written, deleted);
            for (const file of filesIn(root)) {
              if (file.endsWith('dispatch.jsonl'))
                for (const line of linesOf(file)) written.add(line);
            }
            edit(root, one.ending);
            commit();
          }
          git('checkout', '--quiet', 'main');
          for (const [at, index] of order.entries()) {
            const next = order[at + 1];
            if (chained && next !== undefined) {
              git('checkout', '--quiet', `b${next}`);
              git('merge', '--quiet', '--no-edit', `b${index}`);
              git('checkout', '--quiet', 'main');
            }
            git('merge', '--quiet', '--no-edit', `b${index}`);
          }
          const merged = new Set(filesIn(root).flatMap(linesOf));
          assert.deepEqual(
            [...written].filter(line => !merged.has(line)),
            [],
            'no lost line',
          );
          const { runs, damaged } = await readHistory(root);
          assert.deepEqual(damaged, []);
          const live = [...written]
            .map(line => (JSON.parse(line) as { id?: string }).id)
            .filter(id => id !== undefined && !deleted.has(id));
          assert.deepEqual(runs.map(({ id }) => id).sort(), live.sort());
          const read = await readRows(root);
          assert.ok(read.ok);
          assert.deepEqual(read.problems, []);
          const adoptions = [...written].filter(line => /^\{"(revision|migrated)"/.test(line));
          const old = base === 'old rows' ? OLD : undefined;
          assert.deepEqual(read.rows, parseAdopted({ lines: adoptions.join('\n'), old }).rows);
        } finally {
          remove();
        }
      }),
      depth(24, 3),
    );
  }).timeout(900_000);

  it('are rebased without a conflict, and no line is lost', async () => {
    const { path: root, remove } = hostileFolder();
    try {
      const git = (...args: readonly string[]): void => {
        const ran = gitIn(root, args);
        assert.equal(ran.status, 0, ran.stderr);
      };
      let adopted = 0;
      const add = async (id: string): Promise<void> => {
        await appendLines(root, 'k.jsonl', [runLine(id, measurement('k'))]);
        await adoptRow(root, row(64, 100 + ++adopted));
        git('add', '-A');
        git('commit', '--quiet', '-m', id);
      };
      git('init', '--quiet', '--initial-branch=main');
      await add('base');
      git('checkout', '--quiet', '-b', 'other');
      await add('right');
      await add('right-2');
      git('checkout', '--quiet', 'main');
      await add('left');
      git('checkout', '--quiet', 'other');
      git('rebase', '--quiet', 'main');
      const { runs, damaged } = await readHistory(root);
      assert.deepEqual(runs.map(({ id }) => id).sort(), ['base', 'left', 'right', 'right-2']);
      assert.deepEqual(damaged, []);
      assert.equal(linesOf(rowsFileOf(root)).length, 4);
    } finally {
      remove();
    }
  }).timeout(60_000);
});

const OLD = rowsText([row(64, 5), row(128, 2)]);

function gitIn(root: string, args: readonly string[]) {
  const own = ['-c', 'user.name=t', '-c', 'user.email=t@localhost', '-c', 'commit.gpgsign=false'];
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  return spawnSync('git', [...own, ...args], { cwd: root, env, encoding: 'utf8' });
}

type Work = typeof work extends fc.Arbitrary<infer T> ? T : never;

async function begin(root: string, base: string, written: Set<string>): Promise<void> {
  if (base === 'runs') {
    for (let i = 0; i < 5; i++) await addRun(root, 'a', `base-${i}`, written);
  }
  if (base === 'old rows') {
    fs.mkdirSync(path.join(root, '.gemm'));
    fs.writeFileSync(path.join(root, '.gemm', 'dispatch.json'), OLD);
  }
}

async function addRun(root: string, file: string, id: string, written: Set<string>): Promise<void> {
  const line = runLine(id, measurement(file));
  written.add(line);
  assert.ok('written' in (await appendLines(root, `${file}.jsonl`, [line])));
}

async function doWork(
  root: string,
  branch: string,
  { runs, deletes, adopts }: Work,
  written: Set<string>,
  deleted: Set<string>,
): Promise<void> {
  for (const [index, { file, copies }] of runs.entries()) {
    for (let copy = 0; copy < copies; copy++)
      await addRun(root, file, `${branch}-${index}-${copy}`, written);
  }
  const { runs: present } = await readHistory(root);
  for (const index of deletes) {
    const id = present[index % Math.max(1, present.length)]?.id;
    if (id === undefined) continue;
    deleted.add(id);
    written.add(deletionLine(id));
    await appendLines(root, 'a.jsonl', [deletionLine(id)]);
  }
  for (const { size, gflops } of adopts) {
    assert.ok('written' in (await adoptRow(root, row(64 * size, gflops))));
  }
}

const linesOf = (file: string): readonly string[] =>
  fs.readFileSync(file, 'utf8').split(/\r?\n/).filter(Boolean);

/** The files of lines: runs and adopted schedules. */
function filesIn(root: string): readonly string[] {
  const folder = path.join(root, '.gemm');
  if (!fs.existsSync(folder)) return [];
  const names = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter(name => name.endsWith('.jsonl')).map(name => path.join(folder, name));
}

/** An editor may save with other line ends, or without the last one. */
function edit(root: string, ending: Work['ending']): void {
  for (const file of filesIn(root)) {
    const text = fs.readFileSync(file, 'utf8');
    if (ending === 'crlf') fs.writeFileSync(file, text.replace(/\r?\n/g, '\r\n'));
    if (ending === 'no newline') fs.writeFileSync(file, text.trimEnd());
  }
}
