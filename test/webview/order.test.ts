/**
 * The extension and two pages with crossing, late, repeated and reordered messages: all converge to
 * one state.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { show } from '../../scripts/page/samples';
import { PageOrder, type PageName } from '../../src/extension/explorer/pageOrder';
import { initialState, type Message, type Show, type State } from '../../webview/state';
import { reduce } from '../../webview/store';
import { runs } from '../helpers/depth';

const PAGES = ['panel', 'browser'] as const satisfies readonly PageName[];
const DONE = ['type', 'reload', 'hear', 'hearAgain', 'tell', 'tellAgain'] as const;

type Act =
  | { readonly kind: (typeof DONE)[number]; readonly page: PageName; readonly at: number }
  | { readonly kind: 'write' | 'open' };

/** A page's edit in flight, with the test's bookkeeping. */
interface Edit {
  readonly edit: number;
  readonly revision: number;
  readonly m: number;
  readonly document: number;
  readonly page: PageName;
  /** Which page of the place it is of: each reload is another one. */
  readonly life: number;
}

interface Place {
  state: State;
  life: number;
  /** On their way, and come already. */
  shows: Show[];
  heard: Show[];
  edits: Edit[];
}

/** Each spec has a unique size that identifies its edit. */
class Exchange {
  private readonly order = new PageOrder();
  private sizes = 1;
  private m = 1;
  private document = 0;
  /** The document of each revision. */
  private readonly documents = new Map<number, number>();
  private readonly taken: Edit[] = [];
  private readonly places: Readonly<Record<PageName, Place>> = {
    panel: { state: initialState(), life: 0, shows: [], heard: [], edits: [] },
    browser: { state: initialState(), life: 0, shows: [], heard: [], edits: [] },
  };

  constructor() {
    for (const page of PAGES) this.reload(page);
  }

  perform(act: Act): void {
    switch (act.kind) {
      case 'type':
        this.reduce(act.page, { type: 'edit', path: 'problem.m', text: `${++this.sizes}` });
        return;
      case 'reload':
        this.reload(act.page);
        return;
      case 'hear':
        this.hear(act.page, act.at);
        return;
      case 'hearAgain':
        this.hearAgain(act.page, act.at);
        return;
      case 'tell':
        this.tell(act.page, act.at);
        return;
      case 'tellAgain':
        this.tellAgain(act.page, act.at);
        return;
      case 'open':
        this.document += 1;
        this.order.documentChanged();
        this.change();
        return;
      case 'write':
        this.change();
    }
  }

  /** All that is on its way arrives. */
  settle(at: number): void {
    const waiting = () => PAGES.flatMap(page => [this.places[page].shows, this.places[page].edits]);
    for (let i = at; waiting().some(({ length }) => length > 0); i++) {
      const page = PAGES[i % 2] ?? 'panel';
      if (i % 3 === 0) this.hear(page, i);
      else this.tell(page, i);
    }
  }

  check(): void {
    for (const page of PAGES) {
      const { spec, name } = this.places[page].state;
      assert.equal(spec?.problem.m, this.m, `what the ${page} shows`);
      assert.equal(name, this.name());
    }
  }

  /** Documents are opened again. */
  private readonly name = (): string => `${this.document % 2}.gemm.json`;

  private change(): void {
    this.m = ++this.sizes;
    for (const page of PAGES) this.show(page);
  }

  private show(page: PageName): void {
    const order = this.order.next(page);
    this.documents.set(order.revision, this.document);
    const spec = { problem: { m: this.m, n: 8, k: 8 } };
    this.places[page].shows.push(show({ ...order, name: this.name(), spec }));
  }

  /** What the page was told is lost with it; what it said may still come. */
  private reload(page: PageName): void {
    const place = this.places[page];
    const { spec, name } = place.state;
    Object.assign(place, { state: { ...initialState(), spec, name }, shows: [], heard: [] });
    place.life += 1;
    this.order.loaded(page);
    this.show(page);
  }

  /** As webview/page.tsx does. */
  private reduce(page: PageName, message: Message): void {
    const place = this.places[page];
    const before = place.state;
    place.state = reduce(before, message);
    const { spec, order } = place.state;
    const { edit, editedOn: revision } = order;
    const isNew = edit !== before.order.edit || revision !== before.order.editedOn;
    if (!isNew || revision === 0 || spec === null) return;
    const document = this.documents.get(revision) ?? -1;
    place.edits.push({ edit, revision, m: spec.problem.m, document, page, life: place.life });
  }

  private hear(page: PageName, at: number): void {
    const { shows, heard, edits, life, state } = this.places[page];
    const [message] = shows.splice(at % Math.max(1, shows.length), 1);
    if (message === undefined) return;
    heard.push(message);
    this.reduce(page, { type: 'received', message });
    const after = this.places[page].state;
    assert.ok(after.order.revision >= state.order.revision);
    if (message.revision < state.order.revision) {
      // State of an older document does not cover edits of the shown one.
      assert.equal(after, state, 'older than shown');
      return;
    }
    const document = this.documents.get(message.revision);
    const own = edits.filter(edit => edit.life === life && edit.document === document);
    const newest = own.find(({ edit }) => edit === state.order.edit);
    if (newest !== undefined) assert.equal(after.spec?.problem.m, newest.m, 'an edit on its way');
  }

  private hearAgain(page: PageName, at: number): void {
    const place = this.places[page];
    const message = place.heard[at % Math.max(1, place.heard.length)];
    if (message === undefined) return;
    const before = place.state;
    this.reduce(page, { type: 'received', message });
    assert.equal(place.state, before, 'told twice');
  }

  private tell(page: PageName, at: number): void {
    const { edits, life } = this.places[page];
    const [edit] = edits.splice(at % Math.max(1, edits.length), 1);
    if (edit === undefined) return;
    const isLate = this.taken.some(
      other => other.page === page && other.life === life && other.edit >= edit.edit,
    );
    const counts = edit.document === this.document && edit.life === life && !isLate;
    assert.equal(this.order.takes(page, edit), counts);
    if (!counts) return;
    this.taken.push(edit);
    this.m = edit.m;
    this.show(page === 'panel' ? 'browser' : 'panel');
  }

  private tellAgain(page: PageName, at: number): void {
    const edit = this.taken[at % Math.max(1, this.taken.length)];
    if (edit?.page === page) assert.ok(!this.order.takes(page, edit), 'told twice');
  }
}

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom(...DONE),
      page: fc.constantFrom(...PAGES),
      at: fc.nat(20),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('write' as const, 'open' as const) }) },
);

/** Opens a second document during an edit; the write to the first document arrives afterwards. */
const OLDER_DOCUMENT_LAST: Act[] = [
  { kind: 'hear', page: 'panel', at: 0 },
  { kind: 'write' },
  { kind: 'open' },
  { kind: 'type', page: 'panel', at: 0 },
  { kind: 'hear', page: 'panel', at: 3 },
];

describe('crossing, late, repeated and reordered messages', () => {
  it('never restore an older spec, never edit another document, and converge to one spec', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), fc.nat(5), (acts, at) => {
        const exchange = new Exchange();
        for (const each of acts) exchange.perform(each);
        exchange.settle(at);
        exchange.check();
      }),
      { ...runs(2000), examples: [[OLDER_DOCUMENT_LAST, 2]] },
    );
  });
});
