/** Checks WGSL with Dawn's compiler and no driver: parsing, types, and pipelines within their limits. */
import { kernelSites } from '../../core/emit/kernelSites';
import { messageOf } from '../text';
import type { WgslMessage, WgslText } from './job';

/** The errors of each text, in order. */
export async function validateTexts(
  gpu: GPU,
  texts: readonly WgslText[],
): Promise<WgslMessage[][]> {
  const adapter = await gpu.requestAdapter();
  if (adapter === null) throw new Error("Dawn's null backend gave no adapter");
  const wanted: GPUFeatureName[] = ['shader-f16', 'subgroups'];
  const requiredFeatures = wanted.filter(feature => adapter.features.has(feature));
  const device = await adapter.requestDevice({ requiredFeatures });
  const all: WgslMessage[][] = [];
  for (const text of texts) all.push(await validate(device, text));
  return all;
}

async function validate(device: GPUDevice, { source, limits }: WgslText): Promise<WgslMessage[]> {
  // The messages are read from the module; the scope only keeps them out of standard error.
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: source });
  const popped = device.popErrorScope();
  const { messages } = await module.getCompilationInfo();
  await popped;
  const errors = messages
    .filter(({ type }) => type === 'error')
    .map(({ lineNum, linePos, message }) => ({ line: lineNum, column: linePos, message }));
  // This backend has WebGPU's default limits and no more: beyond them the text alone is checked.
  const raised =
    limits !== undefined &&
    (limits.invocations > device.limits.maxComputeInvocationsPerWorkgroup ||
      limits.workgroupStorageBytes > device.limits.maxComputeWorkgroupStorageSize);
  return errors.length > 0 || raised ? errors : pipelineErrors(device, module, source);
}

async function pipelineErrors(
  device: GPUDevice,
  module: GPUShaderModule,
  source: string,
): Promise<WgslMessage[]> {
  const errors: WgslMessage[] = [];
  for (const { entry, line } of kernelSites(source)) {
    const compute = { module, entryPoint: entry };
    try {
      await device.createComputePipelineAsync({ layout: 'auto', compute });
    } catch (error) {
      errors.push({ line: line + 1, column: 1, message: messageOf(error) });
    }
  }
  return errors;
}
