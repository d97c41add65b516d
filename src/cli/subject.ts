/** Input of nvcc: the CUDA source of a SPEC or a FILE, and its architecture. */
import { basename } from 'node:path';
import { archOf as capabilityArch } from '../core/hardware/computeCapability';
import { DEFAULT_DEVICE, findDevice } from '../core/hardware/devices';
import { deviceNamed, type Runnable } from '../core/kernel/kernel';
import { readKernelFile } from '../core/source/kernelFile';
import { kernelSites } from '../core/source/kernelSites';
import type { Compiled } from '../host/nvcc';
import type { Context } from './command';
import { inlineIncludes } from './includes';
import { isKernelFile, kernelOf, rejectOverrides } from './kernel';
import { readText } from './input';
import { EXIT, Failure, invalidInput, type ExitCode } from './result';
import { readSpec, type Overrides } from './spec';

export const arch = {
  type: 'string',
  valueHint: 'sm_90',
  description: "Architecture; default: that of the spec's device",
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

/** Source for nvcc; compiling requires less information than running. */
export interface Subject {
  readonly name: string;
  readonly source: string;
  /** Text of a file before its includes were expanded. */
  readonly text?: string;
  readonly device: string;
  /** The launch, if known; it determines the dynamic shared memory, which ptxas does not report. */
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

/** Reads a kernel file. Its `@gemm` comment is optional and provides the device and launch. */
async function fileSubject(path: string, overrides: Overrides, context: Context): Promise<Subject> {
  rejectOverrides(path, overrides);
  if (/\.wgsl$/i.test(path)) throw invalidInput(`nvcc compiles CUDA; ${path} is WGSL.`);
  const text = await readText(path);
  const source = await inlineIncludes(text, path);
  if (!kernelSites(source).some(({ target }) => target === 'cuda')) {
    throw invalidInput(`${path} has no __global__ function.`);
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

/** Returns the requested architecture, otherwise that of the subject's device. */
export function archOf(wanted: string | undefined, { device }: Subject): string {
  if (wanted !== undefined && !/^sm_\d{2,3}[af]?$/.test(wanted)) {
    throw invalidInput(`Expected --arch like sm_90, got "${wanted}".`);
  }
  return wanted ?? archFor(device);
}

function archFor(device: string): string {
  const found = findDevice(device);
  if (found === undefined) {
    throw invalidInput(`Unknown device "${device}". \`gemm-explorer devices\` lists them.`);
  }
  if (found.computeCapability === undefined) {
    throw invalidInput(`${found.name} is not an NVIDIA GPU. Fix: give --arch.`);
  }
  return capabilityArch(found.computeCapability);
}
