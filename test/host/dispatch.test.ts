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
import { MAX_ROWS, parseRows, rowsText } from '../../src/core/defaults/dispatch/row';
import { adoptRow, findRowsFile, readRows, rowsFileOf } from '../../src/host/dispatch';
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
    const decoded = parseRows(readFileSync(rowsFileOf(root), 'utf8'));
    assert.ok(decoded.ok);
    return decoded.rows;
  };

  it('are none where there is no file, and found in the next folder above that has one', async () => {
    const below = path.join(root, 'a', 'b');
    mkdirSync(below, { recursive: true });
    const file = rowsFileOf(root);
    assert.deepEqual(await readRows(file), { ok: true, file, rows: [] });
    assert.notEqual(await findRowsFile(below), file);
    await adoptRow(root, row(64, 100));
    assert.equal(await findRowsFile(below), file);
    assert.equal(await findRowsFile(root), file);
  });

  it('are added to, an adopted one in the place of its point, and read back', async () => {
    const [one, two] = [row(4096, 50_000), row(2048, 40_000)];
    assert.deepEqual(await adoptRow(root, one), { written: rowsFileOf(root) });
    await adoptRow(root, two);
    assert.deepEqual(rowsNow(), [one, two]);
    const better = row(4096, 51_000, { schedule: SMALL });
    await adoptRow(root, better);
    assert.deepEqual(rowsNow(), [two, better]);
    const read = await readRows(rowsFileOf(root));
    assert.ok(read.ok);
    assert.deepEqual(read.rows, [two, better]);
    assert.deepEqual(readdirSync(path.join(root, '.gemm')), ['dispatch.json']);
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

  it('are never more than can be read again', async () => {
    const rows = Array.from({ length: MAX_ROWS }, (_, i) => row(i + 1, 1000));
    const file = rowsFileOf(root);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, rowsText(rows));
    assert.deepEqual(
      await adoptRow(root, row(7, 2000)),
      { written: file },
      'one in the place of another',
    );
    const refused = await adoptRow(root, row(MAX_ROWS + 1, 1000));
    assert.match('failed' in refused ? refused.failed : '', /10000 rows, which is the maximum/);
    assert.equal(rowsNow().length, MAX_ROWS);
  });

  it('that cannot be decoded stay as they are, with the reason', async () => {
    const file = rowsFileOf(root);
    await adoptRow(root, row(64, 100));
    const broken = rowsText([row(64, 100), row(128, 1)]).replace('"gflops":1,', '"gflops":-1,');
    for (const [text, why] of [
      [
        broken,
        /rows\.1\.gflops: Expected .* The file was left unchanged\. Fix: correct or move the file\.$/,
      ],
      ['{ "version": 1, "rows": [', /Not JSON: .* The file was left unchanged/s],
    ] as const) {
      writeFileSync(file, text);
      const read = await readRows(file);
      assert.ok(!read.ok && read.errors.length > 0);
      const result = await adoptRow(root, row(256, 100));
      assert.ok('failed' in result);
      assert.match(result.failed, why);
      assert.equal(readFileSync(file, 'utf8'), text);
    }
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
