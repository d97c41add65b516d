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
  it('takes fast typing in one field back as one step, and does it again', () => {
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

  it('makes a step of its own of another field, of a pause, and of a choice', () => {
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

  it('has nothing to undo where typing came back to where it began', () => {
    const state = after(show(), edit('problem.m', '25'), edit('problem.m', '256'));
    assert.equal(state.history.past.length, 0);
    assert.equal(reduce(state, undo), state);
  });

  it('takes back text that is no value before it touches the configuration', () => {
    const faulty = after(show(), edit('problem.n', '64'), pause, edit('problem.m', '0'));
    const once = reduce(faulty, undo);
    assert.deepEqual([once.drafts, sizes(once)], [{}, [256, 64]]);
    assert.deepEqual(sizes(reduce(once, undo)), [256, 256]);
  });

  it('takes back a value and the faulty text typed after it in one step', () => {
    const state = after(show(), edit('problem.m', '6'), edit('problem.m', '6x'));
    assert.deepEqual([reduce(state, undo).drafts, sizes(reduce(state, undo))], [{}, [256, 256]]);
  });

  it('forgets what could be redone once something else is changed', () => {
    const state = after(show(), edit('problem.m', '64'), undo, edit('problem.n', '8'));
    assert.equal(reduce(state, redo), state);
  });

  it('keeps a bounded number of steps, the newest', () => {
    const many = Array.from({ length: STEPS_KEPT + 5 }, (_, i) => [
      edit('problem.m', `${i + 1}`),
      pause,
    ]);
    const state = after(show(), ...many.flat());
    assert.equal(state.history.past.length, STEPS_KEPT);
    assert.equal(state.history.past[0]?.spec.problem.m, 5);
  });

  it('tells the extension of an undone change, and can redo it after the answer', () => {
    const state = after(show(), edit('problem.m', '64'), undo);
    assert.equal(state.order.edit, 2);
    assert.equal(reduce(state, show()).history.future.length, 1);
  });

  it('undo after any changes, as often as there were steps, comes back to the first', () => {
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
  it('makes a step of what is edited in the file', () => {
    const state = after(show(), edit('problem.m', '64'), edited(7));
    assert.equal(state.spec?.problem.m, 7);
    assert.deepEqual(sizes(reduce(state, undo)), [64, 256]);
    assert.deepEqual(sizes(reduce(reduce(state, undo), undo)), [256, 256]);
    assert.deepEqual(sizes(reduce(after(show(), edited(7)), undo)), [256, 256], 'the first change');
  });

  it('begins anew with another file, of another name or of the same', () => {
    const typed = after(show(), edit('problem.m', '64'));
    for (const other of [{ name: 'second.gemm.json' }, { document: 'b'.repeat(64) }]) {
      assert.equal(reduce(typed, show(other)).history.past.length, 0);
    }
  });

  it('is there again after a reload, with the pinned configuration', () => {
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

  it('drops saved steps that are no configurations', () => {
    const state = toSaved(after(show(), edit('problem.m', '64')));
    const history = { past: [{ spec: { problem: 5 } }, ...state.history.past], future: [] };
    assert.equal(readSaved({ ...state, history }).history.past.length, 1);
    assert.equal(readSaved({ ...state, history: 'x' }).spec, null);
    assert.equal(readSaved({ ...state, pinned: { spec: 1, name: 'x' } }).pinned, null);
  });
});

describe('explorer history: two configurations', () => {
  it('swaps them, and undo swaps them back', () => {
    const two = after(show(), { type: 'pin' }, edit('problem.m', '64'), pause);
    const swapped = reduce(two, { type: 'swap' });
    assert.deepEqual([swapped.spec?.problem.m, swapped.pinned?.spec.problem.m], [256, 64]);
    const back = reduce(swapped, undo);
    assert.deepEqual([back.spec?.problem.m, back.pinned?.spec.problem.m], [64, 256]);
    const again = reduce(back, redo);
    assert.deepEqual([again.spec?.problem.m, again.pinned?.spec.problem.m], [256, 64]);
  });

  it('undo of an ordinary change leaves the pinned one alone', () => {
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
  it('are those of every editor, on every keyboard', () => {
    assert.equal(press({ key: 'z', ctrlKey: true }), 'undo');
    assert.equal(press({ key: 'z', metaKey: true }), 'undo');
    assert.equal(press({ key: 'Z', ctrlKey: true, shiftKey: true }), 'redo');
    assert.equal(press({ key: 'y', ctrlKey: true }), 'redo');
    assert.equal(press({ key: 'я', code: 'KeyZ', ctrlKey: true }), 'undo');
    assert.equal(press({ key: 'z', code: 'KeyY', ctrlKey: true }), 'undo', 'a German keyboard');
  });
  it('leave others alone', () => {
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
