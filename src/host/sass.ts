/**
 * Creates the SASS listing of a CUDA kernel file with nvdisasm, which reports source lines. Uses
 * cuobjdump if nvdisasm is missing.
 */
import path from 'node:path';
import { plainListing, withHead } from '../core/profile/listing/plainListing';
import { findExecutable, type SearchOptions } from './executables';
import { compileCubin, KERNEL_FILE, KERNEL_FLAGS, type CompileOptions } from './nvcc';
import { runProcess, type ProcessResult } from './process';
import { headOf, type Ptx } from './ptx';
import { describeFailure, type Missing, type Nvcc } from './toolchain';

export interface Disassembler {
  readonly path: string;
  readonly id: 'nvdisasm' | 'cuobjdump';
}

export type FoundDisassembler =
  { readonly ok: true; readonly disassembler: Disassembler } | Missing;

const DISASSEMBLE_TIMEOUT_MS = 60_000;
const INSTALL =
  'Both tools are part of the CUDA toolkit (packages cuda-nvdisasm and cuda-cuobjdump). Fix: install one of them next to nvcc or on PATH.';

export function findDisassembler(nvcc: Nvcc, options: SearchOptions = {}): FoundDisassembler {
  // The path setting only applies to nvcc.
  const search = { ...options, setting: '' };
  const folders = [path.dirname(nvcc.path), path.dirname(nvcc.realPath)];
  for (const id of ['nvdisasm', 'cuobjdump'] as const) {
    const located = findExecutable([id], search, folders);
    if (located.ok) return { ok: true, disassembler: { path: located.path, id } };
  }
  return { ok: false, path: null, why: 'Neither nvdisasm nor cuobjdump was found.', next: INSTALL };
}

/**
 * Arguments to try, in order. `-gi` includes the call sites of inlined functions; older versions
 * only support `-g`.
 */
const ARGUMENTS: Readonly<Record<Disassembler['id'], readonly (readonly string[])[]>> = {
  nvdisasm: [['-c', '-gi'], ['-c', '-g'], ['-c']],
  cuobjdump: [['-sass']],
};

export async function sassOf(
  source: string,
  disassembler: Disassembler,
  options: CompileOptions,
): Promise<Ptx> {
  const cubin = await compileCubin(source, options);
  if (!cubin.ok) return cubin;
  const { kernels, unread, diagnostics } = cubin;
  const tries = ARGUMENTS[disassembler.id];
  let answer: ProcessResult | undefined;
  for (const flags of tries) {
    answer = await runProcess(disassembler.path, [...flags, cubin.path], {
      timeoutMs: options.timeoutMs ?? DISASSEMBLE_TIMEOUT_MS,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    if (answer.code === 0 || answer.aborted || answer.timedOut) break;
  }
  if (answer?.aborted === true) {
    return {
      ok: false,
      outcome: 'cancelled',
      message: 'Disassembling was cancelled.',
      diagnostics,
    };
  }
  const text = answer?.stdout ?? '';
  if (answer?.code !== 0 || !/^\s*\/\*[0-9a-f]{4,16}\*\/\s+\S/m.test(text)) {
    const why = answer === undefined ? '' : describeFailure(answer);
    const message = `'${disassembler.path}' ${why}`;
    return { ok: false, outcome: 'unavailable', message, diagnostics };
  }
  const made = `-cubin ${[...KERNEL_FLAGS, `-arch=${options.arch}`].join(' ')}, ${disassembler.id}`;
  const cut = answer.truncated ? '// Truncated: more than 4 MiB.\n' : '';
  const head = headOf(source, kernels, options, made);
  return {
    ok: true,
    kernels,
    unread,
    diagnostics,
    ...withHead(`${head}${cut}\n`, plainListing(text, 'sass', KERNEL_FILE)),
  };
}
