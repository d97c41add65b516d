/** The run history on disk: appended to, and read inside of the workspace only. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { isFileName } from '../../src/core/kernel/file/fileName';
import { runsFileName } from '../../src/core/measure/history';
import { deletionLine, runLine } from '../../src/core/measure/historyLine';
import type { Measurement } from '../../src/core/measure/measurement';
import { appendLines, listRuns } from '../../src/host/runHistoryFiles';
import { measurement as measured } from '../helpers/history';
import { readHistory, readRuns } from '../helpers/runs';
import { hostileFolder } from './support';

const measurement = measured('naive');

let root: string;
let remove: () => void;
const setUp = (): void => {
  ({ path: root, remove } = hostileFolder());
};
const tearDown = (): void => {
  remove();
};
const list = (folder = root): readonly string[] => fs.readdirSync(folder).sort();

describe('the run history on disk', () => {
  beforeEach(setUp);
  afterEach(tearDown);
  const folder = (): string => path.join(root, '.gemm', 'runs');
  const file = (name = 'naive'): string => path.join(folder(), `${name}.jsonl`);
  let ids = 0;
  const appendRun = (name: string, run: Measurement) =>
    appendLines(root, runsFileName(name), [runLine(`id-${String(ids++).padStart(6, '0')}`, run)]);

  it('is empty at first, and gives back what was added', async () => {
    assert.deepEqual(await readRuns(root), { measurements: [], skippedLines: 0 });
    const wrong: Measurement = { ...measurement, outcome: 'incorrect', message: 'line\nbreak' };
    assert.deepEqual(await appendRun('naive', measurement), { written: file() });
    await appendRun('naive', wrong);
    await appendRun('coalesced', measurement);
    await appendRun('naive', measurement);
    assert.deepEqual(await readRuns(root), {
      measurements: [measurement, wrong, measurement, measurement],
      skippedLines: 0,
    });
  });

  it('is a Measurement per line, with an id', async () => {
    await appendRun('naive', measurement);
    const line = JSON.parse(fs.readFileSync(file(), 'utf8')) as Record<string, unknown>;
    assert.match(String(line['id']), /^id-\d+$/);
    delete line['id'];
    assert.deepEqual(line, measurement);
  });

  it('deletes a run by a line that is appended', async () => {
    await appendRun('naive', measurement);
    const before = fs.readFileSync(file(), 'utf8');
    const [run] = (await readHistory(root)).runs;
    await appendLines(root, 'naive.jsonl', [deletionLine(run?.id ?? '')]);
    assert.deepEqual(await readRuns(root), { measurements: [], skippedLines: 0 });
    assert.ok(fs.readFileSync(file(), 'utf8').startsWith(before));
  });

  it('skips torn and foreign lines, and adds after them', async () => {
    await appendRun('naive', measurement);
    fs.appendFileSync(file(), '{"specKey":"torn');
    await appendRun('naive', measurement);
    fs.appendFileSync(file(), '[]\n42\nnull\n{"outcome":"correct"}\n\u0000\n\n');
    const { measurements, skippedLines } = await readRuns(root);
    assert.deepEqual([measurements.length, skippedLines], [2, 6]);
  });

  it('tells git to merge it by lines when its folder is made, and not again', async () => {
    const attributes = path.join(root, '.gemm', '.gitattributes');
    await appendRun('naive', measurement);
    const rules = fs.readFileSync(attributes, 'utf8');
    assert.match(rules, /^runs\/\*\.jsonl text eol=lf merge=union$/m);
    fs.rmSync(attributes);
    await appendRun('naive', measurement);
    assert.ok(!fs.existsSync(attributes), 'its owner removed it');
    fs.rmSync(folder(), { recursive: true });
    fs.writeFileSync(attributes, '# mine\n');
    await appendRun('naive', measurement);
    assert.equal(fs.readFileSync(attributes, 'utf8'), `# mine\n${rules}`);
    fs.rmSync(folder(), { recursive: true });
    const own = rules.replace('text eol=lf merge=union', '-merge');
    fs.writeFileSync(attributes, own);
    await appendRun('naive', measurement);
    assert.equal(fs.readFileSync(attributes, 'utf8'), own, 'rules of the user are kept');
  });

  it('adds nothing to a file behind a link', async function () {
    if (process.platform === 'win32') this.skip();
    const victim = path.join(root, 'victim');
    fs.writeFileSync(victim, 'mine');
    fs.mkdirSync(folder(), { recursive: true });
    fs.symlinkSync(victim, file());
    const result = await appendRun('naive', measurement);
    assert.ok('failed' in result);
    assert.match(result.failed, /symbolic link/);
    assert.equal(fs.readFileSync(victim, 'utf8'), 'mine');
  });

  it('reads nothing outside of the workspace and no file that is not regular, and names them', async function () {
    if (process.platform === 'win32') this.skip();
    await appendRun('naive', measurement);
    fs.writeFileSync(path.join(root, 'inside.txt'), runLine('inside', measurement));
    const outside = path.join(path.dirname(root), 'outside.jsonl');
    fs.writeFileSync(outside, runLine('outside', measurement));
    fs.symlinkSync(path.join(root, 'inside.txt'), file('inside'));
    fs.symlinkSync(outside, file('leads-out'));
    fs.symlinkSync('/dev/zero', file('device'));
    fs.symlinkSync(path.join(root, 'nothing'), file('nothing'));
    fs.mkdirSync(file('folder'));
    execFileSync('mkfifo', [file('fifo')]);
    const { runs, unread } = await readHistory(root);
    assert.deepEqual(runs.map(({ files }) => files[0]).sort(), ['inside.jsonl', 'naive.jsonl']);
    assert.deepEqual(
      unread.map(({ name, why }) => `${name} ${why.split(':')[1]?.split('.')[0] ?? ''}`),
      [
        'device.jsonl  it is a symbolic link that leads outside the workspace',
        'fifo.jsonl  it is not a regular file',
        'folder.jsonl  it is not a regular file',
        'leads-out.jsonl  it is a symbolic link that leads outside the workspace',
        'nothing.jsonl  ENOENT',
      ],
    );
    const appended = await appendLines(root, 'fifo.jsonl', [runLine('x', measurement)]);
    assert.ok('failed' in appended);
    assert.match(appended.failed, /it is not a regular file/);
  });

  it('reads no folder of runs that is a link out of the workspace', async function () {
    if (process.platform === 'win32') this.skip();
    const outside = path.join(path.dirname(root), 'outside');
    fs.mkdirSync(outside);
    fs.writeFileSync(path.join(outside, 'naive.jsonl'), runLine('outside', measurement));
    fs.mkdirSync(path.dirname(folder()));
    fs.symlinkSync(outside, folder());
    const { files, unread } = await listRuns(root);
    assert.deepEqual([files, unread.map(({ name }) => name)], [[], ['']]);
  });

  it('keeps the runs of a kernel whatever its file is called, inside its folder', async () => {
    const names = ['my kernel', 'my_kernel', 'größe', 'grosse', '核', 'con', '../x', 'a/b', ''];
    for (const name of names) {
      const kept = await appendRun(name, { ...measurement, specKey: name });
      assert.ok('written' in kept, name);
      assert.equal(path.dirname(kept.written), folder(), name);
      assert.ok(isFileName(path.basename(kept.written)), kept.written);
    }
    const { measurements } = await readRuns(root);
    assert.deepEqual(measurements.map(({ specKey }) => specKey).sort(), [...names].sort());
    assert.equal(list(folder()).length, names.length);
    assert.match(list(folder()).join(), /run-my-kernel-[0-9a-f]{8}\.jsonl/);
    assert.ok('failed' in (await appendLines(root, '../k.jsonl', ['x'])));
  });
});
