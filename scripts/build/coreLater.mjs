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
/** Layers that the page does not use. Each has a bundle of its own, such as `course.cjs`. */
const APART = ['audit', 'course', 'export'];
const folderOf = layer => path.join(CORE, layer);
const apartOf = file => APART.find(layer => file.startsWith(folderOf(layer) + path.sep));
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

/**
 * @param contentsOf returns the module that replaces a module of the core
 * @param isKept tests whether a module of the core stays part of the bundle
 */
const replaceCore = (name, contentsOf, isKept = () => false) => ({
  name,
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\.?\// }, ({ path: imported, resolveDir }) => {
      const file = path.resolve(resolveDir, `${imported}.ts`);
      return isLater(file) && !isKept(file) ? { path: file, namespace: 'later' } : undefined;
    });
    onResolve({ filter: /^getters:/, namespace: 'later' }, ({ path: getters }) => ({
      path: getters,
      namespace: 'getters',
    }));
    onResolve({ filter: /./, namespace: 'getters' }, ({ path: bundle }) => ({
      path: bundle,
      external: true,
    }));
    onLoad({ filter: /./, namespace: 'getters' }, ({ path: getters }) => ({
      contents: gettersOf(getters.slice('getters:'.length)),
    }));
    onLoad({ filter: /./, namespace: 'later' }, async ({ path: file }) => ({
      contents: contentsOf(JSON.stringify(idOf(file)), await exportsOf(file), bundleOf(file)),
      watchFiles: [file],
    }));
  },
});

const gettersOf = bundle => `
  module.exports = (target, id, names) => {
    Object.defineProperty(target, '__esModule', { value: true });
    for (const name of names.split(' '))
      Object.defineProperty(target, name, {
        enumerable: true,
        get: () => require('${bundle}')[id][name],
      });
  };`;

const bundleOf = file => `./${apartOf(file) ?? 'core'}.cjs`;

const getters = (id, names, bundle) =>
  names.length === 0
    ? ''
    : `require('getters:${bundle}')(exports, ${id}, ${JSON.stringify(names.join(' '))});`;

/** esbuild plugin that replaces imports of the core with getters, which load it on first use. */
export const coreLater = replaceCore('coreLater', getters);

/** The same for the bundle of a layer, which contains this layer. */
const coreOfLayer = layer =>
  replaceCore(`coreOf-${layer}`, getters, file => apartOf(file) === layer);

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

const exportAll = files =>
  files.map(file => `export * as '${idOf(file)}' from ${JSON.stringify(file)};`);

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
        ...exportAll([...modules().filter(file => apartOf(file) === undefined), ...DECODERS]),
      ].join('\n'),
      resolveDir: '.',
      watchDirs: [CORE, ...modules().map(file => path.dirname(file))],
    }));
  },
};

/** esbuild plugin for the entry of a layer, which exports every module of the layer under its name. */
const layerEntry = layer => ({
  name: `entry-${layer}`,
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^${layer}$`) }, () => ({
      path: layer,
      namespace: `entry-${layer}`,
    }));
    onLoad({ filter: /./, namespace: `entry-${layer}` }, () => {
      const files = modules().filter(file => apartOf(file) === layer);
      return {
        contents: exportAll(files).join('\n'),
        resolveDir: '.',
        watchDirs: [...new Set(files.map(file => path.dirname(file)))],
      };
    });
  },
});

/** Entry points and plugins of the bundles of layers. */
export const layerBundles = APART.map(layer => ({
  entryPoints: { [layer]: layer },
  plugins: [layerEntry(layer), coreOfLayer(layer)],
}));
