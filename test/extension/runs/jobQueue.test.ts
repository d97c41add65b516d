/** The queue of each device. */
import assert from 'node:assert/strict';
import { createJobQueue, createJobQueues } from '../../../src/extension/runs/jobQueue';

describe('the job queue', () => {
  it('runs one job at a time, in order, and survives a job that fails', async () => {
    const queue = createJobQueue();
    const events: string[] = [];
    const job =
      (name: string, fails = false) =>
      async (): Promise<string> => {
        events.push(`${name} starts`);
        await new Promise(resolve => setTimeout(resolve, 5));
        events.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      };
    const waited: string[] = [];
    const first = queue.run(job('a', true), () => waited.push('a'));
    const second = queue.run(job('b'), () => waited.push('b'));
    assert.equal(queue.size(), 2);
    await assert.rejects(first, /a/);
    assert.equal(await second, 'b');
    assert.deepEqual(events, ['a starts', 'a ends', 'b starts', 'b ends']);
    assert.deepEqual(waited, ['b']);
    assert.equal(queue.size(), 0);
    assert.equal(await queue.run(job('c')), 'c');
  });

  it('is one a GPU: jobs of one do not wait for another', async () => {
    const queueOf = createJobQueues();
    let release = (): void => undefined;
    const held = new Promise<void>(resolve => (release = resolve));
    const first = queueOf('GPU 0').run(() => held);
    const waited: string[] = [];
    const behind = queueOf('GPU 0').run(
      () => Promise.resolve('behind'),
      () => waited.push('behind'),
    );
    assert.equal(await queueOf('GPU 1').run(() => Promise.resolve('other')), 'other');
    assert.deepEqual(waited, ['behind']);
    release();
    await first;
    assert.equal(await behind, 'behind');
  });
});
