/** `share SPEC`: writes a capsule, one HTML file with the spec, its kernels, analysis and runs. */
import { createRequire } from 'node:module';
import { homedir, userInfo } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { archOf } from '../../core/hardware/computeCapability';
import { deviceOf, isDeviceId } from '../../core/hardware/devices';
import { pinnedSpec } from '../../core/defaults/pinnedSpec';
import { resolve } from '../../core/defaults/resolve';
import type { Measurement } from '../../core/measure/measurement';
import {
  CAPSULE_GENERATOR,
  MAX_CAPSULE_BYTES,
  type CapsuleBundle,
  type CompiledKernel,
} from '../../core/report/capsule';
import { shortName } from '../../core/plan/shortName';
import type { GemmSpec } from '../../core/spec/schema';
import { grouped } from '../../core/text/numbers';
import { sourceHashOf } from '../../core/text/hash';
import { codeOf, messageOf } from '../../host/text';
import { readRegular, writeUserFile } from '../../host/userFile';
import { linkTo } from '../../specLink';
import { adapter, adapterNamed, command, device, set, specArgument, target } from '../command';
import type { Context } from '../command';
import { runsOf } from '../gate';
import { isKernelFile, kernelsOf } from '../kernel';
import { compiledResources } from '../resources';
import { EXIT, invalidInput } from '../result';
import { historyRoot, measurementsOf } from '../runHistory';
import { readSpec } from '../spec';
import { version } from '../version';

const BUNDLE = fileURLToPath(new URL('./capsule.cjs', import.meta.url));
const SPEC_ENDING = /\.gemm\.json$/;

export const shareCommand = command({
  name: 'share',
  description: 'Write one HTML file with the spec, its kernels, analysis and runs',
  args: {
    spec: specArgument,
    out: {
      type: 'string',
      alias: 'o',
      valueHint: 'FILE.html',
      description: 'Output file; default: the name of the spec, in the current folder',
    },
    runs: {
      type: 'string',
      valueHint: 'FILE',
      description: 'Runs (.jsonl) or a Measurement; default: the nearest .gemm/runs',
    },
    estimate: {
      type: 'boolean',
      description: 'Estimate registers instead of compiling the kernel (faster)',
    },
    force: { type: 'boolean', description: 'Replace a file that is not a capsule' },
    set,
    device,
    target,
    adapter,
  },
  run: async (options, context) => {
    const { spec: file, set, device, target, note } = options;
    if (isKernelFile(file))
      throw invalidInput(
        `${file} is a kernel, but share reads specs. Fix: pass its *.gemm.json file.`,
      );
    const spec = await readSpec(file, {
      set,
      device,
      target,
      note,
      adapter: adapterNamed(options.adapter),
    });
    const name =
      file === '-' ? `${shortName(resolve(spec))}.gemm.json` : path.basename(path.resolve(file));
    const out = path.resolve(options.out ?? `${name.replace(SPEC_ENDING, '')}.html`);
    if (options.force !== true) await requireReplaceable(out);
    const found = await runsFor(file, options.runs);
    const { capsuleOf } = createRequire(import.meta.url)(BUNDLE) as CapsuleBundle;
    const written = capsuleOf(
      {
        spec,
        name,
        ...(target === undefined ? {} : { target }),
        runs: found.runs,
        compiled: options.estimate === true ? [] : await compiledOf(file, spec, context),
        link: await linkTo(pinnedSpec(spec)),
        privacy: { roots: found.roots, secrets: [homedir(), userInfo().username] },
        version,
        language: 'en',
      },
      {},
    );
    if (!written.ok) throw invalidInput(`No file was written. ${written.reason}`);
    const { html, bytes, contains, omitted } = written.capsule;
    note(`The file contains: ${contains.join('; ')}.`);
    for (const text of omitted) note(text);
    try {
      await writeUserFile(out, html);
    } catch (error) {
      throw invalidInput(`--out: ${out} could not be written: ${messageOf(error)}`);
    }
    const shown = path.relative(process.cwd(), out);
    return {
      exit: EXIT.yes,
      json: { path: shown, bytes, contains, omitted },
      text: `${shown}: ${grouped(bytes)} B`,
    };
  },
});

/** Returns the runs of `--runs`, or of the nearest history, and the folders that they belong to. */
async function runsFor(
  spec: string,
  file: string | undefined,
): Promise<{ readonly runs: readonly Measurement[]; readonly roots: readonly string[] }> {
  const folder = spec === '-' ? process.cwd() : path.dirname(path.resolve(spec));
  const root = await historyRoot(folder);
  const roots = [process.cwd(), folder, ...(root === undefined ? [] : [root])];
  if (file !== undefined) return { runs: await runsOf(file, '--runs'), roots };
  return { runs: root === undefined ? [] : await measurementsOf(root), roots };
}

/** Throws if the file exists and is not an earlier capsule. */
async function requireReplaceable(out: string): Promise<void> {
  const kept = (why: string): Error =>
    invalidInput(
      `${out} ${why} and was left unchanged. Fix: choose another --out, or add --force.`,
    );
  const old = await readRegular(out, 2 * MAX_CAPSULE_BYTES).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw kept(`cannot be replaced (${messageOf(error)})`);
  });
  if (old !== undefined && !old.toString('utf8').includes(`content="${CAPSULE_GENERATOR}"`))
    throw kept('is not a capsule');
}

async function compiledOf(
  file: string,
  spec: GemmSpec,
  context: Context,
): Promise<readonly CompiledKernel[]> {
  const id = resolve(spec).device;
  const kernel = kernelsOf({ path: file, spec }).find(({ target }) => target === 'cuda');
  if (kernel === undefined || !isDeviceId(id)) return [];
  const { computeCapability } = deviceOf(id);
  const resources = await compiledResources({ runnable: kernel, path: file, device: id }, context);
  if (resources === undefined || computeCapability === undefined) return [];
  const { registers, sharedBytes, spillStores = 0, spillLoads = 0 } = resources;
  return [
    {
      type: 'compiled',
      sourceHash: sourceHashOf(kernel),
      entry: kernel.entry,
      arch: archOf(computeCapability),
      compiler: 'nvcc',
      registers,
      sharedBytes,
      spillStores,
      spillLoads,
    },
  ];
}
