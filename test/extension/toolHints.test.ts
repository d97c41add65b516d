import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { config } from '@vscode/l10n';
import { shownHint } from '../../src/extension/toolHints';
import { doctor } from '../../src/host/doctor';

describe('hints of the tool chain', () => {
  afterEach(() => {
    config({ contents: {} });
  });

  it('are in the language of the display, for tools that are there and for those that are not', async () => {
    const nothing = { search: { environment: { PATH: '/nowhere' } } };
    const lacking = await doctor(nothing);
    const here = lacking.map(tool => ({ ...tool, found: true }));
    const english = [...lacking, ...here].map(shownHint);
    const bundle = JSON.parse(readFileSync('media/l10n/bundle.l10n.de.json', 'utf8')) as Record<
      string,
      string
    >;
    config({ contents: bundle });
    const german = [...lacking, ...here].map(shownHint);
    const same = english.filter((hint, i) => hint === german[i]);
    const shown = [...lacking, ...here].filter(({ id }) => ['nvcc', 'ncu', 'cxx'].includes(id));
    assert.ok(shown.length >= 6);
    for (const tool of shown.filter(({ path }) => path === null)) {
      assert.ok(!same.includes(shownHint(tool)), shownHint(tool));
    }
  });

  it('keep what a program said, and which GPUs there are', () => {
    const broken = { id: 'nvcc', found: false, version: null, path: '/x/nvcc', hint: 'it broke' };
    assert.equal(shownHint(broken), 'it broke');
    const gpu = {
      id: 'gpu',
      found: true,
      version: '1',
      path: '/x',
      hint: 'Runs CUDA kernels: T4.',
    };
    assert.equal(shownHint(gpu), 'Runs CUDA kernels: T4.');
  });
});
