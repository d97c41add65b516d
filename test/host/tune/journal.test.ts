/** The journal's file: what cannot be one stays as it is, and nothing is left locked. */
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { JournalIdentity } from '../../../src/core/search/tune/journal';
import { openJournal, type Journal } from '../../../src/host/tune/journal';
import { eachInHostileFolder } from '../support';

const identity: JournalIdentity = {
  problem: 'p',
  target: 'cuda',
  backend: 'cuda',
  driver: 'd',
  compiler: 'c',
  gpus: ['g'],
};

describe('the journal of a tune on disk', () => {
  let folder: string;
  eachInHostileFolder(path => {
    folder = path;
  });
  const at = (name: string): string => path.join(folder, name);
  const open = async (file: string): Promise<Journal> => {
    const opened = await openJournal({ file, identity });
    assert.ok(opened.ok, JSON.stringify(opened));
    return opened.journal;
  };
  const refused = async (file: string): Promise<string> => {
    const opened = await openJournal({ file, identity });
    assert.ok(!opened.ok);
    return opened.message;
  };

  it('is made with its folders, by one at a time', async () => {
    const file = at('a/b/tune.jsonl');
    const first = await open(file);
    assert.match(await refused(file), /Another tuning run \(process \d+\) is writing/);
    await first.close();
    await (await open(file)).close();
  });

  it('goes on after the first line of all was cut short', async () => {
    writeFileSync(at('tune.jsonl'), '{"tu');
    const torn = await open(at('tune.jsonl'));
    assert.match(torn.notes.join(), /truncated/);
    await torn.close();
    appendFileSync(at('tune.jsonl'), '{"tune":1,"protocol":1}\n');
    const journal = await open(at('tune.jsonl'));
    assert.match(journal.notes.join(), /Ignored 2 unreadable journal lines/);
    await journal.close();
  });

  it('is no file of somebody else', async () => {
    const text = '{ "problem": { "m": 512, "n": 512, "k": 512 } }\n';
    writeFileSync(at('first.gemm.json'), text);
    assert.match(await refused(at('first.gemm.json')), /is not a tuning journal/);
    assert.equal(readFileSync(at('first.gemm.json'), 'utf8'), text);
    mkdirSync(at('folder'));
    assert.match(await refused(at('folder')), /could not be written/);
  });

  it('is neither a device nor in a folder that cannot be made', async function () {
    if (!existsSync('/dev/full') || !existsSync('/proc/self')) return this.skip();
    assert.match(await refused('/dev/full'), /expected a regular file, got a character device/);
    assert.match(await refused('/proc/nowhere/below/tune.jsonl'), /could not be written/);
  });

  it('is not left locked by what could not be opened', async () => {
    const file = at('tune.jsonl');
    const broken = Object.defineProperty({ file, identity }, 'fresh', {
      get: () => {
        throw new Error('no more space');
      },
    });
    const opened = await openJournal(broken);
    assert.match(opened.ok ? '' : opened.message, /no more space/);
    await (await open(file)).close();
  });
});
