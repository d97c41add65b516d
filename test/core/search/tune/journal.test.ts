/** A tuning journal as text: within limits, in slices. */
import assert from 'node:assert/strict';
import {
  readJournal,
  TUNE_PROTOCOL,
  type JournalIdentity,
} from '../../../../src/core/search/tune/journal';
import { measurement } from '../../../helpers/history';

const identity: JournalIdentity = {
  ...({ problem: 'p', target: 'cuda', backend: 'cuda' } as const),
  driver: 'd',
  compiler: 'c',
  gpus: ['g'],
};
const line = `${JSON.stringify({
  tune: 1,
  protocol: TUNE_PROTOCOL,
  problem: 'p',
  target: 'cuda',
  backend: 'cuda',
  gpu: 'g',
  driver: 'd',
  compiler: 'c',
  effort: 'full',
  measurement: measurement('k'),
})}\n`;
const read = (text: string, rest = (): Promise<void> | undefined => undefined) =>
  readJournal(text, identity, rest, { lines: 4, damaged: 2 });

describe('a tuning journal', () => {
  it('is read up to its limits, and the rest is ignored with a note', async () => {
    const whole = await read(line.repeat(4));
    assert.deepEqual([whole.lines.length, whole.notes], [4, []]);
    const long = await read(line.repeat(6));
    assert.equal(long.lines.length, 4);
    assert.match(long.notes.join(), /stopped at line 5\. The limits are 4 lines/);
    const damaged = await read(`x\nx\n${line}`);
    assert.deepEqual([damaged.lines.length, damaged.notes.length], [1, 1]);
    const garbage = await read(`x\nx\nx\n${line}`);
    assert.equal(garbage.lines.length, 0);
    assert.match(garbage.notes.join(), /stopped at line 4/);
  });

  it('is truncated if its last line has no newline, unless it is empty', async () => {
    assert.deepEqual([(await read('')).torn, (await read(line)).torn], [false, false]);
    const torn = await read(`${line}${line.slice(0, 40)}`);
    assert.deepEqual([torn.torn, torn.lines.length], [true, 1]);
  });

  it('yields between lines', async () => {
    let asked = 0;
    await read(`${line}x\n${line}`, () => {
      asked++;
      return Promise.resolve();
    });
    assert.equal(asked, 3);
  });
});
