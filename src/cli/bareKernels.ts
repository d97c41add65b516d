/**
 * Implements `analyze FILE` for CUDA kernels without a `// @gemm` annotation: reports compiler
 * facts and occupancy.
 */
import { basename } from 'node:path';
import {
  bareOccupancy,
  type BareOccupancy,
  type BlockOccupancy,
} from '../core/occupancy/bareOccupancy';
import { archOf } from '../core/hardware/computeCapability';
import { DEFAULT_DEVICE, deviceOf, findDevice } from '../core/hardware/devices';
import { parseKernelText } from '../core/source/kernelFile';
import { notCompiled as kernelsLeft } from '../core/source/notCompiled';
import { compileCubin } from '../host/nvcc';
import type { Adapter } from '../core/defaults/dispatch/adapterFamily';
import { findNvcc } from '../host/toolchain';
import { wholeNumber, type Context } from './command';
import { rejectOverrides } from './kernel';
import { inlineIncludes } from './includes';
import { readText } from './input';
import { EXIT, missingPrerequisite, invalidInput, type Result } from './result';
import { notCompiled } from './subject';
import { percent, quantity, table } from './table';

export const bareOptions = {
  block: {
    type: 'string',
    valueHint: 'THREADS',
    description: 'Threads per block of a kernel without // @gemm, such as 256 or 16x16',
  },
  'dynamic-shared': {
    type: 'string',
    valueHint: 'BYTES',
    description: 'Bytes of dynamic shared memory of a kernel without // @gemm',
  },
} as const;

export interface BareOptions {
  readonly block?: string | undefined;
  readonly 'dynamic-shared'?: string | undefined;
  readonly device?: string | undefined;
  readonly set?: readonly string[] | undefined;
  readonly adapter?: Adapter | undefined;
}

/**
 * Analyzes a CUDA kernel file. Returns undefined if the file is not .cu or .cuh, has a `// @gemm`
 * annotation, or has no kernel.
 */
export async function analyzeBare(
  path: string,
  options: BareOptions,
  context: Context,
): Promise<Result | undefined> {
  if (!/\.cuh?$/i.test(path)) return undefined;
  const text = await readText(path);
  const file = parseKernelText(text, basename(path));
  if (file.annotations.length > 0 || file.kernels.length === 0) return undefined;
  rejectOverrides(path, options);
  const { id, computeCapability, name } =
    findDevice(options.device ?? DEFAULT_DEVICE) ?? deviceOf(DEFAULT_DEVICE);
  if (computeCapability === undefined) {
    throw invalidInput(
      `Occupancy of a kernel without // @gemm requires an NVIDIA GPU, but the device is ${name}. Fix: choose an NVIDIA device, or annotate the kernel.`,
    );
  }
  const found = await findNvcc();
  if (!found.ok) {
    const why = `${path} has no // @gemm annotation, so nvcc is required to determine the register count.`;
    throw missingPrerequisite(`${why} ${found.why} ${found.next}`);
  }
  const compiled = await compileCubin(await inlineIncludes(text, path), {
    nvcc: found.nvcc,
    arch: archOf(computeCapability),
    signal: context.abort,
  });
  if (!compiled.ok) throw notCompiled(compiled);
  if (compiled.unread.length > 0) throw missingPrerequisite(compiled.unread.join('\n'));
  const dynamic = options['dynamic-shared'];
  const kernels = compiled.kernels.map(resources =>
    bareOccupancy({
      text: file.text,
      entry: resources.entry,
      resources,
      computeCapability,
      threads: options.block === undefined ? undefined : threadsOf(options.block),
      dynamicSharedBytes:
        dynamic === undefined ? undefined : wholeNumber('dynamic-shared', dynamic),
    }),
  );
  const left = kernelsLeft(
    text,
    compiled.kernels.map(({ entry }) => entry),
  );
  return {
    exit: EXIT.yes,
    json: { device: id, kernels, notCompiled: left },
    text: [
      ...kernels.map(kernel => describe(kernel, name)),
      ...left.map(({ line, why }) => `line ${line + 1}: ${why}`),
    ].join('\n\n'),
  };
}

/**
 * Returns the number of threads for block extents such as `256`, `16x16` or `32x8x2`. Throws for
 * other text.
 */
function threadsOf(block: string): number {
  const extents = block.split('x').map(extent => wholeNumber('block', extent));
  const threads = extents.reduce((product, extent) => product * extent, 1);
  if (extents.length <= 3 && threads >= 1) return threads;
  throw invalidInput(
    `Expected --block to be 1 to 3 positive extents such as 256 or 16x16, got "${block}".`,
  );
}

function describe(kernel: BareOccupancy, device: string): string {
  const { entry, registers, sharedBytes, spillBytes, block, sizes, best, notes } = kernel;
  const row = (block: BlockOccupancy) => [
    block.threads,
    block.blocksPerSm,
    block.activeWarps,
    `${percent(block.occupancy)} (${block.limiters.join(', ')})`,
    best.includes(block.threads) ? '<- best' : '',
  ];
  const occupied =
    block === null
      ? 'unknown: the block size is not given (--block, __launch_bounds__ or // @gemm)'
      : `${percent(block.occupancy)} (${block.limiters.join(', ')}), ${block.blocksPerSm} blocks of ${block.threads} threads (${block.from})`;
  return [
    table([
      ['kernel', `${entry} on ${device}`],
      ['registers', `${quantity(registers.value, registers.unit)} (${registers.from})`],
      ['shared memory', `${quantity(sharedBytes.value, sharedBytes.unit)} (${sharedBytes.from})`],
      ...(spillBytes > 0 ? [['spilled', `${spillBytes} B per thread (compiler)`]] : []),
      ['occupancy', occupied],
    ]),
    '',
    table([['threads per block', 'blocks/SM', 'warps', 'occupancy', ''], ...sizes.map(row)]),
    '',
    ...notes.map(note => `info: ${note}`),
  ].join('\n');
}
