/** Reading below a root: no path leads out of it. */
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import path from 'node:path';
import { lexical, Outside, pathInside, readInside, rootFolder } from '../../src/host/confined';
import { eachInHostileFolder } from './support';

describe('reading below a root', () => {
  let base = '';
  let root = '';
  eachInHostileFolder(folder => {
    base = folder;
    root = path.join(folder, 'root');
    mkdirSync(path.join(root, 'sub'), { recursive: true });
    writeFileSync(path.join(root, 'sub', 'in.txt'), 'inside');
    writeFileSync(path.join(base, 'secret.txt'), 'secret');
    symlinkSync(path.join(base, 'secret.txt'), path.join(root, 'link.txt'));
    symlinkSync(base, path.join(root, 'up'));
    symlinkSync(path.join(root, 'sub'), path.join(root, 'same'));
  });

  const text = async (given: string): Promise<string> =>
    (await readInside(await rootFolder(root), given, 100)).bytes.toString();

  it('reads relative and absolute paths, and links that stay inside', async () => {
    for (const given of ['sub/in.txt', './sub/../sub/in.txt', 'same/in.txt'])
      assert.equal(await text(given), 'inside', given);
    assert.equal(await text(path.join(await rootFolder(root), 'sub', 'in.txt')), 'inside');
  });

  it('rejects paths that lead outside, or that another system reads differently', async () => {
    const paths = [
      '../secret.txt',
      'sub/../../secret.txt',
      path.join(base, 'secret.txt'),
      'link.txt',
      'up/secret.txt',
      'up/root/../secret.txt',
      '/etc/passwd',
      '/proc/self/environ',
      '//server/share/a',
      '\\\\server\\share\\a',
      '\\\\?\\C:\\a',
      'file:///etc/passwd',
      'sub/in.txt\0.json',
      '',
      'x'.repeat(5000),
      'no/such/file',
    ];
    for (const given of paths) await assert.rejects(text(given), Outside, given);
  });

  it('rejects folders and files that are too long', async () => {
    await assert.rejects(text('sub'), /regular file/);
    writeFileSync(path.join(root, 'long.txt'), 'x'.repeat(101));
    await assert.rejects(text('long.txt'), /more than 100 bytes/);
  });

  it('rejects a folder that becomes a link between the check and the use', async () => {
    const real = await rootFolder(root);
    mkdirSync(path.join(base, 'sub'));
    writeFileSync(path.join(base, 'sub', 'in.txt'), 'secret');
    let swaps = 0;
    const swap = (): void => {
      const [now, then] = swaps++ % 2 === 0 ? ['sub', 'kept'] : ['kept', 'sub'];
      if (now === 'sub') {
        renameSync(path.join(root, now), path.join(root, then));
        symlinkSync(path.join(base, 'sub'), path.join(root, 'sub'));
      } else {
        renameSync(path.join(root, 'sub'), path.join(root, `link${swaps}`));
        renameSync(path.join(root, now), path.join(root, then));
      }
    };
    for (let i = 0; i < 300; i++) {
      const reading = readInside(real, 'sub/in.txt', 100).then(
        ({ bytes }) => bytes.toString(),
        () => 'rejected',
      );
      swap();
      await fs.stat(root);
      swap();
      assert.notEqual(await reading, 'secret');
    }
  });

  it('resolves a folder to write to without following it outside', async () => {
    const real = await rootFolder(root);
    assert.equal(lexical(real, 'new/folder'), path.join(real, 'new', 'folder'));
    assert.throws(() => lexical(real, '../new'), Outside);
    await assert.rejects(pathInside(real, 'up'), Outside);
  });
});
