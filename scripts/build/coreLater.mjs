/**
 * In the Node extension host, `src/core` and the protocol form the bundle `core.cjs`, shared by the
 * other bundles and loaded on the first use of one of its exports. The sources do not change,
 * because pure code does not depend on its load time. Exports used during the evaluation of a
 * module would trigger loading immediately.
 */
import { build } from 'esbuild';
import { readdirSync } from 'node:fs';
import path from 'node:path';

const CORE = path.resolve('src', 'core');
const PROTOCOL = path.resolve('src', 'protocol.ts');
/**
 * The status bar's text and hover need these when the extension starts; they are small and have no
 * other imports.
 */
const AT_START = ['plainText', 'markdown'].map(name => path.join(CORE, 'text', `${name}.ts`));
const isLater = file =>
  file === PROTOCOL || (file.startsWith(CORE + path.sep) && !AT_START.includes(file));
const idOf = file => path.relative('src', file).replaceAll(path.sep, '/');

/** Turns imports of the core into getters that load its bundle. */
export const coreLater = {
  name: 'coreLater',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\.?\// }, ({ path: name, resolveDir }) => {
      const file = path.resolve(resolveDir, `${name}.ts`);
      return isLater(file) ? { path: file, namespace: 'later' } : undefined;
    });
    onResolve({ filter: /./, namespace: 'later' }, () => ({ path: './core.cjs', external: true }));
    onLoad({ filter: /./, namespace: 'later' }, async ({ path: file }) => ({
      contents: `
        Object.defineProperty(exports, '__esModule', { value: true });
        for (const name of ${JSON.stringify(await exportsOf(file))})
          Object.defineProperty(exports, name, {
            enumerable: true,
            get: () => require('./core.cjs')[${JSON.stringify(idOf(file))}][name],
          });`,
      watchFiles: [file],
    }));
  },
};

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
 * The entry `core`: exports every core module under its name; like every bundle, it sets its
 * display language.
 */
export const coreEntry = {
  name: 'coreEntry',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^core$/ }, () => ({ path: 'core', namespace: 'coreEntry' }));
    onLoad({ filter: /./, namespace: 'coreEntry' }, () => ({
      contents: [
        "import { useDisplayLanguage } from './src/extension/shared/language';",
        'useDisplayLanguage();',
        ...[...modules(), PROTOCOL].map(
          file => `export * as '${idOf(file)}' from ${JSON.stringify(file)};`,
        ),
      ].join('\n'),
      resolveDir: '.',
      watchDirs: [CORE, ...modules().map(file => path.dirname(file))],
    }));
  },
};
