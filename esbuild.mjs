// Bundles every zone that runs: the extension, the CLI and its Dawn worker, the webview, the scripts
// and, apart from them, the tests. Type checking is `tsc -b`; this only bundles.
import { build, context } from 'esbuild';
import { chmodSync, existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

const watch = process.argv.includes('--watch');
const minify = process.argv.includes('--minify');
const files = (folder, suffix) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true })
        .filter(name => name.endsWith(suffix))
        .map(name => path.join(folder, name))
    : [];

const common = {
  bundle: true,
  minify,
  sourcemap: !minify,
  logLevel: 'warning',
  loader: { '.cu': 'text', '.cuh': 'text', '.wgsl': 'text', '.css': 'text' },
};
/** Lets CommonJS packages inside an ES module bundle call require. */
const requireBanner =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";
const node = { ...common, platform: 'node', target: 'node20' };
const esm = { ...node, format: 'esm', banner: { js: requireBanner } };

const bundles = [
  {
    ...node,
    entryPoints: { extension: 'src/extension/extension.ts' },
    outdir: 'dist',
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    external: ['vscode'],
  },
  {
    ...esm,
    entryPoints: { cli: 'src/cli/main.ts' },
    outdir: 'dist',
    external: ['webgpu'],
    banner: { js: '#!/usr/bin/env node\n' + requireBanner },
  },
  {
    ...esm,
    entryPoints: { dawnWorker: 'src/host/dawn/worker.ts' },
    outdir: 'dist',
    external: ['webgpu'],
  },
  {
    ...common,
    entryPoints: { webview: 'webview/main.tsx' },
    outdir: 'dist',
    platform: 'browser',
    target: 'chrome122',
    format: 'iife',
    jsx: 'automatic',
    jsxImportSource: 'preact',
  },
  {
    ...esm,
    entryPoints: files('scripts', '.ts').filter(f => path.dirname(f) === 'scripts'),
    outdir: 'out/scripts',
    packages: 'external',
  },
  {
    ...esm,
    entryPoints: files('test', '.test.ts').filter(f => !f.startsWith(path.join('test', 'vscode'))),
    outbase: 'test',
    outdir: 'out/test',
    packages: 'external',
    jsx: 'automatic',
    jsxImportSource: 'preact',
  },
].filter(bundle => [Object.values(bundle.entryPoints)].flat().every(entry => existsSync(entry)));

if (watch) {
  for (const bundle of bundles) await (await context(bundle)).watch();
} else {
  await Promise.all(bundles.map(bundle => build(bundle)));
  if (existsSync('dist/cli.js')) chmodSync('dist/cli.js', 0o755);
}
