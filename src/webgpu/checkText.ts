/**
 * Checks WGSL source with the compiler of a device: syntax, types, and pipeline creation within the
 * device's limits.
 */
import { kernelSites } from '../core/source/kernelSites';
import { KERNEL_FEATURES, needsMatrices } from './features';
import { wordsOf } from './stop';

/** Error message with its line and column, starting at 1. */
export interface TextMessage {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface CheckedText {
  readonly source: string;
  /** Non-default limits that the kernel's spec requires. */
  readonly limits?:
    { readonly invocations: number; readonly workgroupStorageBytes: number } | undefined;
}

/**
 * Requests a device with all supported features that kernels may use, but only WebGPU's default
 * limits. Returns null if there is no adapter.
 */
export async function openCompiler(gpu: GPU): Promise<GPUDevice | null> {
  const adapter = await gpu.requestAdapter();
  if (adapter === null) return null;
  const requiredFeatures = KERNEL_FEATURES.filter(feature => adapter.features.has(feature));
  return await adapter.requestDevice({ requiredFeatures });
}

export async function checkText(
  device: GPUDevice,
  { source, limits }: CheckedText,
): Promise<TextMessage[]> {
  // Errors are read from the module. The error scope only prevents the browser from logging them.
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: source });
  const popped = device.popErrorScope();
  const { messages } = await module.getCompilationInfo();
  await popped;
  const errors = messages
    .filter(({ type }) => type === 'error')
    .map(({ lineNum, linePos, message }) => ({ line: lineNum, column: linePos, message }));
  // Pipelines are not created for kernels that exceed the default limits or use adapter-specific
  // matrix shapes.
  const raised =
    limits !== undefined &&
    (limits.invocations > device.limits.maxComputeInvocationsPerWorkgroup ||
      limits.workgroupStorageBytes > device.limits.maxComputeWorkgroupStorageSize);
  const textAlone = raised || needsMatrices(source);
  return errors.length > 0 || textAlone ? errors : pipelineErrors(device, module, source);
}

async function pipelineErrors(
  device: GPUDevice,
  module: GPUShaderModule,
  source: string,
): Promise<TextMessage[]> {
  const errors: TextMessage[] = [];
  for (const { entry, line } of kernelSites(source)) {
    const compute = { module, entryPoint: entry };
    try {
      await device.createComputePipelineAsync({ layout: 'auto', compute });
    } catch (error) {
      errors.push({ line: line + 1, column: 1, message: wordsOf(error) });
    }
  }
  return errors;
}
