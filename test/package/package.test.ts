/** What ships: nothing surplus, nothing missing, each part within its budget. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BUDGET_BYTES } from '../../scripts/pack/budget';
import { measureSizes } from '../../scripts/pack/sizes';
import { withoutRelativeLinks } from '../../scripts/pack/stage';
import { zipNames } from './zip';

/**
 * Loads and activates a bundle in a VS Code that agrees to everything; says which bundles it loads,
 * and when.
 */
const START = `'use strict';
const anything = new Proxy(class {}, {
  get: (target, name) =>
    name === Symbol.toPrimitive ? () => 'anything'
    : name === Symbol.iterator ? function* () {}
    : name === 'prototype' || name === 'then' ? target[name]
    : anything,
  set: () => true,
  apply: () => anything,
  construct: () => anything,
});
process.on('uncaughtException', ({ message }) => {
  console.log(JSON.stringify(message));
  process.exit();
});
const loaded = { load: [], activate: [], later: [], turns: [] };
let when = 'load';
const Module = require('node:module');
const load = Module._load;
Module._load = (name, ...others) => {
  // Named exports are found on the prototype, as the bundle copies what an object has of its own.
  if (name === 'vscode') return Object.create(anything);
  if (name.endsWith('.cjs') && name.startsWith('./')) loaded[when].push(name);
  return load(name, ...others);
};
const extension = require(process.argv[1]);
loaded.turns.push(when);
when = 'activate';
extension.activate(anything);
loaded.turns.push(when);
when = 'later';
require(require('node:path').join(process.argv[1], '..', 'programs.cjs'));
loaded.later = [...new Set(loaded.later)];
console.log(JSON.stringify(loaded));
process.exit();
`;

describe('the package', function () {
  this.timeout(60_000);
  let folder = '';
  let sizes: Readonly<Record<string, number>> = {};

  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'gemm-package-'));
    sizes = measureSizes(folder);
  });

  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [name, most] of Object.entries(BUDGET_BYTES)) {
    it(`${name} has at most ${most / 1000} kB`, () => {
      const bytes = sizes[name] ?? Infinity;
      assert.ok(bytes <= most, `${bytes} B > ${most} B`);
      assert.ok(bytes > 1000, `${bytes} B are too few to be it`);
    });
  }

  it('has a budget for every bundle of code', () => {
    const code = Object.keys(sizes).filter(name => /\.c?js$/.test(name));
    const budgets = Object.keys(BUDGET_BYTES).filter(name => name.startsWith('dist/'));
    assert.deepEqual(code.toSorted(), budgets.toSorted());
  });

  it('starts with one bundle: the others are loaded at their first use', () => {
    const bundle = path.join(folder, 'package', 'dist', 'extension.cjs');
    const answer = execFileSync(process.execPath, ['-e', START, bundle], { encoding: 'utf8' });
    const expected = {
      load: [],
      activate: [],
      later: ['./texts.cjs', './core.cjs'],
      turns: ['load', 'activate'],
    };
    assert.deepEqual(JSON.parse(answer), expected);
  });

  it('holds exactly what runs, what VS Code reads and what people read', () => {
    const below = (name: string, ending: RegExp): readonly string[] =>
      existsSync(name)
        ? readdirSync(name, { recursive: true, encoding: 'utf8' })
            .filter(file => ending.test(file))
            .map(file => `extension/${name}/${file}`)
        : [];
    const translations = readdirSync('.').filter(name => /^package\.nls(\..+)?\.json$/.test(name));
    const expected = [
      '[Content_Types].xml',
      'extension.vsixmanifest',
      ...['package.json', 'readme.md', 'changelog.md', 'LICENSE.txt'].map(n => `extension/${n}`),
      ...[
        'extension.cjs',
        'core.cjs',
        'course.cjs',
        'export.cjs',
        'audit.cjs',
        'mcp.cjs',
        'texts.cjs',
        'firstFrame.cjs',
        'capsule.cjs',
        'programs.cjs',
        'dawnWorker.js',
        'slurmTask.cjs',
        'extension.web.cjs',
        'webview.js',
        'webviewPage.js',
        'webviewShared.js',
        'webviewLater.js',
        'simulateWorker.js',
        'explorer.css',
        'browserPage.js',
        'browserPage.css',
      ].map(name => `extension/dist/${name}`),
      ...below('media', /\.(json|png|svg|md)$/),
      ...below('l10n', /\.json$/),
      ...translations.map(name => `extension/${name}`),
    ];
    const names = zipNames(readFileSync(path.join(folder, 'gemm-explorer.vsix')));
    assert.deepEqual(names.toSorted(), expected.toSorted());
  });

  it('carries every file that its manifest names', () => {
    const staged = path.join(folder, 'package');
    const manifest = readFileSync(path.join(staged, 'package.json'), 'utf8');
    const named = [...manifest.matchAll(/"((?:\.\/)?(?:dist|media|l10n)\/[\w./-]+)"/g)];
    assert.ok(named.length > 3, 'the manifest names files');
    for (const [, name = ''] of named.filter(([, file]) => file !== 'dist/cli.js')) {
      assert.ok(existsSync(path.join(staged, name)), name);
    }
  });

  it('ships code without source maps or a path of this machine', () => {
    for (const name of readdirSync(path.join(folder, 'package', 'dist'))) {
      const text = readFileSync(path.join(folder, 'package', 'dist', name), 'utf8');
      assert.ok(!text.includes('sourceMappingURL'), name);
      assert.ok(!text.includes(process.cwd()), name);
    }
  });

  it('links to nothing that stays behind', () => {
    const text = '# A\n\n![shot](docs/a.png)\n\n[one](docs/b.md) and [two](https://x.org/a).\n';
    assert.equal(withoutRelativeLinks(text), '# A\n\none and [two](https://x.org/a).\n');
    const readme = readFileSync(path.join(folder, 'package', 'README.md'), 'utf8');
    for (const [, address = ''] of readme.matchAll(/\]\(([^)]*)\)/g)) {
      assert.match(address, /^https:/);
    }
  });
});
