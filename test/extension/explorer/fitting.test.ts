/** Messages to the page stay below its limit. */
import assert from 'node:assert/strict';
import { NOT_VERIFIED, type Measurement } from '../../../src/core/measure/measurement';
import { newestThatFit } from '../../../src/extension/explorer/fitting';
import { MAX_MESSAGE_BYTES } from '../../../src/protocol';

const run = (specKey: string, message: string): Measurement => ({
  specKey,
  kernelKey: 'x',
  resolved: null,
  backend: 'cuda',
  outcome: 'compile-error',
  message,
  device: { name: 'GPU', adapter: 'a', driver: '1', where: 'cli' },
  verification: NOT_VERIFIED,
});

describe('runs in a message', () => {
  it('are the newest, as many as fit', () => {
    const runs = Array.from({ length: 300 }, (_, index) => run(String(index), 'ü'.repeat(10_000)));
    const kept = newestThatFit(runs, 200);
    assert.ok(Buffer.byteLength(JSON.stringify(kept)) <= MAX_MESSAGE_BYTES);
    assert.ok(kept.length > 30 && kept.length < 50);
    assert.equal(kept.at(-1)?.specKey, '299');
  });

  it('are at most so many', () => {
    const runs = Array.from({ length: 300 }, (_, index) => run(String(index), ''));
    assert.equal(newestThatFit(runs, 200).length, 200);
    assert.deepEqual(newestThatFit([], 200), []);
  });
});
