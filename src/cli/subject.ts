/**
 * Input of nvcc: the CUDA source of a spec or a kernel file, and the architecture to compile for.
 */
import { basename } from 'node:path';
import { archOf as capabilityArch } from '../core/hardware/computeCapability';
import { DEFAULT_DEVICE, findDevice } from '../core/hardware/devices';
import { deviceNamed, type Runnable } from '../core/kernel/kernel';
import { readKernelFile } from '../core/source/kernelFile';
import { kernelSites } from '../core/source/kernelSites';
import type { Compiled } from '../host/nvcc';
import type { Context } from './command';
import { inlineIncludes } from './includes';
import { isKernelFile, kernelOf, rejectOverrides, requireSource } from './kernel';
import { readText } from './input';
import { EXIT, Failure, invalidInput, type ExitCode } from './result';
import { readSpec, type Overrides } from './spec';

export const arch = {
  type: 'string',
  valueHint: 'sm_90',
  description: "Architecture to compile for, such as sm_90; default: the spec's device",
} as const;

const EXIT_OF = {
  'compile-error': EXIT.no,
  constraint: EXIT.lacking,
  timeout: EXIT.no,
  cancelled: EXIT.interrupted,
  unavailable: EXIT.lacking,
} as const satisfies Record<string, ExitCode>;

export const notCompiled = ({
  outcome,
  message,
  diagnostics,
}: Extract<Compiled, { readonly ok: false }>): Failure =>
  new Failure(
    EXIT_OF[outcome],
    message,
    diagnostics.map(({ line, column, severity, message: what }) => ({
      path: `line ${line + 1}, column ${column + 1}`,
      message: `${severity}: ${what}`,
    })),
  );

export interface Subject {
  readonly name: string;
  readonly source: string;
  /** Contents of the kernel file before its includes were expanded; absent for a spec. */
  readonly text?: string;
  readonly device: string;
  /**
   * Launch parameters, if known. They provide the dynamic shared memory, which ptxas does not
   * report.
   */
  readonly launch?: Runnable;
}

export async function subjectOf(
  path: string,
  overrides: Overrides,
  context: Context,
): Promise<Subject> {
  if (overrides.target === 'wgsl') {
    throw invalidInput(
      'nvcc compiles CUDA, but --target is wgsl. Fix: omit --target or use --target cuda.',
    );
  }
  if (isKernelFile(path)) return await fileSubject(path, overrides, context);
  const kernel = kernelOf({ path, spec: await readSpec(path, overrides) }, 'cuda');
  const { specKey, source, spec } = kernel;
  return { name: specKey, source, device: spec.device, launch: kernel };
}

/**
 * Reads a kernel file. Its `// @gemm` annotation is optional; it provides the device and the launch
 * parameters.
 */
async function fileSubject(path: string, overrides: Overrides, context: Context): Promise<Subject> {
  rejectOverrides(path, overrides);
  if (/\.wgsl$/i.test(path))
    throw invalidInput(`nvcc compiles CUDA, but ${path} is WGSL. Fix: pass a .cu file.`);
  requireSource(path, 'This command compiles CUDA source', /\.cuh?$/i);
  const text = await readText(path);
  const source = await inlineIncludes(text, path);
  if (!kernelSites(source).some(({ target }) => target === 'cuda')) {
    throw invalidInput(`${path} has no __global__ function. Fix: pass a file with a CUDA kernel.`);
  }
  const file = readKernelFile(text, basename(path));
  if (!file.ok && file.path.startsWith('@gemm.')) context.note(`Ignored: ${file.reason}`);
  if (file.ok && file.runnable.device?.why !== undefined && overrides.device === undefined) {
    context.note(file.runnable.device.why);
  }
  const device = overrides.device ?? (file.ok ? deviceNamed(file.runnable) : undefined);
  return {
    name: basename(path),
    source,
    text,
    device: device ?? DEFAULT_DEVICE,
    ...(file.ok ? { launch: file.runnable } : {}),
  };
}

/**
 * Returns the requested architecture, otherwise the architecture of the subject's device. Throws if
 * it is invalid or unknown.
 */
export function archOf(wanted: string | undefined, { device }: Subject): string {
  if (wanted !== undefined && !/^sm_\d{2,3}[af]?$/.test(wanted)) {
    throw invalidInput(`Expected --arch to be an architecture such as sm_90, got "${wanted}".`);
  }
  return wanted ?? archFor(device);
}

function archFor(device: string): string {
  const found = findDevice(device);
  if (found === undefined) {
    throw invalidInput(
      `Unknown device "${device}". Fix: choose a device from \`gemm-explorer devices\`.`,
    );
  }
  if (found.computeCapability === undefined) {
    throw invalidInput(`${found.name} is not an NVIDIA GPU. Fix: add --arch.`);
  }
  return capabilityArch(found.computeCapability);
}
