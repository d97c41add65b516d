/** `compile SPEC|FILE`: compiles with nvcc to a cubin and reports the resources of each kernel. */
import { notCompiled as kernelsLeft } from '../../core/source/notCompiled';
import { compileCubin } from '../../host/nvcc';
import type { KernelResources } from '../../host/ptxas';
import { findNvcc } from '../../host/toolchain';
import { command, device, set, specOrFileArgument, target, type Context } from '../command';
import { EXIT, missingPrerequisite, type Result } from '../result';
import { arch, archOf, notCompiled, subjectOf, type Subject } from '../subject';
import { table } from '../table';

export const compileCommand = command({
  name: 'compile',
  description:
    'Compile with nvcc to a cubin; report registers, spills, shared and constant memory, warnings',
  args: {
    spec: specOrFileArgument,
    arch,
    set,
    device,
    target,
  },
  run: async (options, context) => {
    const subject = await subjectOf(options.spec, options, context);
    return await compile(subject, archOf(options.arch, subject), context);
  },
});

async function compile(subject: Subject, arch: string, context: Context): Promise<Result> {
  const found = await findNvcc();
  if (!found.ok) throw missingPrerequisite(`${found.why} ${found.next}`);
  context.note(`nvcc ${found.nvcc.build}: ${subject.name} for ${arch}`);
  const compiled = await compileCubin(subject.source, {
    nvcc: found.nvcc,
    arch,
    signal: context.abort,
  });
  if (!compiled.ok) throw notCompiled(compiled);
  if (compiled.unread.length > 0) throw missingPrerequisite(compiled.unread.join('\n'));
  const { path } = compiled;
  const kernels = compiled.kernels.map(kernel => withDynamic(kernel, subject.launch));
  const left = kernelsLeft(
    subject.text ?? '',
    compiled.kernels.map(({ entry }) => entry),
  );
  return {
    exit: EXIT.yes,
    json: { kernels, path, notCompiled: left },
    text: [
      table([
        [
          'kernel',
          'arch',
          'registers',
          'shared B',
          'constant B (cmem)',
          'spill stores',
          'spill loads',
          'stack B',
        ],
        ...kernels.map(kernel => [
          kernel.entry,
          kernel.arch,
          kernel.registers,
          kernel.sharedBytes,
          kernel.constantBytes,
          kernel.spillStores,
          kernel.spillLoads,
          kernel.stackBytes,
        ]),
      ]),
      ...left.map(({ line, why }) => `line ${line + 1}: ${why}`),
      ...kernels.flatMap(({ warnings }) => warnings.map(warning => `warning: ${warning}`)),
    ].join('\n'),
  };
}

/**
 * Adds the dynamic shared memory of the launch to the launched kernel; ptxas reports only static
 * shared memory.
 */
function withDynamic(kernel: KernelResources, launch: Subject['launch']): KernelResources {
  if (launch?.entry !== kernel.entry) return kernel;
  return { ...kernel, sharedBytes: kernel.sharedBytes + launch.dynamicSharedBytes };
}
