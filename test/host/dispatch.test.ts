import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { MAX_ROWS, rowsText } from '../../src/core/defaults/dispatch/row';
import { parseAdopted, rowLine } from '../../src/core/defaults/dispatch/rowLines';
import { adoptRow, findRowsRoot, readRows, rowsFileOf } from '../../src/host/dispatch';
import { row, SMALL } from '../core/defaults/dispatch/tables';
import { hostileFolder } from './support';

describe("a workspace's dispatch rows", () => {
  let root: string;
  let remove: () => void;
  beforeEach(() => {
    ({ path: root, remove } = hostileFolder());
  });
  afterEach(() => {
    remove();
  });
  const rowsNow = () => {
    const lines = readFileSync(rowsFileOf(root), 'utf8');
    const { rows, problems } = parseAdopted({ lines, old: undefined });
    assert.deepEqual(problems, []);
    return rows;
  };

  it('are none where there is no file, and found in the next folder above that has one', async () => {
    const below = path.join(root, 'a', 'b');
    mkdirSync(below, { recursive: true });
    const file = rowsFileOf(root);
    assert.deepEqual(await readRows(root), { ok: true, file, rows: [], problems: [] });
    assert.notEqual(await findRowsRoot(below), root);
    await adoptRow(root, row(64, 100));
    assert.equal(await findRowsRoot(below), root);
    assert.equal(await findRowsRoot(root), root);
  });

  it('are added to, an adopted one in the place of its point, and read back', async () => {
    const [one, two] = [row(4096, 50_000), row(2048, 40_000)];
    assert.deepEqual(await adoptRow(root, one), { written: rowsFileOf(root) });
    await adoptRow(root, two);
    assert.deepEqual(rowsNow(), [two, one], 'sorted by shape');
    const better = row(4096, 51_000, { schedule: SMALL });
    await adoptRow(root, better);
    assert.deepEqual(rowsNow(), [two, better]);
    const read = await readRows(root);
    assert.ok(read.ok);
    assert.deepEqual(read.rows, [two, better]);
    assert.deepEqual(readdirSync(path.join(root, '.gemm')), ['.gitattributes', 'dispatch.jsonl']);
    const size = readFileSync(rowsFileOf(root)).length;
    await adoptRow(root, better);
    assert.equal(readFileSync(rowsFileOf(root)).length, size, 'nothing is written twice');
  });

  it('lose nothing to others that adopt at the same time', async () => {
    const rows = Array.from({ length: 24 }, (_, i) => row(64 * (i + 1), 1000));
    const results = await Promise.all(rows.map(each => adoptRow(root, each)));
    assert.ok(
      results.every(result => 'written' in result),
      JSON.stringify(results),
    );
    const sizes = rowsNow().map(({ shape }) => shape.m);
    assert.deepEqual(
      [...sizes].sort((a, b) => a - b),
      rows.map(({ shape }) => shape.m),
    );
  });

  it('of an older version are copied once, and its file is never changed', async () => {
    const old = path.join(root, '.gemm', 'dispatch.json');
    mkdirSync(path.dirname(old));
    const text = rowsText([row(64, 100), row(128, 200)]);
    writeFileSync(old, text);
    const before = await readRows(root);
    assert.ok(before.ok);
    assert.deepEqual([before.file, before.rows], [old, [row(128, 200), row(64, 100)]]);
    await adoptRow(root, row(64, 150));
    assert.deepEqual(rowsNow(), [row(128, 200), row(64, 150)]);
    const lines = readFileSync(rowsFileOf(root), 'utf8').trim().split('\n');
    assert.equal(lines.length, 4, 'two copies, the mark of the copy, and the new row');
    await adoptRow(root, row(64, 160));
    assert.equal(readFileSync(rowsFileOf(root), 'utf8').trim().split('\n').length, 5);
    assert.equal(readFileSync(old, 'utf8'), text);
    rmSync(old);
    assert.deepEqual(rowsNow(), [row(128, 200), row(64, 160)]);
  });

  it('are never more than can be read again', async () => {
    const rows = Array.from({ length: MAX_ROWS }, (_, i) => row(i + 1, 1000));
    const file = rowsFileOf(root);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, rows.map(each => `${rowLine({ revision: 1, row: each })}\n`).join(''));
    assert.deepEqual(
      await adoptRow(root, row(7, 2000)),
      { written: file },
      'one in the place of another',
    );
    const refused = await adoptRow(root, row(MAX_ROWS + 1, 1000));
    assert.match(
      'failed' in refused ? refused.failed : '',
      /has 10000 rows in 10001 lines; the maximum is 10000 rows/,
    );
    assert.equal(rowsNow().length, MAX_ROWS);
  });

  it('of an older version that cannot be decoded stay as they are, with the reason', async () => {
    const file = path.join(root, '.gemm', 'dispatch.json');
    mkdirSync(path.dirname(file));
    const broken = rowsText([row(64, 100), row(128, 1)]).replace('"gflops":1,', '"gflops":-1,');
    const conflict = rowsText([row(64, 100)]).replace('\n', '\n<<<<<<< HEAD\n');
    for (const [text, why] of [
      [
        broken,
        /rows\.1\.gflops: Expected .* The file was left unchanged\. Fix: correct or move the file\.$/,
      ],
      ['{ "version": 1, "rows": [', /Not JSON: .* The file was left unchanged/s],
      [conflict, /Line 2: Git conflict marker\. .* The file was left unchanged/],
    ] as const) {
      writeFileSync(file, text);
      const read = await readRows(root);
      assert.ok(!read.ok && read.errors.length > 0 && read.file === file);
      const result = await adoptRow(root, row(256, 100));
      assert.ok('failed' in result);
      assert.match(result.failed, why);
      assert.equal(readFileSync(file, 'utf8'), text);
    }
  });

  it('in damaged lines are named with their line, and all other lines are used and kept', async () => {
    const lines = [row(64, 100), row(128, 100)].map(each => rowLine({ revision: 1, row: each }));
    const marked = ['<<<<<<< HEAD', lines[0], '=======', lines[1], '>>>>>>> other', '{"torn'];
    mkdirSync(path.join(root, '.gemm'));
    writeFileSync(rowsFileOf(root), marked.join('\r\n'));
    await adoptRow(root, row(256, 100));
    const read = await readRows(root);
    assert.ok(read.ok);
    assert.deepEqual(read.rows, [row(128, 100), row(256, 100), row(64, 100)]);
    assert.deepEqual(
      read.problems.map(({ line }) => line),
      [1, 3, 5, 6],
    );
    assert.match(read.problems[0]?.message ?? '', /^Git conflict marker\. Fix: delete this line/);
    assert.match(read.problems[3]?.message ?? '', /^Not JSON/);
    assert.ok(readFileSync(rowsFileOf(root), 'utf8').startsWith(marked.join('\r\n')));
  });

  it('are written after the lock of one who is gone, and not through a link that leads out', async () => {
    const lock = `${rowsFileOf(root)}.lock`;
    mkdirSync(path.dirname(lock));
    writeFileSync(lock, '');
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(lock, longAgo, longAgo);
    assert.ok('written' in (await adoptRow(root, row(64, 100))));
    assert.ok(!existsSync(lock));
    if (process.platform === 'win32') return;
    const inside = path.join(root, 'inside');
    mkdirSync(inside);
    symlinkSync(path.join(root, '.gemm'), path.join(inside, '.gemm'));
    const result = await adoptRow(inside, row(128, 100));
    assert.ok('failed' in result);
    assert.match(result.failed, /is outside/);
    assert.equal(rowsNow().length, 1);
  });

  const held = (at: Date): string => {
    const lock = `${rowsFileOf(root)}.lock`;
    mkdirSync(path.dirname(lock), { recursive: true });
    writeFileSync(lock, '');
    utimesSync(lock, at, at);
    return lock;
  };

  it('are written although the time of a lock is in the future', async () => {
    for (const seconds of [-86_400, 11, 86_400, 2e9]) {
      const lock = held(new Date(Date.now() + 1000 * seconds));
      const adopted = await adoptRow(root, row(64, 100), { waitMs: 0 });
      assert.ok('written' in adopted, `${seconds} s: ${JSON.stringify(adopted)}`);
      assert.ok(!existsSync(lock));
    }
  });

  it('are not waited for beyond a limit, and the message names the lock', async () => {
    for (const seconds of [-8, 0, 8]) {
      const lock = held(new Date(Date.now() + 1000 * seconds));
      const result = await adoptRow(root, row(64, 100), { waitMs: 100 });
      assert.ok('failed' in result);
      assert.ok(result.failed.includes(lock), result.failed);
      assert.match(result.failed, /Fix: wait for that process, or delete the lock file/);
      assert.ok(existsSync(lock), 'the lock of another process stays');
    }
  });

  it('are waited for until an abort, and written after one where no lock is held', async () => {
    const lock = held(new Date());
    const controller = new AbortController();
    const waiting = adoptRow(root, row(64, 100), { signal: controller.signal, waitMs: 1e9 });
    controller.abort();
    const result = await waiting;
    assert.match('failed' in result ? result.failed : '', /was cancelled/);
    rmSync(lock);
    assert.ok('written' in (await adoptRow(root, row(64, 100), { signal: controller.signal })));
  });
});
