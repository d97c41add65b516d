import assert from 'node:assert/strict';
import fc from 'fast-check';
import { newest } from '../../scripts/page/samples';
import type { Measurement } from '../../src/core/measure/measurement';
import { resolve } from '../../src/core/defaults/resolve';
import { specKey } from '../../src/core/plan/specKey';
import type { GemmSpec } from '../../src/core/spec/schema';
import type { ToWebview } from '../../src/protocol';
import { initialState, type Message, type Show, type State } from '../../webview/state';
import { reduce } from '../../webview/store';
import { runs } from '../helpers/depth';

const SHOWN: GemmSpec = {
  problem: { m: 256, n: 256, k: 256 },
  schedule: { algorithm: 'thread-tile-2d' },
};
const KEY = specKey(resolve(SHOWN));

const show = (over: Partial<Show> = {}): Message => ({
  type: 'received',
  message: {
    type: 'show',
    ...newest(),
    spec: SHOWN,
    name: 'first.gemm.json',
    trusted: true,
    backends: [],
    runs: [],
    ...over,
  },
});

const after = (...messages: readonly Message[]): State => messages.reduce(reduce, initialState());
const edit = (path: string, text: string): Message => ({ type: 'edit', path, text });

const measurement: Measurement = {
  specKey: 'x',
  kernelKey: 'y',
  resolved: null,
  backend: 'webgpu',
  device: { name: 'GPU', adapter: 'GPU adapter', driver: '1', where: 'webview' },
  outcome: 'correct',
  verification: { reference: 'f64', maxError: 0, bound: 1, mismatches: 0, samples: 1 },
};

const measuredCeilings = (of: string): ToWebview => ({
  type: 'measured',
  id: 'r',
  measurement: {
    ...measurement,
    specKey: of,
    ceilings: { gflops: 10, bandwidthGBps: 5, how: 'x' },
  },
});

describe('explorer state: editing', () => {
  it('changes the spec when the text is a legal value', () => {
    const state = after(show(), edit('problem.m', '512'));
    assert.equal(state.spec?.problem.m, 512);
    assert.deepEqual(state.drafts['problem.m'], { text: '512', error: null });
  });

  it('keeps the spec and shows the reason when it is not', () => {
    for (const text of ['0', '-4', '12.5', '', '1e99', 'abc']) {
      const state = after(show(), edit('problem.m', text));
      assert.equal(state.spec?.problem.m, 256, text);
      assert.match(state.drafts['problem.m']?.error ?? '', /Expected|Must be|required/, text);
    }
  });

  it('drops the text of a legal field on blur, and keeps an invalid one', () => {
    const left = after(show(), edit('problem.m', '512'), { type: 'leave', path: 'problem.m' });
    assert.deepEqual(left.drafts, {});
    const faulty = after(show(), edit('problem.m', '0'), { type: 'leave', path: 'problem.m' });
    assert.equal(faulty.drafts['problem.m']?.text, '0');
    assert.deepEqual(reduce(faulty, { type: 'restore', path: 'problem.m' }).drafts, {});
  });

  it('writes the defaults of a tile when one side changes', () => {
    const state = after(show(), edit('schedule.block.m', '64'));
    assert.deepEqual(state.spec?.schedule?.block, { m: 64, n: 128, k: 8 });
  });

  it('writes the schedule in use when the spec has none', () => {
    const bare = show({ spec: { problem: { m: 32, n: 32, k: 32 } } });
    const state = after(bare, edit('schedule.padding.a', '4'));
    assert.equal(state.spec?.schedule?.algorithm, 'shared-tile');
    assert.deepEqual(state.spec.schedule.padding, { a: 4 });
  });

  it('removes a field and the group that becomes empty', () => {
    const state = after(show(), edit('schedule.padding.a', '4'), edit('schedule.padding.a', ''));
    assert.equal(state.spec?.schedule?.padding, undefined);
  });

  it('rejects invalid text of any length, and stores little of it', () => {
    const texts = [
      '1e999',
      '-1e999',
      '٣٢',
      '１２８',
      '1,024',
      '0.1e1x',
      ' ',
      '−5',
      '9'.repeat(1_000_000),
    ];
    for (const text of texts) {
      const state = after(show(), edit('problem.m', text));
      assert.equal(state.spec?.problem.m, 256, text.slice(0, 20));
      const draft = state.drafts['problem.m'];
      assert.ok(draft !== undefined && draft.error !== null && draft.text.length <= 60);
      assert.ok(draft.error.length < 120, draft.error);
    }
    assert.equal(after(show(), edit('problem.m', '1.28e2')).spec?.problem.m, 128);
  });

  it('survives any text in any field', () => {
    const paths = [
      'problem.m',
      'problem.a.ld',
      'schedule.block.k',
      'schedule.thread.n',
      'device',
      'x.y',
    ];
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.string(), (path, text) => {
        const state = after(show(), edit(path, text));
        assert.notEqual(state.spec, null);
      }),
      { ...runs(200) },
    );
  });
});

describe('explorer state: the extension', () => {
  it('keeps an edit that the extension has not received, and accepts newer specs', () => {
    const typed = after(show(), edit('problem.m', '51'), edit('problem.m', '512'));
    const from = (known: number, m: number) =>
      show({ edit: known, spec: { problem: { m, n: 256, k: 256 } } });
    assert.equal(reduce(typed, from(1, 51)).spec?.problem.m, 512);
    assert.equal(reduce(typed, from(2, 51)).spec?.problem.m, 51, 'changed elsewhere since');
    const other = show({ edit: 1, name: 'b', spec: { problem: { m: 9, n: 9, k: 9 } } });
    assert.equal(reduce(typed, other).spec?.problem.m, 9, 'another document');
  });

  it('discards edits of another document', () => {
    const typed = after(show({ revision: 3, since: 1 }), edit('problem.m', '512'));
    const again = show({ revision: 7, since: 5, edit: 0 });
    assert.equal(reduce(typed, again).spec?.problem.m, 256, 'shown anew in between');
    assert.equal(reduce(typed, show({ revision: 7, since: 3, edit: 0 })).spec?.problem.m, 512);
  });

  it('drops messages older than the shown one', () => {
    const shown = after(show({ revision: 3 }));
    for (const revision of [0, 2, 3]) {
      const late = show({ revision, name: 'late.gemm.json', trusted: false });
      assert.equal(reduce(shown, late), shown);
    }
  });

  it('reports an edit made before the first `show` after it', () => {
    const saved = { spec: { problem: { m: 256, n: 256, k: 256 } }, name: 'first.gemm.json' };
    const typed = reduce({ ...initialState(), ...saved }, edit('problem.m', '512'));
    assert.equal(typed.order.editedOn, 0, 'not told yet');
    const known = reduce(typed, show({ revision: 9, since: 9, edit: 0 }));
    assert.deepEqual([known.spec?.problem.m, known.order.editedOn], [512, 9]);
    const other = reduce(typed, show({ revision: 9, since: 9, edit: 0, name: 'b.gemm.json' }));
    assert.deepEqual([other.spec?.problem.m, other.order.editedOn], [256, 0]);
  });

  it('switches to the language of another file, and keeps the choice for the same file', () => {
    const wgsl = () => show({ name: 'x.wgsl', target: 'wgsl' });
    const opened = after(show(), wgsl());
    assert.equal(opened.view.target, 'wgsl');
    const turned = after(show(), wgsl(), { type: 'view', view: { target: 'cuda' } }, wgsl());
    assert.equal(turned.view.target, 'cuda');
    assert.equal(after(show(), wgsl(), show({ name: 'x.cu', target: 'cuda' })).view.target, 'cuda');
  });

  it('keeps its state when a spec names an unknown device', () => {
    const state = after(
      show(),
      show({ spec: { problem: { m: 1, n: 1, k: 1 }, device: 'abacus' } }),
    );
    assert.equal(state.spec?.problem.m, 256);
    assert.match(state.notice ?? '', /Unknown device/);
  });

  it('follows one run from start to result', () => {
    let state = after(show(), { type: 'run', backend: 'webgpu', mode: 'time' });
    assert.equal(state.running?.id, null);
    state = reduce(state, { type: 'run', backend: 'cuda', mode: 'time' });
    assert.equal(state.running?.backend, 'webgpu', 'a second run waits for the first');
    state = reduce(state, {
      type: 'received',
      message: { type: 'progress', id: 'r1', stage: 'Timing', fraction: 0.5 },
    });
    assert.deepEqual([state.running?.id, state.running?.fraction], ['r1', 0.5]);
    const late: Message = {
      type: 'received',
      message: { type: 'progress', id: 'r0', stage: 'Old' },
    };
    assert.equal(reduce(state, late), state, 'another run does not speak for this one');
    const measured: Message = {
      type: 'received',
      message: { type: 'measured', id: 'r1', measurement },
    };
    state = reduce(state, measured);
    assert.equal(state.running, null);
    assert.equal(state.runs.length, 1);
    assert.equal(reduce(state, measured).runs.length, 1, 'the extension may say it again');
  });

  it('ends a run that failed, with the reason', () => {
    const state = after(
      show(),
      { type: 'run', backend: 'cuda', mode: 'verify' },
      { type: 'received', message: { type: 'failed', message: 'nvcc was not found.' } },
    );
    assert.equal(state.running, null);
    assert.equal(state.notice, 'nvcc was not found.');
  });

  it('selects the roofline of the machine that has just measured its ceilings', () => {
    const message = measuredCeilings(KEY);
    assert.equal(after(show(), { type: 'received', message }).view.machine, 'GPU, webview');
  });

  it('keeps its machine when a run of another spec ends', () => {
    const message = measuredCeilings('gemm-of-another-spec');
    assert.equal(after(show(), { type: 'received', message }).view.machine, null);
  });

  it('returns to the device of the spec for another document', () => {
    const measured: Message = { type: 'received', message: measuredCeilings(KEY) };
    assert.equal(after(show(), measured, show({ name: 'b.gemm.json' })).view.machine, null);
    assert.equal(after(show(), measured, show()).view.machine, 'GPU, webview');
  });

  it('switches to the WGSL kernel when the extension runs it for the shown spec', () => {
    const job = { id: 'r', mode: 'time', seed: 1, source: '', spec: SHOWN } as const;
    const of = (spec: GemmSpec | null): Message => ({
      type: 'received',
      message: { type: 'runWebgpu', job: { ...job, spec } },
    });
    const cuda = show({ name: 'x.cu', target: 'cuda' });
    assert.equal(after(cuda, of(SHOWN)).view.target, 'wgsl');
    assert.equal(after(cuda, of({ problem: { m: 1, n: 1, k: 1 } })).view.target, 'cuda');
    assert.equal(after(cuda, of(null)).view.target, 'cuda');
  });
});
