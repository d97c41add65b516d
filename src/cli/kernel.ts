/** Generates the kernels of a spec, or reads the kernel of a kernel file. */
import { basename } from 'node:path';
import type { Adapter } from '../core/defaults/dispatch/adapterFamily';
import type { ScheduleFrom } from '../core/defaults/dispatch/scheduleFrom';
import { DEFAULT_DEVICE, findDevice, isDeviceId, type DeviceId } from '../core/hardware/devices';
import { emit } from '../core/kernel/emit';
import { deviceNamed, type Kernel, type Runnable } from '../core/kernel/kernel';
import { readKernelFile, type KernelFile } from '../core/source/kernelFile';
import type { Planned, Violation } from '../core/plan/plan';
import { check, checkAndPlan, planSpec } from '../core/defaults/check';
import type { GemmSpec, Target } from '../core/spec/schema';
import type { ResolvedProblem } from '../core/spec/resolved';
import { isCubin, isPythonFile, readCubin, readPython } from './foreign';
import { nameOf, readText } from './input';
import { invalidInput, type Failure } from './result';
import { filled, readSpecAndTables, type Overrides } from './spec';

export interface SpecInput {
  readonly kind: 'spec';
  readonly path: string;
  /**
   * The spec. If the file has no schedule, the schedule from the dispatch tables or the default
   * schedule of the adapter is added, if any.
   */
  readonly spec: GemmSpec;
  readonly scheduleFrom: ScheduleFrom;
}

export interface KernelInput {
  readonly kind: 'kernel';
  readonly path: string;
  readonly runnable: Runnable;
}

const KERNEL_FILE = /\.(cu|cuh|wgsl|ptx)$/i;

/**
 * Reads a spec or a kernel file, selected by the file extension. Without `--adapter`, `runsOn`
 * returns the adapter whose default schedule is used for the spec, if any. `problem` applies to a
 * Python file that does not state its problem.
 */
export async function readInput(
  path: string,
  overrides: Overrides,
  runsOn?: (spec: GemmSpec) => Promise<Adapter | undefined>,
  problem?: ResolvedProblem,
): Promise<SpecInput | KernelInput> {
  if (!isKernelFile(path)) {
    const { spec, tables } = await readSpecAndTables(path, overrides);
    const adapter = overrides.adapter ?? (await runsOn?.(spec));
    const { scheduleFrom } = check(spec, tables, adapter);
    return { kind: 'spec', path, spec: filled(spec, tables, adapter), scheduleFrom };
  }
  rejectOverrides(path, overrides);
  const file = await readFile(path, problem);
  if (!file.ok) {
    throw invalidInput(`${path} is not a valid kernel:`, [
      { path: file.path, message: file.reason },
    ]);
  }
  const { target } = file.runnable;
  if ((overrides.target ?? target) === target) {
    return { kind: 'kernel', path, runnable: file.runnable };
  }
  throw invalidInput(
    `${path} is a ${target} kernel, but --target is ${overrides.target}. Fix: omit --target, which only selects a target of a spec.`,
  );
}

/** Returns the device of a spec or an annotation; the default device if neither names one. */
export function deviceOfInput(input: SpecInput | KernelInput): DeviceId {
  const named = input.kind === 'spec' ? input.spec.device : deviceNamed(input.runnable);
  return named !== undefined && isDeviceId(named) ? named : DEFAULT_DEVICE;
}

export const isKernelFile = (path: string): boolean =>
  KERNEL_FILE.test(path) || isCubin(path) || isPythonFile(path);

async function readFile(path: string, problem: ResolvedProblem | undefined): Promise<KernelFile> {
  if (isPythonFile(path)) return await readPython(path, problem);
  if (isCubin(path)) return await readCubin(path);
  return readKernelFile(await readText(path), basename(path));
}

/**
 * Throws if a kernel has no source that this command can read.
 * @param doing start of the message, such as `analyze reads CUDA and WGSL source`
 */
export function requireSource(path: string, doing: string, accepted: RegExp): void {
  if (!isKernelFile(path) || accepted.test(path)) return;
  throw invalidInput(`${doing}, but got ${path}. Fix: pass a spec or the source of the kernel.`);
}

export function rejectOverrides(path: string, { set = [], adapter }: Overrides): void {
  if (adapter !== undefined) {
    throw invalidInput(
      `--adapter selects the schedule of a spec, but ${path} is a kernel. Fix: omit --adapter.`,
    );
  }
  if (set.length === 0) return;
  throw invalidInput(
    `--set overrides a field of a spec, but ${path} is a kernel. Fix: omit --set.`,
  );
}

/** Generates the kernel of each legal target. Throws if the check of the spec fails. */
export function kernelsOf({ path, spec }: Pick<SpecInput, 'path' | 'spec'>): readonly Kernel[] {
  const { report, plans } = checkAndPlan(spec);
  if (!report.ok) throw illegal(path, report.violations);
  return report.legal.map(target => emitted(path, plans[target]));
}

/**
 * Returns the kernel for CUDA on NVIDIA devices and for WGSL on other devices, if legal; otherwise
 * the kernel of the other target. Throws if no target is legal.
 */
export function kernelOn(input: SpecInput, device: DeviceId): Kernel {
  const own: Target = findDevice(device)?.vendor === 'nvidia' ? 'cuda' : 'wgsl';
  const kernels = kernelsOf(input);
  const kernel = kernels.find(({ target }) => target === own) ?? kernels[0];
  if (kernel === undefined)
    throw invalidInput(
      `No target of ${input.path} is legal. Fix: run \`gemm-explorer check\` to list the violations.`,
    );
  return kernel;
}

export function kernelOf({ path, spec }: Pick<SpecInput, 'path' | 'spec'>, target: Target): Kernel {
  return emitted(path, planSpec(spec, target));
}

function emitted(path: string, planned: Planned): Kernel {
  if (!planned.ok) throw illegal(path, planned.violations);
  return emit(planned.plan);
}

const illegal = (path: string, violations: readonly Violation[]): Failure =>
  invalidInput(
    `${nameOf(path)} is invalid:`,
    violations.map(({ target, path: field, message, nearest }) => ({
      path: field,
      message: `${target}: ${message}${nearest === null ? '' : ` Nearest: ${JSON.stringify(nearest)}.`}`,
    })),
  );
