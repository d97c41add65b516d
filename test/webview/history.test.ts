import assert from 'node:assert/strict';
import fc from 'fast-check';
import { newest } from '../../scripts/page/samples';
import { stepOf } from '../../webview/keys';
import { initialState, type Message, type Show, type State } from '../../webview/state';
import { STEPS_KEPT } from '../../webview/history';
import { reduce } from '../../webview/store';
import { readSaved, toSaved } from '../../webview/vscode';

const show = (over: Partial<Show> = {}): Message => ({
  type: 'received',
  message: {
    type: 'show',
    ...newest(),
    spec: { problem: { m: 256, n: 256, k: 256 }, schedule: { algorithm: 'thread-tile-2d' } },
    name: 'first.gemm.json',
    document: 'a'.repeat(64),
    trusted: true,
    backends: [],
    runs: [],
    ...over,
  },
});
const after = (...messages: readonly Message[]): State => messages.reduce(reduce, initialState());
const edit = (path: string, text: string): Message => ({ type: 'edit', path, text });
const sizes = ({ spec }: State) => [spec?.problem.m, spec?.problem.n];
const [pause, undo, redo] = (['pause', 'undo', 'redo'] as const).map(type => ({ type })) as [
  Message,
  Message,
  Message,
];
const edited = (m: number): Message => show({ spec: { problem: { m, n: 256, k: 256 } } });

describe('explorer history: steps', () => {
  it('undoes and redoes fast typing in one field as one step', () => {
    const typed = after(
      show(),
      edit('problem.m', '5'),
      edit('problem.m', '51'),
      edit('problem.m', '512'),
    );
    const undone = reduce(typed, undo);
    assert.deepEqual(sizes(undone), [256, 256]);
    assert.deepEqual(undone.drafts, {}, 'the field shows the value again');
    assert.equal(undone.history.past.length, 0);
    assert.deepEqual(sizes(reduce(undone, redo)), [512, 256]);
  });

  it('starts a new step for another field, a pause and a choice', () => {
    const state = after(
      show(),
      edit('problem.m', '64'),
      edit('problem.n', '64'),
      pause,
      edit('problem.n', '128'),
      { type: 'choose', changes: { 'problem.n': 32 } },
    );
    const seen: unknown[] = [];
    for (let at = state; at.history.past.length > 0;) {
      at = reduce(at, undo);
      seen.push(sizes(at));
    }
    assert.deepEqual(seen, [
      [64, 128],
      [64, 64],
      [64, 256],
      [256, 256],
    ]);
  });

  it('has nothing to undo after typing back to the initial value', () => {
    const state = after(show(), edit('problem.m', '25'), edit('problem.m', '256'));
    assert.equal(state.history.past.length, 0);
    assert.equal(reduce(state, undo), state);
  });

  it('discards invalid text before it changes the configuration', () => {
    const faulty = after(show(), edit('problem.n', '64'), pause, edit('problem.m', '0'));
    const once = reduce(faulty, undo);
    assert.deepEqual([once.drafts, sizes(once)], [{}, [256, 64]]);
    assert.deepEqual(sizes(reduce(once, undo)), [256, 256]);
  });

  it('undoes a value and the invalid text typed after it in one step', () => {
    const state = after(show(), edit('problem.m', '6'), edit('problem.m', '6x'));
    assert.deepEqual([reduce(state, undo).drafts, sizes(reduce(state, undo))], [{}, [256, 256]]);
  });

  it('clears redo after another change', () => {
    const state = after(show(), edit('problem.m', '64'), undo, edit('problem.n', '8'));
    assert.equal(reduce(state, redo), state);
  });

  it('keeps a bounded number of the newest steps', () => {
    const many = Array.from({ length: STEPS_KEPT + 5 }, (_, i) => [
      edit('problem.m', `${i + 1}`),
      pause,
    ]);
    const state = after(show(), ...many.flat());
    assert.equal(state.history.past.length, STEPS_KEPT);
    assert.equal(state.history.past[0]?.spec.problem.m, 5);
  });

  it('reports an undo to the extension, and can redo it after the reply', () => {
    const state = after(show(), edit('problem.m', '64'), undo);
    assert.equal(state.order.edit, 2);
    assert.equal(reduce(state, show()).history.future.length, 1);
  });

  it('returns to the first state after undoing every step', () => {
    const change = fc.oneof(
      fc
        .tuple(fc.constantFrom('problem.m', 'problem.n'), fc.nat(40))
        .map(([p, v]) => edit(p, `${v}`)),
      fc.constantFrom<Message>(pause, undo, redo, { type: 'pin' }, { type: 'swap' }),
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), changes => {
        const end = after(show(), pause, ...changes);
        let at = end;
        for (let i = 0; i < 80; i++) at = reduce(at, undo);
        assert.deepEqual(sizes(at), [256, 256]);
        for (let i = 0; i < 80; i++) at = reduce(at, redo);
        const last = end.history.future[0]?.spec ?? end.spec;
        assert.deepEqual(at.spec, last);
      }),
    );
  });
});

describe('explorer history: the file and the page', () => {
  it('records an edit of the file as a step', () => {
    const state = after(show(), edit('problem.m', '64'), edited(7));
    assert.equal(state.spec?.problem.m, 7);
    assert.deepEqual(sizes(reduce(state, undo)), [64, 256]);
    assert.deepEqual(sizes(reduce(reduce(state, undo), undo)), [256, 256]);
    assert.deepEqual(sizes(reduce(after(show(), edited(7)), undo)), [256, 256], 'the first change');
  });

  it('starts empty for another file, also of the same name', () => {
    const typed = after(show(), edit('problem.m', '64'));
    for (const other of [{ name: 'second.gemm.json' }, { document: 'b'.repeat(64) }]) {
      assert.equal(reduce(typed, show(other)).history.past.length, 0);
    }
  });

  it('survives a reload, with the pinned configuration', () => {
    const state = after(
      show(),
      edit('problem.m', '64'),
      pause,
      { type: 'pin' },
      edit('problem.m', '32'),
      undo,
    );
    const saved = readSaved(JSON.parse(JSON.stringify(toSaved(state))));
    const again = { ...initialState(saved.view), ...saved };
    assert.deepEqual(toSaved(again), toSaved(state));
    const shown = reduce(
      again,
      show({
        spec: { problem: { m: 64, n: 256, k: 256 }, schedule: { algorithm: 'thread-tile-2d' } },
      }),
    );
    assert.deepEqual(sizes(reduce(shown, redo)), [32, 256]);
    assert.deepEqual(sizes(reduce(shown, undo)), [256, 256]);
  });

  it('drops saved steps that are not configurations', () => {
    const state = toSaved(after(show(), edit('problem.m', '64')));
    const history = { past: [{ spec: { problem: 5 } }, ...state.history.past], future: [] };
    assert.equal(readSaved({ ...state, history }).history.past.length, 1);
    assert.equal(readSaved({ ...state, history: 'x' }).spec, null);
    assert.equal(readSaved({ ...state, pinned: { spec: 1, name: 'x' } }).pinned, null);
  });
});

describe('explorer history: two configurations', () => {
  it('swaps them, and undo reverts the swap', () => {
    const two = after(show(), { type: 'pin' }, edit('problem.m', '64'), pause);
    const swapped = reduce(two, { type: 'swap' });
    assert.deepEqual([swapped.spec?.problem.m, swapped.pinned?.spec.problem.m], [256, 64]);
    const back = reduce(swapped, undo);
    assert.deepEqual([back.spec?.problem.m, back.pinned?.spec.problem.m], [64, 256]);
    const again = reduce(back, redo);
    assert.deepEqual([again.spec?.problem.m, again.pinned?.spec.problem.m], [256, 64]);
  });

  it('keeps the pinned one when undoing an ordinary change', () => {
    const state = after(
      show(),
      edit('problem.m', '64'),
      { type: 'pin' },
      pause,
      edit('problem.m', '8'),
      undo,
    );
    assert.equal(state.pinned?.spec.problem.m, 64);
  });
});

describe('explorer history: keys', () => {
  const none = {
    code: '',
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    isComposing: false,
  };
  const press = (over: object) => stepOf({ key: '', ...none, ...over });
  it('match those of editors on every keyboard layout', () => {
    assert.equal(press({ key: 'z', ctrlKey: true }), 'undo');
    assert.equal(press({ key: 'z', metaKey: true }), 'undo');
    assert.equal(press({ key: 'Z', ctrlKey: true, shiftKey: true }), 'redo');
    assert.equal(press({ key: 'y', ctrlKey: true }), 'redo');
    assert.equal(press({ key: 'я', code: 'KeyZ', ctrlKey: true }), 'undo');
    assert.equal(press({ key: 'z', code: 'KeyY', ctrlKey: true }), 'undo', 'a German keyboard');
  });
  it('ignore other keys', () => {
    for (const over of [
      { key: 'z' },
      { key: 'z', ctrlKey: true, altKey: true },
      { key: 'z', ctrlKey: true, metaKey: true },
      { key: 'y', ctrlKey: true, shiftKey: true },
      { key: 'z', ctrlKey: true, isComposing: true },
      { key: 'a', ctrlKey: true },
    ]) {
      assert.equal(press(over), null, JSON.stringify(over));
    }
  });
});
