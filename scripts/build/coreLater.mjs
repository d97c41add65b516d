/**
 * Bundles `src/core` and the protocol for the Node extension host as `core.cjs`. The other bundles
 * share this file and load it on the first use of one of its exports. A module that uses an export
 * of the core while it is evaluated would load the core immediately.
 */
import { build } from 'esbuild';
import { readdirSync } from 'node:fs';
import path from 'node:path';

const CORE = path.resolve('src', 'core');
const PROTOCOL = path.resolve('src', 'protocol.ts');
/**
 * Modules that the status bar's text and hover require at startup. They are small and import no
 * other modules of the core.
 */
const AT_START = ['plainText', 'markdown'].map(name => path.join(CORE, 'text', `${name}.ts`));
const isLater = file =>
  file === PROTOCOL || (file.startsWith(CORE + path.sep) && !AT_START.includes(file));
const idOf = file => path.relative('src', file).replaceAll(path.sep, '/');

/**
 * esbuild plugin that replaces imports of the core with getters, which load its bundle on first
 * use.
 */
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
 * esbuild plugin for the entry `core`, which exports every core module under its name and sets the
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
