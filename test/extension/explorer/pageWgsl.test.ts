/** WGSL checked by a page: its own answers alone, in any order, and never a wait without end. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createPageWgsl } from '../../../src/extension/explorer/pageWgsl';
import type { ToWebview } from '../../../src/protocol';

const options = (signal = new AbortController().signal) => ({ limits: undefined, signal });
const of = (line: number) => [{ line, column: 2, message: 'unresolved' }];

describe('WGSL in a page', () => {
  const posted: Extract<ToWebview, { type: 'checkWgsl' }>[] = [];
  const page = {
    post: (message: ToWebview) => {
      if (message.type === 'checkWgsl') posted.push(message);
    },
  };
  beforeEach(() => posted.splice(0));

  it('gives each text its own answer, however they come', async () => {
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }), async order => {
        posted.splice(0);
        const wgsl = createPageWgsl(() => page);
        const answers = [0, 1, 2, 3].map(i => wgsl.check(`text ${i}`, options()));
        for (const i of order) {
          const message = posted[i];
          assert.equal(message?.source, `text ${i}`);
          const answer = { type: 'wgslChecked', id: message.id, messages: of(i + 1) } as const;
          wgsl.heard(answer);
          wgsl.heard({ ...answer, messages: of(99) });
        }
        wgsl.heard({ type: 'wgslChecked', id: 'unknown', messages: of(98) });
        const lines = (await Promise.all(answers)).map(answer =>
          answer?.ok === true ? answer.messages[0]?.line : undefined,
        );
        assert.deepEqual(lines, [1, 2, 3, 4]);
      }),
    );
  });

  it('leaves it to others where no page answers, has a GPU, or is there', async () => {
    const silent = createPageWgsl(() => page, 20);
    assert.equal(await silent.check('x', options()), undefined);
    assert.equal(await createPageWgsl(() => undefined).check('x', options()), undefined);
    const blind = createPageWgsl(() => page);
    const answer = blind.check('x', options());
    blind.heard({ type: 'wgslChecked', id: posted.at(-1)?.id ?? '', messages: null });
    assert.equal(await answer, undefined);
  });

  it('ends with the text that it was about', async () => {
    const controller = new AbortController();
    const answer = createPageWgsl(() => page).check('x', options(controller.signal));
    controller.abort();
    assert.equal(await answer, undefined);
  });
});
