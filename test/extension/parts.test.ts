/** The extension's parts that need no VS Code: page, queue, guard, arguments, sizes, texts. */
import assert from 'node:assert/strict';
import { assert as check, property, string, anything } from 'fast-check';
import { decodeKernelArgument } from '../../src/extension/commandArguments';
import { difference } from '../../src/extension/difference';
import { contentSecurityPolicy, pageHtml } from '../../src/extension/html';
import { createJobQueue, createJobQueues } from '../../src/extension/jobQueue';
import { parseSizes, sizesLabel } from '../../src/extension/sizes';
import { createGuard } from '../../src/extension/trust';

describe('the page', () => {
  const assets = {
    ...{ nonce: 'N0nce_-', source: 'https://*.vscode-cdn.net' },
    ...{ script: 'https://host/a b.js?x=1&y="2"', style: 'https://host/style.css' },
    shared: 'https://host/shared.js',
    ...{ language: 'de', bundle: { 'a < b': '</script><script>alert(1)</script>' } },
  };

  it('allows its own script, style, fonts and worker, and nothing else', () => {
    assert.equal(
      contentSecurityPolicy(assets),
      "default-src 'none'; script-src 'nonce-N0nce_-'; style-src https://*.vscode-cdn.net 'nonce-N0nce_-'; font-src https://*.vscode-cdn.net; img-src https://*.vscode-cdn.net data:; connect-src https://*.vscode-cdn.net; worker-src blob:",
    );
  });

  it('is in the language of its texts, which it holds as data', () => {
    const html = pageHtml(assets);
    assert.match(html, /<html lang="de">/);
    const data =
      /<script type="application\/json" id="l10n">(.*?)<\/script>/s.exec(html)?.[1] ?? '';
    assert.deepEqual(JSON.parse(data), assets.bundle);
  });

  it('has a root, one script with the nonce, and no inline script', () => {
    const html = pageHtml(assets);
    assert.match(html, /<div id="root"><\/div>/);
    assert.deepEqual(html.match(/<script(?! type="application\/json")[^>]*>/g)?.length, 1);
    assert.match(html, /<script type="module" nonce="N0nce_-" src="[^"]+"><\/script>/);
    assert.match(
      html,
      /<link rel="modulepreload" nonce="N0nce_-" href="https:\/\/host\/shared.js">/,
    );
    assert.match(html, /<meta property="csp-nonce" content="N0nce_-">/);
    assert.ok(!html.includes('y="2"'), 'attributes are escaped');
  });
});

describe('the page in a browser', () => {
  const assets = {
    ...{ nonce: 'N0nce_-', source: "'self'", language: 'en', bundle: {} },
    ...{ script: './webview.js', shared: './webviewShared.js', style: './explorer.css' },
    browser: { script: './browserPage.js', style: './browserPage.css' },
  };

  it('talks to where it came from, and to nobody else', () => {
    assert.match(
      contentSecurityPolicy(assets),
      /^default-src 'none'; .*; connect-src 'self'; worker-src blob:$/,
    );
  });

  it('loads what stands in for VS Code before the page, and says where it is', () => {
    const html = pageHtml(assets);
    assert.match(html, /<html lang="en" data-place="browser">/);
    const sources = [...html.matchAll(/<script(?: type="module")? nonce="N0nce_-" src="([^"]+)"/g)];
    assert.deepEqual(
      sources.map(([, source]) => source),
      ['./browserPage.js', './webview.js'],
    );
  });
});

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

describe('the trust guard', () => {
  it('acts only in a trusted workspace, and says what it would have done', async () => {
    let trusted = false;
    const refused: string[] = [];
    const guard = createGuard(
      () => trusted,
      message => refused.push(message),
    );
    let acted = 0;
    const act = (): Promise<number> => Promise.resolve(++acted);
    assert.equal(await guard('Running', act), undefined);
    assert.equal(acted, 0);
    assert.match(refused[0] ?? '', /^Running needs a trusted workspace/);
    trusted = true;
    assert.equal(await guard('Running', act), 1);
    assert.equal(refused.length, 1);
  });
});

describe('command arguments', () => {
  it('takes what a CodeLens or a menu passes', () => {
    const uri = 'file:///a%20b/k.cu';
    assert.deepEqual(decodeKernelArgument({ uri, entry: 'gemm' }), { uri, entry: 'gemm' });
    assert.deepEqual(decodeKernelArgument({ uri }), { uri });
    const field = 'schedule.block.m';
    assert.deepEqual(decodeKernelArgument({ uri, field }), { uri, field });
    assert.equal(decodeKernelArgument({ uri, field: 'a"]b' }), undefined);
    const menu = { scheme: 'file', path: '/a b/k.cu', toString: () => uri };
    assert.deepEqual(decodeKernelArgument(menu), { uri });
  });

  it('takes nothing else', () => {
    const bad = [undefined, null, 'file:///x', {}, { uri: 7 }, { uri: 'no scheme' }, []];
    for (const value of bad) assert.equal(decodeKernelArgument(value), undefined);
    const long = { uri: `file:///${'x'.repeat(5000)}` };
    assert.equal(decodeKernelArgument(long), undefined);
    assert.equal(decodeKernelArgument({ uri: 'file:///x', entry: 'a; b' }), undefined);
  });

  it('never throws', () => {
    check(
      property(anything({ withNullPrototype: true }), value => {
        decodeKernelArgument(value);
      }),
    );
  });
});

describe('sizes', () => {
  const good: readonly (readonly [string, string])[] = [
    ['1024', '1024 x 1024 x 1024'],
    ['512 x 256 x 64', '512 x 256 x 64'],
    ['512x256x64', '512 x 256 x 64'],
    ['512 256 64', '512 x 256 x 64'],
    ['m=512, n=256, k=64', '512 x 256 x 64'],
    ['512 × 256 × 64', '512 x 256 x 64'],
  ];
  for (const [text, label] of good) {
    it(`reads "${text}"`, () => {
      const parsed = parseSizes(text);
      assert.ok(parsed.ok, JSON.stringify(parsed));
      assert.equal(sizesLabel(parsed.sizes), label);
    });
  }

  for (const text of [
    '',
    '0',
    '-1',
    '1.5',
    '1 2',
    '1 2 3 4',
    'abc',
    '99999999999',
    'NaN',
    '1e99',
  ]) {
    it(`refuses "${text}" with a message`, () => {
      const parsed = parseSizes(text);
      assert.ok(!parsed.ok);
      assert.match(parsed.message, /\.$/);
    });
  }
});

describe('differences of texts', () => {
  it('are one replacement that gives the new text', () => {
    check(
      property(string(), string(), string(), (before, after, shared) => {
        const [from, to] = [`${shared}${before}${shared}`, `${shared}${after}${shared}`];
        const { start, end, text } = difference(from, to);
        assert.equal(from.slice(0, start) + text + from.slice(end), to);
      }),
    );
    assert.deepEqual(difference('m: 64,', 'm: 128,'), { start: 3, end: 5, text: '128' });
  });
});
