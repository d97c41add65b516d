/** Late, repeated, reordered, unknown and malformed messages: the page's state stays consistent. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { sourceHashOf } from '../../src/core/text/hash';
import {
  decodeFromWebview,
  decodeToWebview,
  MAX_MESSAGE_BYTES,
  type ToWebview,
} from '../../src/protocol';
import { own, run, show } from '../../scripts/page/samples';
import { specs } from '../helpers/specs';
import { derive, isKernel } from '../../webview/derive';
import { initialState, type Message } from '../../webview/state';
import { reduce } from '../../webview/store';
import { runs } from '../helpers/depth';

const id = fc.constantFrom('a', 'b', 'simulate');
/** Registers and bytes that occur only in messages about another kernel. */
const FOREIGN = 251;
const hash = fc.constantFrom('0'.repeat(64), run().sourceHash ?? '');
const measurement = hash.map(sourceHash => run({ sourceHash }));

const received: fc.Arbitrary<ToWebview> = fc.oneof(
  fc
    .record({
      spec: specs,
      name: fc.constantFrom('x.gemm.json', 'y.cu'),
      trusted: fc.boolean(),
      revision: fc.nat(40),
      since: fc.nat(40),
      edit: fc.nat(10),
    })
    .map(show),
  fc.record({ type: fc.constant('measured' as const), id, measurement }),
  fc.record({
    type: fc.constant('progress' as const),
    id,
    stage: fc.string(),
    fraction: fc.double({ noNaN: true }),
  }),
  fc.record({ type: fc.constant('cancel' as const), id }),
  fc.record({ type: fc.constant('failed' as const), id, message: fc.string() }),
  fc.record({ type: fc.constant('failed' as const), message: fc.string() }),
  hash.map((sourceHash): ToWebview => ({
    type: 'compiled',
    sourceHash,
    entry: 'sgemm',
    arch: 'sm_90',
    compiler: 'nvcc',
    registers: FOREIGN,
    sharedBytes: FOREIGN,
    spillStores: 0,
    spillLoads: 0,
  })),
  fc
    .constantFrom('edited' as const, 'hand-written' as const)
    .map(origin => show({ own: own(origin) })),
  id.map((name): ToWebview => ({
    type: 'runWebgpu',
    job: { id: name, mode: 'verify', seed: 1, source: 'fn f() {}', spec: null },
  })),
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
  ),
);

describe('messages in any order', () => {
  it("never restart a finished run, and never show another kernel's numbers", () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 40 }), messages => {
        const state = messages.reduce(reduce, initialState());
        if (state.running !== null && state.running.id !== null) {
          assert.notEqual(state.running.id, state.finishedId);
        }
        if (state.spec === null) return;
        const { kernels, target, runs, shown: view } = derive({ ...state, spec: state.spec });
        const kernel = isKernel(kernels[target])
          ? kernels[target]
          : Object.values(kernels).find(isKernel);
        for (const shown of runs) {
          assert.ok(kernel !== undefined);
          assert.equal(shown.sourceHash, sourceHashOf(kernel));
        }
        const facts = view.ok ? view.analysis.occupancy : null;
        if (facts?.registers.from === 'compiler') {
          assert.ok(kernel !== undefined);
          const key = sourceHashOf(kernel);
          assert.ok(Object.values(state.compiled).some(({ sourceHash }) => sourceHash === key));
        }
      }),
      { ...runs(200) },
    );
  });

  it('are idempotent', () => {
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

  it('do not end another run when late', () => {
    const running = reduce(initialState(), {
      type: 'received',
      message: { type: 'progress', id: 'new', stage: 'Timing' },
    });
    const late = reduce(running, {
      type: 'received',
      message: { type: 'measured', id: 'old', measurement: run() },
    });
    assert.equal(late.running?.id, 'new');
    assert.equal(late.runs.length, 1);
  });

  it('leave a state of bounded size', () => {
    const NUM_MESSAGES = 600;
    let state = initialState();
    for (let i = 0; i < NUM_MESSAGES; i++) {
      const compiled: ToWebview = {
        type: 'compiled',
        entry: 'k',
        arch: 'sm_90',
        compiler: 'nvcc',
        registers: 1,
        sharedBytes: 1,
        spillStores: 0,
        spillLoads: 0,
        sourceHash: String(i).padStart(64, '0'),
      };
      state = reduce(state, { type: 'received', message: compiled });
      const measured = { type: 'measured', id: `r${i}`, measurement: run() } as const;
      state = reduce(state, { type: 'received', message: measured });
    }
    assert.deepEqual([Object.keys(state.compiled).length, state.runs.length], [200, 500]);
    assert.ok(
      `${String(NUM_MESSAGES - 1).padStart(64, '0')} k sm_90` in state.compiled,
      'the newest stay',
    );
  });
});

describe('messages of either side', () => {
  const decoders = [decodeToWebview, decodeFromWebview] as const;

  it('are decoded or rejected with a reason', () => {
    const anything = fc.anything({
      withBigInt: true,
      withMap: true,
      withDate: true,
      withSet: true,
    });
    fc.assert(
      fc.property(anything, fc.boolean(), (data, cyclic) => {
        if (cyclic && typeof data === 'object' && data !== null) Reflect.set(data, 'self', data);
        for (const decode of decoders) {
          const decoded = decode(data);
          if (decoded.ok) continue;
          assert.notEqual(decoded.reason, '');
          assert.ok(decoded.reason.length <= 300);
        }
      }),
      { ...runs(500) },
    );
  });

  it('are rejected if any part of a valid one is replaced', () => {
    const real: readonly object[] = [
      show({ runs: [run()] }),
      { type: 'measured', id: 'a', measurement: run() },
      { type: 'run', backend: 'cuda', mode: 'verify' },
      { type: 'exportChart', name: 'roofline', format: 'svg', content: '<svg/>' },
    ];
    fc.assert(
      fc.property(fc.constantFrom(...real), fc.nat(), fc.anything(), (message, pick, value) => {
        const keys = Object.keys(message);
        const broken = { ...message, [keys[pick % keys.length] ?? 'type']: value };
        for (const decode of decoders) assert.doesNotThrow(() => decode(broken));
      }),
      { ...runs(500) },
    );
  });

  it('are accepted up to one million bytes', () => {
    const chart = (characters: number) => ({
      type: 'exportChart',
      name: 'roofline',
      format: 'svg',
      content: 'x'.repeat(characters),
    });
    assert.ok(decodeFromWebview(chart(900_000)).ok);
    assert.ok(!decodeFromWebview(chart(900_001)).ok);
    const padded = { ...chart(1), more: 'x'.repeat(MAX_MESSAGE_BYTES) };
    const refused = decodeFromWebview(padded);
    assert.ok(!refused.ok);
    assert.match(refused.reason, /at most 1000000 characters, got 10\d+/);
  });

  it('quote little of rejected data', () => {
    const refused = decodeFromWebview({ type: 'x'.repeat(900_000) });
    assert.ok(!refused.ok && refused.reason.length <= 300);
  });
});
