/** `compile SPEC|FILE`: nvcc to a cubin, and what ptxas says of each kernel. */
import { DEFAULT_DEVICE, findDevice } from '../../core/device/devices';
import type { Runnable } from '../../core/emit/kernel';
import { archOf, compileCubin } from '../../host/nvcc';
import { findNvcc } from '../../host/toolchain';
import { command, device, set, specOrFileArgument, type Context } from '../command';
import { kernelOf, readInput, type KernelInput, type SpecInput } from '../kernel';
import { EXIT, Failure, lacking, unusable, type ExitCode, type Result } from '../result';
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
    const input = await readInput(options.spec, options);
    const runnable = input.kind === 'spec' ? kernelOf(input, 'cuda') : input.runnable;
    if (runnable.target !== 'cuda') {
      throw unusable(`nvcc compiles CUDA; ${input.path} is ${runnable.target.toUpperCase()}.`);
    }
    if (options.arch !== undefined && !/^sm_\d{2,3}[af]?$/.test(options.arch)) {
      throw unusable(`--arch must be like sm_90, is "${options.arch}".`);
    }
    return await compile(runnable, options.arch ?? archFor(input, runnable), context);
  },
});

function archFor(input: SpecInput | KernelInput, runnable: Runnable): string {
  const named = input.kind === 'spec' ? input.spec.device : runnable.spec?.device;
  const { computeCapability } = findDevice(named ?? DEFAULT_DEVICE) ?? {};
  if (computeCapability === undefined) throw unusable(`${named} is no NVIDIA GPU; give --arch.`);
  return archOf(computeCapability);
}

async function compile(runnable: Runnable, arch: string, context: Context): Promise<Result> {
  const found = await findNvcc();
  if (!found.ok) throw lacking(`${found.why} ${found.next}`);
  context.note(`nvcc ${found.nvcc.build}: ${runnable.specKey} for ${arch}`);
  const compiled = await compileCubin(runnable.source, {
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
  const { kernels, path } = compiled;
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
