/**
 * Bundles the sources in `shaders` that the host compiles once, as `texts.cjs`, which the bundles
 * that start processes share.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const HOST = path.resolve('src', 'host');
const IMPORTED = /from '((?:\.\.\/)+shaders\/[^']+)'/g;
const BUNDLE = './texts.cjs';
const idOf = file => path.relative('shaders', file).replaceAll(path.sep, '/');

/** Returns the sources that the host imports. */
function textFiles() {
  const sources = readdirSync(HOST, { recursive: true })
    .filter(name => name.endsWith('.ts'))
    .map(name => path.join(HOST, name));
  const files = sources.flatMap(source =>
    [...readFileSync(source, 'utf8').matchAll(IMPORTED)].map(([, name]) =>
      path.resolve(path.dirname(source), name),
    ),
  );
  return [...new Set(files)].sort();
}

/** esbuild plugin that replaces the sources with those of `texts.cjs`. */
export const sharedTexts = {
  name: 'sharedTexts',
  setup({ onResolve, onLoad }) {
    const shared = new Set(textFiles());
    onResolve({ filter: /[\\/]shaders[\\/]/ }, ({ path: imported, resolveDir }) => {
      const file = path.resolve(resolveDir, imported);
      return shared.has(file) ? { path: file, namespace: 'text' } : undefined;
    });
    onResolve({ filter: /./, namespace: 'text' }, ({ path: bundle }) => ({
      path: bundle,
      external: true,
    }));
    onLoad({ filter: /./, namespace: 'text' }, ({ path: file }) => ({
      contents: `export default require('${BUNDLE}')[${JSON.stringify(idOf(file))}];`,
    }));
  },
};

/** esbuild plugin for the entry `texts`, which exports every source under its name. */
export const textsEntry = {
  name: 'textsEntry',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^texts$/ }, () => ({ path: 'texts', namespace: 'textsEntry' }));
    onLoad({ filter: /./, namespace: 'textsEntry' }, () => ({
      contents: textFiles()
        .map(file => `export { default as '${idOf(file)}' } from ${JSON.stringify(file)};`)
        .join('\n'),
      resolveDir: '.',
      watchDirs: [HOST],
    }));
  },
};
