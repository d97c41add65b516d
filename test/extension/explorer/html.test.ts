/** The HTML of the explorer and its content security policy. */
import assert from 'node:assert/strict';
import { contentSecurityPolicy, pageHtml } from '../../../src/extension/explorer/html';

describe('the page', () => {
  const assets = {
    nonce: 'N0nce_-',
    source: 'https://*.vscode-cdn.net',
    script: 'https://host/a b.js?x=1&y="2"',
    style: 'https://host/style.css',
    language: 'de',
    bundle: { 'a < b': '</script><script>alert(1)</script>' },
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
    assert.match(html, /<meta property="csp-nonce" content="N0nce_-">/);
    assert.ok(!html.includes('y="2"'), 'attributes are escaped');
  });
});

describe('the first frame of the page', () => {
  const assets = { nonce: 'n', source: 's', script: 'a', style: 'b', language: 'en', bundle: {} };

  it('precedes the root, and takes no input until the page replaces it', () => {
    const html = pageHtml({ ...assets, firstFrame: '<main>GEMM</main>' });
    assert.match(html, /<div id="first-frame" inert aria-busy="true"><main>GEMM<\/main><\/div>\n/);
    assert.ok(html.indexOf('first-frame') < html.indexOf('id="root"'));
  });

  it('is absent if there is nothing to show', () => {
    assert.ok(!pageHtml(assets).includes('first-frame'));
  });
});

describe('the page in a browser', () => {
  const assets = {
    nonce: 'N0nce_-',
    source: "'self'",
    language: 'en',
    bundle: {},
    script: './webview.js',
    style: './explorer.css',
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
