/** Messages in any order, late, repeated, unknown or malformed: the page's state holds together. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { sourceHashOf } from '../../src/core/emit/sourceHash';
import { decodeFromWebview, decodeToWebview, type ToWebview } from '../../src/protocol';
import { run, show } from '../../scripts/page/samples';
import { specs } from '../helpers/specs';
import { derive, isKernel } from '../../webview/derive';
import { initialState, type Message } from '../../webview/state';
import { reduce } from '../../webview/store';

const id = fc.constantFrom('a', 'b', 'simulate');
const hash = fc.constantFrom('0'.repeat(64), run().sourceHash ?? '');
const measurement = hash.map(sourceHash => run({ sourceHash }));

const received: fc.Arbitrary<ToWebview> = fc.oneof(
  fc
    .record({ spec: specs, name: fc.constantFrom('x.gemm.json', 'y.cu'), trusted: fc.boolean() })
    .map(show),
  fc.record({ type: fc.constant('measured' as const), id, measurement }),
  fc.record({
    ...{ type: fc.constant('progress' as const), id, stage: fc.string() },
    fraction: fc.double({ noNaN: true }),
  }),
  fc.record({ type: fc.constant('cancel' as const), id }),
  fc.record({ type: fc.constant('failed' as const), id, message: fc.string() }),
  fc.record({ type: fc.constant('failed' as const), message: fc.string() }),
);

const message: fc.Arbitrary<Message> = fc.oneof(
  { weight: 3, arbitrary: received.map(inner => ({ type: 'received' as const, message: inner })) },
  fc.record({
    type: fc.constant('edit' as const),
    path: fc.constantFrom('problem.m', 'schedule.block.k', 'nowhere', '__proto__.x'),
    text: fc.oneof(fc.string(), fc.integer().map(String)),
  }),
  fc.record({
    type: fc.constant('run' as const),
    backend: fc.constantFrom('webgpu' as const, 'simulate' as const),
    mode: fc.constant('verify' as const),
  }),
  fc.constantFrom<Message>(
    { type: 'cancel' },
    { type: 'undo' },
    { type: 'redo' },
    { type: 'pin' },
    { type: 'swap' },
    { type: 'settled' },
  ),
);

describe('messages in any order', () => {
  it('never bring a finished run back, and never show the numbers of another kernel', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 40 }), messages => {
        const state = messages.reduce(reduce, initialState());
        if (state.running !== null && state.running.id !== null) {
          assert.notEqual(state.running.id, state.finishedId);
        }
        if (state.spec === null) return;
        const { kernels, target, runs } = derive({ ...state, spec: state.spec });
        const kernel = isKernel(kernels[target])
          ? kernels[target]
          : Object.values(kernels).find(isKernel);
        for (const shown of runs) {
          assert.ok(kernel !== undefined);
          assert.equal(shown.sourceHash, sourceHashOf(kernel));
        }
      }),
      { numRuns: 200 },
    );
  });

  it('end the same when one of them comes twice', () => {
    fc.assert(
      fc.property(fc.array(received, { maxLength: 20 }), received, (earlier, last) => {
        const before = earlier.reduce(
          (state, inner) => reduce(state, { type: 'received', message: inner }),
          initialState(),
        );
        const once = reduce(before, { type: 'received', message: last });
        const twice = reduce(once, { type: 'received', message: last });
        assert.equal(twice.runs.length, once.runs.length);
        assert.deepEqual([twice.running, twice.spec], [once.running, once.spec]);
      }),
    );
  });

  it('are decoded or refused with a reason, whatever they are', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withMap: true, withDate: true }), data => {
        for (const decoded of [decodeToWebview(data), decodeFromWebview(data)]) {
          if (!decoded.ok) assert.notEqual(decoded.reason, '');
        }
      }),
      { numRuns: 500 },
    );
  });
});
