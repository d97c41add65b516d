// Bundles the extension, the CLI and its Dawn worker, the webview, the scripts and, separately, the
// tests. Type checking is `tsc -b`; this script only bundles.
// `--ship FOLDER` writes only the files of the VSIX, minified and without source maps.
// `--bench` also bundles the benchmarks in bench/ and their tests.
// `--tests FOLDERS` builds only the tests in these folders of test/ and the script that runs them.
import { build, context } from 'esbuild';
import { chmodSync, copyFileSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import {
  CORE_NAME,
  coreEntry,
  coreLater,
  coreLoaded,
  layerBundles,
} from './scripts/build/coreLater.mjs';
import { sharedTexts, textsEntry } from './scripts/build/sharedTexts.mjs';
import { styleText } from './scripts/build/styleText.mjs';

const watch = process.argv.includes('--watch');
const shipFlag = process.argv.indexOf('--ship');
const ship = shipFlag < 0 ? undefined : process.argv[shipFlag + 1];
if (shipFlag >= 0 && ship === undefined) throw new Error('Expected an output folder after --ship.');
const dist = ship ?? 'dist';
const testsFlag = process.argv.indexOf('--tests');
/** Folders of `test` to build, or undefined for a full build. */
const only = testsFlag < 0 ? undefined : (process.argv[testsFlag + 1] ?? '').split(',');
const withBench = process.argv.includes('--bench');
const files = (folder, suffix) =>
  readdirSync(folder, { recursive: true })
    .filter(name => name.endsWith(suffix))
    .map(name => path.join(folder, name));

const common = {
  bundle: true,
  minify: ship !== undefined,
  sourcemap: ship === undefined,
  logLevel: 'warning',
  loader: {
    '.cpp': 'text',
    '.cu': 'text',
    '.h': 'text',
    '.cuh': 'text',
    '.wgsl': 'text',
    '.py': 'text',
  },
};
/** Banner that defines `require` for CommonJS packages inside an ES module bundle. */
const requireBanner =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";
const preact = { jsx: 'automatic', jsxImportSource: 'preact' };
/**
 * Options of Node bundles. ES modules take precedence, because esbuild cannot follow `require` in
 * jsonc-parser's UMD build.
 */
const node = {
  ...common,
  platform: 'node',
  target: 'node20',
  mainFields: ['module', 'main'],
};
const esm = { ...node, format: 'esm', banner: { js: requireBanner } };

const vscodeTests = path.join('test', 'vscode');
const testModules = [
  path.join('test', 'setup.ts'),
  ...(only ?? ['.'])
    .flatMap(folder => files(path.join('test', folder), '.test.ts'))
    .filter(file => !file.startsWith(vscodeTests)),
];
const cjs = { ...node, format: 'cjs', outExtension: { '.js': '.cjs' } };

/** Reports the start and the end of each build to the editor's background task. */
const announce = {
  name: 'announce',
  setup(build) {
    build.onStart(() => console.log('[watch] build started'));
    build.onEnd(() => console.log('[watch] build finished'));
  },
};

/** Plugin that replaces imports of a module by imports of its bundle. */
const external = (module, bundle) => ({
  name: module,
  setup(build) {
    build.onResolve({ filter: /^\.\.?\// }, ({ path: name, resolveDir }) =>
      path.join(resolveDir, name) === path.resolve(module)
        ? { path: bundle, external: true }
        : undefined,
    );
  },
});

/**
 * Plugin that omits the JSON Schema validator of the MCP SDK, which only checks answers that a
 * server elicits from the user.
 */
const withoutElicitation = {
  name: 'withoutElicitation',
  setup(build) {
    build.onResolve({ filter: /ajv-provider/ }, () => ({ path: 'ajv', namespace: 'omitted' }));
    build.onLoad({ filter: /./, namespace: 'omitted' }, () => ({
      contents: 'export class AjvJsonSchemaValidator {}',
    }));
  },
};

const inBrowser = { ...common, ...preact, platform: 'browser', target: 'chrome122' };
/** Script of the first frame, which loads the page. */
const firstScript = {
  ...inBrowser,
  entryPoints: { webview: 'webview/main.ts' },
  format: 'esm',
  plugins: [external('webview/page', './webviewPage.js')],
};
/** Bundles of the page: its entry, deferred views, and the chunk that they share. */
const page = {
  ...inBrowser,
  entryPoints: { webviewPage: 'webview/page.tsx', webviewLater: 'webview/later.ts' },
  chunkNames: 'webviewShared',
  format: 'esm',
  splitting: true,
  plugins: [coreLoaded],
};
const besidePage = {
  ...inBrowser,
  entryPoints: {
    browserPage: 'webview/browserPage.ts',
    simulateWorker: 'webview/simulateWorker.ts',
  },
  format: 'iife',
  plugins: [coreLoaded],
};
const styles = {
  ...common,
  entryPoints: { explorer: 'media/explorer.css', browserPage: 'media/browserPage.css' },
  sourcemap: false,
};

/** Bundles in the VSIX. */
const shipped = [
  {
    ...cjs,
    entryPoints: {
      extension: 'src/extension/node/main.ts',
      programs: 'src/extension/node/programs.ts',
    },
    outdir: dist,
    external: ['vscode'],
    plugins: [external('src/extension/node/programs', './programs.cjs'), coreLater, sharedTexts],
    // VS Code loads this bundle with `require`, so dynamic imports become `require` calls.
    supported: { 'dynamic-import': false },
  },
  {
    ...cjs,
    ...preact,
    entryPoints: { firstFrame: 'webview/firstFrame.tsx' },
    outdir: dist,
    // A first frame loads no deferred views.
    plugins: [external('webview/later', './webviewLater.js'), coreLater],
  },
  {
    ...cjs,
    ...preact,
    entryPoints: { capsule: 'webview/capsule/bundle.ts' },
    outdir: dist,
    // A capsule is given the deferred views that it shows.
    plugins: [external('webview/later', './webviewLater.js'), coreLater, styleText],
  },
  {
    ...common,
    entryPoints: { core: 'core' },
    outdir: dist,
    outExtension: { '.js': '.cjs' },
    platform: 'browser',
    target: ['node20', 'chrome122'],
    format: 'iife',
    globalName: CORE_NAME,
    footer: { js: `if (typeof module === 'object') module.exports = ${CORE_NAME};` },
    plugins: [coreEntry],
  },
  // Layers of the core that are loaded at their first use: the audit, the course and exported projects.
  ...layerBundles.map(layer => ({ ...cjs, ...layer, outdir: dist })),
  // Sources that the host compiles, which the two bundles that start processes share.
  { ...cjs, entryPoints: { texts: 'texts' }, outdir: dist, plugins: [textsEntry] },
  // The MCP server, which the CLI loads, and which VS Code starts as a program.
  {
    ...cjs,
    entryPoints: { mcp: 'src/cli/mcp/bundle.ts' },
    outdir: dist,
    external: ['webgpu'],
    banner: { js: "const __moduleUrl = require('node:url').pathToFileURL(__filename).href;" },
    define: { 'import.meta.url': '__moduleUrl' },
    plugins: [coreLater, sharedTexts, withoutElicitation],
  },
  // Bundle for a browser's web worker. An import of Node, or of a package that requires Node, fails
  // this build. Because the package has type `module`, VS Code loads the worker's CommonJS only
  // from *.cjs.
  {
    ...cjs,
    entryPoints: { 'extension.web': 'src/extension/web/main.ts' },
    outdir: dist,
    platform: 'browser',
    target: 'chrome122',
    external: ['vscode'],
  },
  { ...firstScript, outdir: dist },
  { ...page, outdir: dist },
  { ...besidePage, outdir: dist },
  { ...styles, outdir: dist },
  {
    ...esm,
    entryPoints: { dawnWorker: 'src/host/dawn/worker.ts' },
    outdir: dist,
    plugins: [coreLater],
  },
  // Program of a Slurm task.
  {
    ...cjs,
    entryPoints: { slurmTask: 'src/host/slurm/taskMain.ts' },
    outdir: dist,
    plugins: [coreLater],
  },
];

const scripts = folder => files(folder, '.ts').filter(file => path.dirname(file) === folder);

const benchSource = path.join('bench', 'src');
const benchTests = path.join('bench', 'test');
/** Benchmarks for machines that have only their bundles and Node (and Dawn). */
const carried = [
  'besideLibraries',
  'judgeOnGpu',
  'productsOnDawn',
  'raceOnDawn',
  'raceRandom',
  'tensorRace',
  'tuneRandom',
  'wgslRatios',
].map(name => path.join(benchSource, `${name}.ts`));

/** Benchmark bundles, which are built on demand. */
const benches = [
  {
    ...esm,
    entryPoints: scripts(benchSource).filter(file => !carried.includes(file)),
    outdir: 'out/bench',
    packages: 'external',
  },
  { ...esm, entryPoints: carried, outdir: 'out/bench', external: ['webgpu', 'esbuild'] },
  {
    ...esm,
    entryPoints: files(benchTests, '.test.ts'),
    outbase: benchTests,
    outdir: 'out/bench/test',
    packages: 'external',
    splitting: true,
    chunkNames: 'shared/[name]-[hash]',
  },
];

const testBundle = {
  ...esm,
  ...preact,
  entryPoints: testModules,
  outbase: 'test',
  outdir: 'out/test',
  packages: 'external',
  // All tests share one copy of the core, so that it is compiled and warmed up only once.
  splitting: true,
  chunkNames: 'shared/[name]-[hash]',
};
const scriptBundle = {
  ...esm,
  entryPoints: only === undefined ? scripts('scripts') : ['scripts/test.ts'],
  outdir: 'out/scripts',
  packages: 'external',
};

const others = [
  {
    ...esm,
    entryPoints: { cli: 'src/cli/main.ts' },
    outdir: 'dist',
    banner: { js: `#!/usr/bin/env node\n${requireBanner}` },
    external: ['webgpu'],
    plugins: [external('src/cli/mcp/bundle', './mcp.cjs')],
  },
  scriptBundle,
  testBundle,
  {
    ...esm,
    entryPoints: ['run', 'launcher'].map(name => path.join(vscodeTests, `${name}.ts`)),
    outdir: 'out/test/vscode',
    packages: 'external',
    banner: {},
  },
  {
    ...common,
    entryPoints: { extension: 'test/web/memoryFiles.ts' },
    outdir: 'out/test/web/memory',
    platform: 'browser',
    format: 'cjs',
    external: ['vscode'],
  },
  // Second extension in the same host, for test/hostile.
  {
    ...cjs,
    entryPoints: ['test/hostile/companion/extension.ts'],
    outdir: 'out/test/hostile/companion',
    external: ['vscode'],
  },
  {
    ...cjs,
    entryPoints: [path.join(vscodeTests, 'index.ts'), ...files(vscodeTests, '.test.ts')],
    outbase: vscodeTests,
    outdir: 'out/test/vscode',
    external: ['vscode', 'mocha'],
  },
];

const everything = [...shipped, ...others, ...(withBench ? benches : [])];
const development = only === undefined ? everything : [scriptBundle, testBundle];
const bundles = ship === undefined ? development : shipped;
// Remove earlier bundles, so that a deleted test does not run.
if (ship === undefined)
  for (const folder of only ?? ['.'])
    rmSync(path.join('out', 'test', folder), { recursive: true, force: true });
if (ship === undefined && withBench) rmSync('out/bench', { recursive: true, force: true });

if (watch) {
  for (const bundle of bundles)
    await (await context({ ...bundle, plugins: [...(bundle.plugins ?? []), announce] })).watch();
} else {
  await Promise.all(bundles.map(bundle => build(bundle)));
}
if (!watch && ship === undefined && only === undefined) {
  copyFileSync('test/web/memoryFiles.json', 'out/test/web/memory/package.json');
  copyFileSync('test/hostile/companion/package.json', 'out/test/hostile/companion/package.json');
  for (const executable of ['dist/cli.js', 'out/test/vscode/launcher.js'])
    chmodSync(executable, 0o755);
}
