/**
 * Builds and runs single test files, without a full build:
 * npm run test:file -- test/core/plan/limits.test.ts [--watch] [mocha's options]
 */
import { spawn } from 'node:child_process';
import { context } from 'esbuild';
import path from 'node:path';

const args = process.argv.slice(2);
const files = args.filter(arg => arg.endsWith('.test.ts')).map(file => path.normalize(file));
const watch = args.includes('--watch');
const options = args.filter(arg => !arg.endsWith('.test.ts') && arg !== '--watch');
if (files.length === 0) {
  console.error(
    'No test file was given. Fix: npm run test:file -- test/core/occupancy/occupancy.test.ts',
  );
  process.exit(2);
}
const outOf = file =>
  path.join('out', 'single', path.relative('test', file)).replace(/\.ts$/, '.js');

function run() {
  const mocha = path.join('node_modules', 'mocha', 'bin', 'mocha.js');
  const child = spawn(
    process.execPath,
    [
      mocha,
      '--timeout',
      '120000',
      '--require',
      outOf('test/setup.ts'),
      ...options,
      ...files.map(outOf),
    ],
    { stdio: 'inherit' },
  );
  return new Promise(resolve => child.on('close', code => resolve(code ?? 1)));
}

const built = await context({
  entryPoints: [...files, 'test/setup.ts'],
  outbase: 'test',
  outdir: 'out/single',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  sourcemap: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  logLevel: 'warning',
  loader: { '.cpp': 'text', '.cu': 'text', '.h': 'text', '.cuh': 'text', '.wgsl': 'text' },
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  plugins: [
    {
      name: 'run',
      setup(build) {
        build.onEnd(async ({ errors }) => {
          if (errors.length > 0 && !watch) process.exitCode = 1;
          if (errors.length === 0) process.exitCode = await run();
          if (!watch) void built.dispose();
        });
      },
    },
  ],
});
if (watch) await built.watch();
else await built.rebuild();
