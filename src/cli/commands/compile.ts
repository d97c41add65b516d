/** `compile SPEC|FILE`: nvcc to a cubin, and what ptxas says of each kernel. */
import { basename } from 'node:path';
import { archOf } from '../../core/device/computeCapability';
import { DEFAULT_DEVICE, findDevice } from '../../core/device/devices';
import type { Runnable } from '../../core/emit/kernel';
import { readKernelFile } from '../../core/emit/kernelFile';
import { kernelSites } from '../../core/emit/kernelSites';
import { compileCubin } from '../../host/nvcc';
import type { KernelResources } from '../../host/ptxas';
import { findNvcc } from '../../host/toolchain';
import { command, device, set, specOrFileArgument, type Context } from '../command';
import { inlineIncludes } from '../includes';
import { isKernelFile, kernelOf, refuseSet } from '../kernel';
import { EXIT, Failure, lacking, unusable, type ExitCode, type Result } from '../result';
import { readSpec, readText, type Overrides } from '../spec';
import { table } from '../table';

const EXIT_OF = {
  'compile-error': EXIT.no,
  constraint: EXIT.lacking,
  timeout: EXIT.no,
  cancelled: EXIT.interrupted,
  unavailable: EXIT.lacking,
} as const satisfies Record<string, ExitCode>;

export const compileCommand = command({
  name: 'compile',
  description: 'Compile with nvcc to a cubin: registers, spills, shared memory, warnings',
  args: {
    spec: specOrFileArgument,
    arch: {
      type: 'string',
      valueHint: 'sm_90',
      description: "Architecture; default: that of the spec's device",
    },
    set,
    device,
  },
  run: async (options, context) => {
    const subject = await subjectOf(options.spec, options, context);
    if (options.arch !== undefined && !/^sm_\d{2,3}[af]?$/.test(options.arch)) {
      throw unusable(`--arch must be like sm_90, is "${options.arch}".`);
    }
    return await compile(subject, options.arch ?? archFor(subject.device), context);
  },
});

/** A text for nvcc, which needs to know less of it than a run does. */
interface Subject {
  readonly name: string;
  readonly source: string;
  readonly device: string;
  /** What a launch adds to the shared memory that ptxas reports, where it is known. */
  readonly launch?: Pick<Runnable, 'entry' | 'dynamicSharedBytes'>;
}

async function subjectOf(path: string, overrides: Overrides, context: Context): Promise<Subject> {
  if (isKernelFile(path)) return await fileSubject(path, overrides, context);
  const kernel = kernelOf({ path, spec: await readSpec(path, overrides) }, 'cuda');
  const { specKey, source, spec } = kernel;
  return { name: specKey, source, device: spec.device, launch: kernel };
}

/** A file needs no `@gemm` comment; where it has one, its device and launch count. */
async function fileSubject(path: string, overrides: Overrides, context: Context): Promise<Subject> {
  refuseSet(path, overrides);
  if (/\.wgsl$/i.test(path)) throw unusable(`nvcc compiles CUDA; ${path} is WGSL.`);
  const text = await readText(path);
  const source = await inlineIncludes(text, path);
  if (!kernelSites(source).some(({ target }) => target === 'cuda')) {
    throw unusable(`${path} has no __global__ function.`);
  }
  const file = readKernelFile(text, basename(path));
  if (!file.ok && file.path.startsWith('@gemm.')) context.note(`Ignored: ${file.reason}`);
  const device = overrides.device ?? (file.ok ? file.runnable.spec?.device : undefined);
  return {
    ...{ name: basename(path), source, device: device ?? DEFAULT_DEVICE },
    ...(file.ok ? { launch: file.runnable } : {}),
  };
}

function archFor(device: string): string {
  const found = findDevice(device);
  if (found === undefined) {
    throw unusable(`Unknown device "${device}". \`gemm-explorer devices\` lists them.`);
  }
  if (found.computeCapability === undefined) {
    throw unusable(`${found.name} is no NVIDIA GPU; give --arch.`);
  }
  return archOf(found.computeCapability);
}

async function compile(subject: Subject, arch: string, context: Context): Promise<Result> {
  const found = await findNvcc();
  if (!found.ok) throw lacking(`${found.why} ${found.next}`);
  context.note(`nvcc ${found.nvcc.build}: ${subject.name} for ${arch}`);
  const compiled = await compileCubin(subject.source, {
    nvcc: found.nvcc,
    arch,
    signal: context.abort,
  });
  if (!compiled.ok) {
    throw new Failure(
      EXIT_OF[compiled.outcome],
      compiled.message,
      compiled.diagnostics.map(({ line, column, severity, message }) => ({
        path: `line ${line + 1}, column ${column + 1}`,
        message: `${severity}: ${message}`,
      })),
    );
  }
  const { path } = compiled;
  const kernels = compiled.kernels.map(kernel => withDynamic(kernel, subject.launch));
  return {
    exit: EXIT.yes,
    json: { kernels, path },
    text: [
      table([
        ['kernel', 'arch', 'registers', 'shared B', 'spill stores', 'spill loads', 'stack B'],
        ...kernels.map(kernel => [
          ...[kernel.entry, kernel.arch, kernel.registers, kernel.sharedBytes],
          ...[kernel.spillStores, kernel.spillLoads, kernel.stackBytes],
        ]),
      ]),
      ...kernels.flatMap(({ warnings }) => warnings.map(warning => `warning: ${warning}`)),
    ].join('\n'),
  };
}

/** ptxas knows the static shared memory alone. */
function withDynamic(kernel: KernelResources, launch: Subject['launch']): KernelResources {
  if (launch?.entry !== kernel.entry) return kernel;
  return { ...kernel, sharedBytes: kernel.sharedBytes + launch.dynamicSharedBytes };
}
