/** `generate SPEC --out DIR`: writes the kernel files; edited files are left unchanged. */
import path from 'node:path';
import type { Kernel } from '../../core/kernel/kernel';
import type { Dim3 } from '../../core/plan/plan';
import { hostProgram, unsupported } from '../../host/cuda/hostProgram';
import type { GeneratedFile } from '../../host/files';
import { adapter, adapterNamed, command, device, set, specArgument, target } from '../command';
import { kernelsOf } from '../kernel';
import { EXIT, invalidInput } from '../result';
import { readSpec } from '../spec';
import { table } from '../table';
import { writeKernels } from '../writeKernels';

export const generateCommand = command({
  name: 'generate',
  description: 'Write the kernel files of a spec',
  args: {
    spec: specArgument,
    out: { type: 'string', valueHint: 'DIR', description: 'Output folder; created if missing' },
    'with-main': { type: 'boolean', description: 'Write a host program next to each CUDA kernel' },
    force: { type: 'boolean', description: 'Replace files that were edited' },
    set,
    device,
    target,
    adapter,
  },
  run: async options => {
    const { out, force, set, device, target, note } = options;
    const adapter = adapterNamed(options.adapter);
    if (out === undefined) throw invalidInput('generate requires --out DIR.');
    const spec = await readSpec(options.spec, { set, device, target, note, adapter: adapter });
    const kernels = kernelsOf({ path: options.spec, spec });
    const withMain = options['with-main'] === true;
    const files = kernels.map(kernel => ({
      kernel,
      main: withMain && kernel.target === 'cuda' ? mainOf(kernel) : undefined,
    }));
    await writeKernels(
      files.flatMap(({ kernel, main }) => [
        { root: out, name: kernel.fileName, text: kernel.source, replace: force === true },
        ...(main === undefined ? [] : [{ root: out, ...main, replace: force === true }]),
      ]),
    );
    const pathOf = (name: string): string => path.resolve(out, name);
    const entries: readonly Entry[] = files.map(({ kernel, main }) => ({
      ...describe(kernel, pathOf(kernel.fileName)),
      ...(main && { main: pathOf(main.name) }),
    }));
    return {
      exit: EXIT.yes,
      json: { kernels: entries },
      text: table([
        ['target', 'entry', 'grid', 'block', 'shared B', 'path'],
        ...entries.flatMap(({ target, entry, grid, block, sharedBytes, path, main }) => [
          [target, entry, grid.join('x'), block.join('x'), sharedBytes, path],
          ...(main === undefined ? [] : [[target, 'main', null, null, null, main]]),
        ]),
      ]),
    };
  },
});

type Entry = ReturnType<typeof describe> & { readonly main?: string };

const extents = ({ x, y, z }: Dim3): readonly number[] => [x, y, z];

const describe = (kernel: Kernel, path: string) => ({
  target: kernel.target,
  specKey: kernel.specKey,
  path,
  entry: kernel.entry,
  grid: extents(kernel.grid),
  block: extents(kernel.block),
  sharedBytes: kernel.sharedBytes,
  /** CUDA: the parameters in order. WGSL: bindings 0, 1, ...; a list is a uniform block. */
  bindings: kernel.arguments,
});

function mainOf(kernel: Kernel): Pick<GeneratedFile, 'name' | 'text'> {
  const reason = unsupported(kernel);
  if (reason !== undefined) throw invalidInput(`--with-main: ${reason}`);
  return { name: `${kernel.specKey}.main.cu`, text: hostProgram(kernel) };
}
