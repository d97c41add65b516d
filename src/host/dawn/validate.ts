/** Checks WGSL with Dawn's compiler and no driver: parsing, types, and pipelines within their limits. */
import { kernelSites } from '../../core/emit/kernelFile';
import { DEFAULT_WEBGPU_LIMITS } from '../../core/plan/limits';
import { messageOf } from '../text';
import type { WgslMessage, WgslText } from './job';

type Limits = NonNullable<WgslText['limits']>;

/** The errors of each text, in order. */
export async function validateTexts(
  gpu: GPU,
  texts: readonly WgslText[],
): Promise<WgslMessage[][]> {
  const devices = new Map<string, GPUDevice>();
  const deviceFor = async (limits: Limits): Promise<GPUDevice> => {
    const key = JSON.stringify(limits);
    const device = devices.get(key) ?? (await openDevice(gpu, limits));
    devices.set(key, device);
    return device;
  };
  const all: WgslMessage[][] = [];
  for (const { source, limits = DEFAULT_WEBGPU_LIMITS } of texts) {
    all.push(await validate(await deviceFor(limits), source));
  }
  return all;
}

async function openDevice(gpu: GPU, limits: Limits): Promise<GPUDevice> {
  const adapter = await gpu.requestAdapter();
  if (adapter === null) throw new Error("Dawn's null backend gave no adapter");
  const wanted: GPUFeatureName[] = ['shader-f16', 'subgroups'];
  return adapter.requestDevice({
    requiredFeatures: wanted.filter(feature => adapter.features.has(feature)),
    requiredLimits: {
      maxComputeInvocationsPerWorkgroup: limits.invocations,
      maxComputeWorkgroupSizeX: limits.invocations,
      maxComputeWorkgroupSizeY: limits.invocations,
      maxComputeWorkgroupStorageSize: limits.workgroupStorageBytes,
    },
  });
}

async function validate(device: GPUDevice, source: string): Promise<WgslMessage[]> {
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: source });
  const { messages } = await module.getCompilationInfo();
  await device.popErrorScope();
  const errors = messages
    .filter(({ type }) => type === 'error')
    .map(({ lineNum, linePos, message }) => ({ line: lineNum, column: linePos, message }));
  if (errors.length > 0) return errors;
  for (const { entry, line } of kernelSites(source)) {
    try {
      await device.createComputePipelineAsync({
        layout: 'auto',
        compute: { module, entryPoint: entry },
      });
    } catch (error) {
      errors.push({ line: line + 1, column: 1, message: messageOf(error) });
    }
  }
  return errors;
}
