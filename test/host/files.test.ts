/** Writing generated files: inside the root, in one step, never over somebody's work. */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { hashLine } from '../../src/core/kernel/file/fileHead';
import { isFileName } from '../../src/core/kernel/file/fileName';
import { explainWrite, writeGenerated } from '../../src/host/files';
import { hostileFolder } from './support';
import { runs } from '../helpers/depth';

const generated = (body: string): string => `${hashLine(body)}${body}`;

let root: string;
let remove: () => void;
const setUp = (): void => {
  ({ path: root, remove } = hostileFolder());
};
const tearDown = (): void => {
  remove();
};
const list = (folder = root): readonly string[] => fs.readdirSync(folder).sort();

describe('writeGenerated', () => {
  beforeEach(setUp);
  afterEach(tearDown);
  const write = (text: string, more: Partial<Parameters<typeof writeGenerated>[0]> = {}) =>
    writeGenerated({ root, name: 'k.cu', text, ...more });
  const target = (): string => path.join(root, 'k.cu');

  it('writes, and writes anew what is as generated', async () => {
    assert.deepEqual(await write(generated('one\n')), { written: target() });
    assert.deepEqual(await write(generated('two\n')), { written: target() });
    assert.equal(fs.readFileSync(target(), 'utf8'), generated('two\n'));
    assert.deepEqual(list(), ['k.cu']);
  });

  it('keeps what its owner changed or wrote, until told otherwise', async () => {
    for (const [text, kept] of [
      [`${generated('one\n')}// mine\n`, 'edited'],
      ['int main() {}\n', 'foreign'],
    ] as const) {
      fs.writeFileSync(target(), text);
      assert.deepEqual(await write(generated('two\n')), { kept, path: target() });
      assert.equal(fs.readFileSync(target(), 'utf8'), text);
      assert.deepEqual(await write(text), { written: target() });
      assert.deepEqual(await write(generated('two\n'), { replace: true }), { written: target() });
      assert.equal(fs.readFileSync(target(), 'utf8'), generated('two\n'));
    }
  });

  it('never loses an edit in any sequence of edits and regenerations', async () => {
    const step = fc.oneof(
      fc.record({ edit: fc.string({ minLength: 1, maxLength: 5 }) }),
      fc.record({ body: fc.constantFrom('one\n', 'two\n', 'three\n') }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async steps => {
        fs.rmSync(target(), { force: true });
        let edits = '';
        for (const now of steps) {
          if ('edit' in now) {
            fs.appendFileSync(target(), now.edit);
            edits += now.edit;
          } else {
            await write(generated(now.body));
          }
        }
        const text = fs.existsSync(target()) ? fs.readFileSync(target(), 'utf8') : '';
        assert.ok(text.endsWith(edits));
      }),
      { ...runs(100) },
    );
  });

  it('makes folders below the root and none outside', async () => {
    assert.deepEqual(await write('x', { folder: 'a/b' }), { written: path.join(root, 'a/b/k.cu') });
    const before = list(path.dirname(root));
    for (const folder of ['..', '../other', 'a/../../other', path.dirname(root), '/nowhere']) {
      const result = await write('x', { folder });
      assert.ok('failed' in result, folder);
      assert.match(result.failed, /is outside/);
    }
    assert.deepEqual(list(path.dirname(root)), before);
    assert.ok('written' in (await write('x', { folder: '..fine' })));
  });

  it('writes nothing into .git or .vscode, at any depth and in any case', async () => {
    for (const folder of ['.git/hooks', '.vscode', 'a/.VSCode/b', '.Git']) {
      const result = await write('x', { folder });
      assert.ok('failed' in result, folder);
      assert.match(result.failed, /which git and VS Code use/);
    }
    assert.deepEqual(list(), []);
    for (const folder of ['.github', 'git', '.vscodex'])
      assert.ok('written' in (await write('x', { folder })), folder);
  });

  it('makes the root with all it lacks, and gives up where that cannot be', async () => {
    const deep = path.join(root, 'new', 'deep');
    assert.deepEqual(await write('x', { root: deep }), { written: path.join(deep, 'k.cu') });
    const many = path.join(root, ...Array<string>(200).fill('d'));
    const tooMany = await write('x', { root: many });
    assert.ok('failed' in tooMany);
    assert.match(tooMany.failed, /too many parent folders/);
    assert.deepEqual(list(), ['new']);
    fs.writeFileSync(path.join(root, 'file'), '');
    for (const [below, why] of [
      ['file', /its path contains a file instead of a folder/],
      ['file/deeper', /its path contains a file instead of a folder/],
      // Node's recursive mkdir never ends there.
      ...(process.platform === 'linux' ? [['/proc/x/y', /cannot be created/] as const] : []),
    ] as const) {
      const result = await write('x', { root: path.resolve(root, below) });
      assert.ok('failed' in result, below);
      assert.match(result.failed, why);
    }
  });

  it('makes a folder that another writer makes at the same time', async () => {
    const writes = ['a', 'b', 'c', 'd'].map(name => write('x', { folder: 'one/two/three', name }));
    for (const result of await Promise.all(writes)) assert.ok('written' in result);
  });

  it('follows no link out of the root, and none at the file itself', async function () {
    if (process.platform === 'win32') this.skip();
    const outside = path.join(path.dirname(root), 'outside');
    fs.mkdirSync(outside);
    fs.symlinkSync(outside, path.join(root, 'link'));
    for (const folder of ['link', 'link/deeper']) {
      const result = await write('x', { folder });
      assert.ok('failed' in result);
      assert.match(result.failed, /is outside/);
    }
    const victim = path.join(outside, 'victim');
    fs.writeFileSync(victim, generated('one\n'));
    fs.symlinkSync(victim, target());
    const result = await write(generated('two\n'), { replace: true });
    assert.ok('failed' in result);
    assert.match(result.failed, /symbolic link/);
    assert.equal(fs.readFileSync(victim, 'utf8'), generated('one\n'));
    assert.deepEqual(list(outside), ['victim']);
  });

  it('accepts plain names only', () => {
    for (const name of ['k.cu', 'gemm_f32-8x8.main.cu', 'a']) assert.ok(isFileName(name), name);
    const bad = [
      '',
      '.',
      '..',
      '.x',
      'a/b',
      'a\\b',
      'a..b',
      'x.',
      'con',
      'NUL.cu',
      'a b',
      'é',
      'a\0',
    ];
    for (const name of [...bad, 'x'.repeat(300)]) assert.ok(!isFileName(name), name);
    fc.assert(
      fc.property(fc.string(), name => {
        if (isFileName(name)) assert.equal(path.basename(path.resolve('/x', name)), name);
      }),
      { ...runs(1000) },
    );
  });

  it('says why it could not write', async function () {
    fs.mkdirSync(target());
    const folder = await write('x');
    assert.ok('failed' in folder);
    assert.match(folder.failed, /is not a file/);
    const code = (name: string): string =>
      explainWrite('f', Object.assign(new Error(name), { code: name }));
    assert.match(code('EROFS'), /read-only/);
    assert.match(code('ENOSPC'), /disk is full/);
    assert.match(code('EACCES'), /permission denied/);
  });

  it('leaves nothing behind in a read-only folder (needs a user other than root)', async function () {
    if (process.platform === 'win32' || process.getuid?.() === 0) this.skip();
    fs.chmodSync(root, 0o555);
    try {
      const result = await write('x');
      assert.ok('failed' in result);
      assert.match(result.failed, /permission denied/);
    } finally {
      fs.chmodSync(root, 0o755);
    }
    assert.deepEqual(list(), []);
  });
});
