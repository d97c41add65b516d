/**
 * Checks a WGSL text with the device's compiler: parsing, types, and pipelines within the device's
 * limits.
 */
import { kernelSites } from '../core/source/kernelSites';
import { KERNEL_FEATURES, needsMatrices } from './features';
import { wordsOf } from './stop';

/** Line and column are one-based. */
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

/** Opens a device with all features that kernels may use, and only WebGPU's default limits. */
export async function openCompiler(gpu: GPU): Promise<GPUDevice | null> {
  const adapter = await gpu.requestAdapter();
  if (adapter === null) return null;
  const requiredFeatures = KERNEL_FEATURES.filter(feature => adapter.features.has(feature));
  return await adapter.requestDevice({ requiredFeatures });
}

/** Returns the errors of a text, in order. */
export async function checkText(
  device: GPUDevice,
  { source, limits }: CheckedText,
): Promise<TextMessage[]> {
  // The messages are read from the module; the scope only keeps them out of the console.
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: source });
  const popped = device.popErrorScope();
  const { messages } = await module.getCompilationInfo();
  await popped;
  const errors = messages
    .filter(({ type }) => type === 'error')
    .map(({ lineNum, linePos, message }) => ({ line: lineNum, column: linePos, message }));
  // Beyond the default limits, and for adapter-specific matrix shapes, only the text is checked.
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
