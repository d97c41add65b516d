/** Creates a readable PTX listing of a CUDA kernel file. */
import * as fs from 'node:fs/promises';
import {
  compileCubin,
  compilePtx,
  KERNEL_FILE,
  PTX_FLAGS,
  type Compiled,
  type CompileOptions,
} from './nvcc';
import type { KernelResources } from './ptxas';
import { plainListing, withHead, type PlainListing } from '../core/profile/listing/plainListing';
import { hashText } from '../core/text/hash';

export type Ptx =
  | (Pick<Extract<Compiled, { ok: true }>, 'ok' | 'kernels' | 'unread' | 'diagnostics'> &
      PlainListing)
  | Extract<Compiled, { ok: false }>;

/**
 * Compiles CUDA source to a PTX listing without line information, which is returned separately in
 * `sources`. The header states the compiler, its flags, the hash of `source`, and the ptxas
 * resources per kernel.
 */
export async function ptxOf(source: string, options: CompileOptions): Promise<Ptx> {
  const [ptx, cubin] = await Promise.all([
    compilePtx(source, options),
    compileCubin(source, options),
  ]);
  if (!ptx.ok) return ptx;
  if (!cubin.ok) return cubin;
  const { kernels, unread, diagnostics } = cubin;
  const head = headOf(source, kernels, options);
  const body = (await fs.readFile(ptx.path, 'utf8')).replace(NVVM_HEAD, '');
  const listing = withHead(`${head}\n`, plainListing(body, 'ptx', KERNEL_FILE));
  return { ok: true, kernels, unread, diagnostics, ...listing };
}

const NVVM_HEAD = /^(?:\/\/.*\n|\s*\n)+/;

export function headOf(
  source: string,
  kernels: readonly KernelResources[],
  { nvcc, arch }: CompileOptions,
  made = `-ptx ${[...PTX_FLAGS, `-arch=${arch}`].join(' ')}`,
): string {
  const lines = [
    `nvcc ${nvcc.build} ${made}`,
    `Source SHA-256 ${hashText(source)}`,
    ...kernels.map(resourceLine),
  ];
  return lines.map(line => `// ${line}\n`).join('');
}

function resourceLine(kernel: KernelResources): string {
  const { entry, arch, registers, sharedBytes, spillStores, spillLoads, stackBytes } = kernel;
  return `ptxas ${arch}, ${entry}: ${registers} registers, ${sharedBytes} B static shared memory, ${stackBytes} B stack, ${spillStores} B spill stores, ${spillLoads} B spill loads`;
}
