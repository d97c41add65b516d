/**
 * Fills a folder with the libraries to compare with: one bundle per npm library, surfgrad's kernel,
 * and the manifest `libraries.json`.
 */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as v from 'valibot';
import { run } from '../../../scripts/install/run';
import { LIBRARIES } from '../../../scripts/besideLibraries/job';

const PACKAGED = [
  {
    name: 'tfjs',
    version: '4.22.0',
    packages: ['@tensorflow/tfjs-core', '@tensorflow/tfjs-backend-webgpu'],
    entry: `import '@tensorflow/tfjs-backend-webgpu';
export { matMul, ready, setBackend, slice, tensor2d } from '@tensorflow/tfjs-core';`,
  },
  {
    name: 'jax-js',
    version: '0.1.25',
    packages: ['@jax-js/jax'],
    entry: `export { defaultDevice, init, numpy } from '@jax-js/jax';`,
  },
] as const;

/**
 * Version of surfgrad that is not on npm. Its kernel is a template literal in one file of its
 * repository.
 */
const SURFGRAD = {
  name: 'surfgrad',
  version: '1.0.13',
  commit: '2cbbf5ce96024a5a640b96d14f741d51c0b0c05c',
  path: 'src/shaders/matmul.ts',
  sha256: '18191271021e647eb26874ad950d87f16ce5aeff477bf379f2d1386fa056066c',
} as const;
const SURFGRAD_URL = `https://raw.githubusercontent.com/zanussbaum/surfgrad/${SURFGRAD.commit}/${SURFGRAD.path}`;

const librarySchema = v.object({
  name: v.picklist(LIBRARIES),
  version: v.string(),
  file: v.string(),
  from: v.string(),
  sha256: v.string(),
});
export type Library = v.InferOutput<typeof librarySchema>;
const MANIFEST = 'libraries.json';

const sha256 = (text: string | Uint8Array): string =>
  createHash('sha256').update(text).digest('hex');

/**
 * `surfgradFile` is the path of the kernel file in a checkout; if undefined, the file is
 * downloaded.
 */
export async function prepareLibraries(
  folder: string,
  surfgradFile: string | undefined,
): Promise<readonly Library[]> {
  await mkdir(folder, { recursive: true });
  const kernel = await surfgradKernel(surfgradFile);
  const libraries = [...(await bundles(folder)), await written(folder, kernel)];
  await writeFile(join(folder, MANIFEST), `${JSON.stringify(libraries, null, 1)}\n`);
  return libraries;
}

async function bundles(folder: string): Promise<readonly Library[]> {
  const { build } = await import('esbuild');
  const work = await mkdtemp(join(tmpdir(), 'gemm-libraries-'));
  try {
    await writeFile(join(work, 'package.json'), '{ "private": true }');
    const names = PACKAGED.flatMap(({ packages, version }) =>
      packages.map(name => `${name}@${version}`),
    );
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--save-exact'];
    await run('Installing the libraries', 'npm', ['install', ...flags, ...names], { cwd: work });
    const libraries: Library[] = [];
    for (const { name, version, packages, entry } of PACKAGED) {
      const file = `${name}.mjs`;
      await build({
        stdin: { contents: entry, resolveDir: work },
        absWorkingDir: work,
        bundle: true,
        format: 'esm',
        platform: 'node',
        outfile: resolve(folder, file),
        // Bundle a package's ES modules instead of its CommonJS build.
        mainFields: ['module', 'main'],
        banner: { js: REQUIRE },
        logLevel: 'error',
      });
      const hash = sha256(await readFile(join(folder, file)));
      const from = packages.map(one => `${one}@${version} of npm`).join(', ');
      libraries.push({ name, version, file, from, sha256: hash });
    }
    return libraries;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

const REQUIRE =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

async function surfgradKernel(file: string | undefined): Promise<string> {
  const source = file === undefined ? await fetched() : await readFile(file, 'utf8');
  if (sha256(source) !== SURFGRAD.sha256) {
    throw new Error(
      `${file ?? SURFGRAD_URL} is not ${SURFGRAD.path} of surfgrad ${SURFGRAD.version}: its SHA-256 differs. ` +
        `Fix: check out commit ${SURFGRAD.commit} and pass its file with --surfgrad.`,
    );
  }
  const text = source.slice(source.indexOf('`') + 1, source.lastIndexOf('`'));
  return text.trimStart();
}

async function fetched(): Promise<string> {
  try {
    const response = await fetch(SURFGRAD_URL);
    if (!response.ok) throw new Error(`status ${response.status}`);
    return await response.text();
  } catch (error) {
    throw new Error(
      `Cannot download surfgrad's kernel from ${SURFGRAD_URL}. Fix: pass ${SURFGRAD.path} of a checkout with --surfgrad FILE.`,
      { cause: error },
    );
  }
}

async function written(folder: string, kernel: string): Promise<Library> {
  const file = 'surfgrad.wgsl';
  await writeFile(join(folder, file), kernel);
  const { name, version, path, commit } = SURFGRAD;
  const from = `${path} of github.com/zanussbaum/surfgrad at ${commit}`;
  return { name, version, file, from, sha256: sha256(kernel) };
}

/**
 * Reads the manifest of a folder. Throws if the manifest is missing or the hash of a library
 * differs.
 */
export async function librariesIn(folder: string): Promise<readonly Library[]> {
  const again = `Fix: fill the folder on a machine with network access: node out/bench/besideLibraries.js --prepare ${folder}`;
  let text: string;
  try {
    text = await readFile(join(folder, MANIFEST), 'utf8');
  } catch {
    throw new Error(`${folder} has no ${MANIFEST}. ${again}`);
  }
  const libraries = v.parse(v.array(librarySchema), JSON.parse(text));
  for (const { file, sha256: hash } of libraries) {
    if (sha256(await readFile(join(folder, file))) === hash) continue;
    throw new Error(`${join(folder, file)} differs from its hash in ${MANIFEST}. ${again}`);
  }
  return libraries;
}
