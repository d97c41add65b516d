/**
 * Bundles `src/core` and the decoders once, as `core.cjs`, which the other bundles share. In Node,
 * it is a CommonJS module, which is loaded on the first use of one of its exports. A module that
 * uses an export while it is evaluated would load it immediately. In a browser, it is a script that
 * runs before the bundles that need it.
 */
import { build } from 'esbuild';
import { readdirSync } from 'node:fs';
import path from 'node:path';

const CORE = path.resolve('src', 'core');
/** Decoders, which are part of the bundle because they share its schemas. */
const DECODERS = ['protocol.ts', 'hostValues.ts'].map(name => path.resolve('src', name));
/**
 * Modules that the status bar's text and hover require at startup. They are small and import no
 * other modules of the core.
 */
const AT_START = ['plainText', 'markdown'].map(name => path.join(CORE, 'text', `${name}.ts`));
const isLater = file =>
  DECODERS.includes(file) || (file.startsWith(CORE + path.sep) && !AT_START.includes(file));
const idOf = file => path.relative('src', file).replaceAll(path.sep, '/');

/** Global variable of the core in a browser. */
export const CORE_NAME = 'gemmCore';

/** @param contentsOf returns the module that replaces a module of the core */
const replaceCore = (name, contentsOf) => ({
  name,
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\.?\// }, ({ path: imported, resolveDir }) => {
      const file = path.resolve(resolveDir, `${imported}.ts`);
      return isLater(file) ? { path: file, namespace: 'later' } : undefined;
    });
    onResolve({ filter: /^getters$/, namespace: 'later' }, () => ({
      path: 'getters',
      namespace: 'getters',
    }));
    onResolve({ filter: /./, namespace: 'getters' }, () => ({
      path: './core.cjs',
      external: true,
    }));
    onLoad({ filter: /./, namespace: 'getters' }, () => ({ contents: GETTERS }));
    onLoad({ filter: /./, namespace: 'later' }, async ({ path: file }) => ({
      contents: contentsOf(JSON.stringify(idOf(file)), await exportsOf(file)),
      watchFiles: [file],
    }));
  },
});

const GETTERS = `
  module.exports = (target, id, names) => {
    Object.defineProperty(target, '__esModule', { value: true });
    for (const name of names.split(' '))
      Object.defineProperty(target, name, {
        enumerable: true,
        get: () => require('./core.cjs')[id][name],
      });
  };`;

/** esbuild plugin that replaces imports of the core with getters, which load it on first use. */
export const coreLater = replaceCore('coreLater', (id, names) =>
  names.length === 0
    ? ''
    : `require('getters')(exports, ${id}, ${JSON.stringify(names.join(' '))});`,
);

/** esbuild plugin that replaces imports of the core with the core that a script has loaded. */
export const coreLoaded = replaceCore('coreLoaded', (id, names) =>
  names.length === 0
    ? 'export {};'
    : `export const { ${names.join(', ')} } = globalThis.${CORE_NAME}[${id}];`,
);

async function exportsOf(file) {
  const options = { format: 'esm', write: false, metafile: true, outfile: 'module.js' };
  const { metafile } = await build({ ...options, entryPoints: [file] });
  return metafile.outputs['module.js'].exports;
}

const modules = () =>
  readdirSync(CORE, { recursive: true })
    .filter(name => name.endsWith('.ts'))
    .map(name => path.join(CORE, name));

/**
 * esbuild plugin for the entry `core`, which exports every core module under its name and sets the
 * display language. The host sets the translations before it loads the core.
 */
export const coreEntry = {
  name: 'coreEntry',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^core$/ }, () => ({ path: 'core', namespace: 'coreEntry' }));
    onLoad({ filter: /./, namespace: 'coreEntry' }, () => ({
      contents: [
        "import { config } from '@vscode/l10n';",
        'config({ contents: globalThis.gemmTranslations ?? {} });',
        ...[...modules(), ...DECODERS].map(
          file => `export * as '${idOf(file)}' from ${JSON.stringify(file)};`,
        ),
      ].join('\n'),
      resolveDir: '.',
      watchDirs: [CORE, ...modules().map(file => path.dirname(file))],
    }));
  },
};
